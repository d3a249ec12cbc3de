import * as s from "../base/option-schema.ts";
import { toolSchema } from "../tool/tool-schema.ts";
import { CHUNK_POINTS, HOOK_POINTS, type Hook } from "./types.ts";

type AnyHook = Hook<never>;
type Point = (typeof HOOK_POINTS)[number] | (typeof CHUNK_POINTS)[number];

const POINTS: readonly Point[] = [...HOOK_POINTS, ...CHUNK_POINTS];
const isFunction = (value: unknown): boolean => typeof value === "function";

/** The schema of {@link Hook}. A hook may have what it likes beside its points, but a function whose name is nearly that of a point
 *  was meant to be one. */
export const hookSchema = s.lazily(() => {
  const points = Object.fromEntries(POINTS.map((point) => [point, s.optional(s.func())]));
  return s.openOptions<AnyHook>(
    {
      name: s.string(),
      priority: s.optional(s.number()),
      tools: s.optional(s.listOf(toolSchema())),
      ...(points as s.ShapeOf<Pick<AnyHook, Point>>),
    },
    { of: "points", what: "a hook: an object with a `name`", names: POINTS, isMeant: isFunction },
  );
});
