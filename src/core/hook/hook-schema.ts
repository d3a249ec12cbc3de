import * as s from "../base/option-schema.ts";
import { slotSchema } from "../tool/slot.ts";
import { toolSchema } from "../tool/tool-schema.ts";
import {
  CHUNK_POINTS,
  HOOK_POINTS,
  PRINT_POINTS,
  REST_POINTS,
  type AnyHook,
  type HookPoint,
} from "./types.ts";

type RestPoint = (typeof REST_POINTS)[number];
type Point = HookPoint | RestPoint | (typeof CHUNK_POINTS)[number] | (typeof PRINT_POINTS)[number];
/** A point whose hooks are awaited. */
export type AwaitedPoint = HookPoint | RestPoint;

const POINTS: readonly Point[] = [...HOOK_POINTS, ...REST_POINTS, ...CHUNK_POINTS, ...PRINT_POINTS];
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
      writes: s.optional(s.listOf(slotSchema())),
      ...(points as s.ShapeOf<Pick<AnyHook, Point>>),
    },
    { of: "points", what: "a hook: an object with a `name`", names: POINTS, isMeant: isFunction },
  );
});

type ChangingPoint = Exclude<AwaitedPoint, "onInterrupt" | "onError">;
type Patch<P extends ChangingPoint> = Exclude<Awaited<ReturnType<NonNullable<AnyHook[P]>>>, void>;

const PROMPT = { messages: true, append: true, system: true, options: true, slots: true } as const;
/** The fields that hooks may return at the points at which they change something. */
const FIELDS: { readonly [P in ChangingPoint]: { readonly [F in keyof Required<Patch<P>>]: true } } = {
  preCall: { input: true, system: true, slots: true },
  preReasoning: { ...PROMPT, tools: true },
  postReasoning: { message: true, stop: true, goto: true, slots: true },
  preActing: { input: true, deny: true, slots: true },
  postActing: { result: true, stop: true, slots: true },
  preSummary: PROMPT,
  postSummary: { message: true, slots: true },
  preCompact: { instructions: true, summary: true, keepFrom: true, skip: true, slots: true },
  postCompact: { summary: true, slots: true },
  postCall: { reply: true, slots: true },
  onRest: { slots: true },
};

/** Returns the problem with the names of the fields that a hook returned; undefined if there is no problem. An example is "`sytem` is not a
 *  field of it; did you mean `system`?". At a point that only observes only `slots` is wrong. */
export function unknownField(point: AwaitedPoint, returned: object): string | undefined {
  if (point === "onInterrupt" || point === "onError")
    return "slots" in returned ? "hooks of this point write no slots" : undefined;
  const known = FIELDS[point];
  const unknown = Object.entries(returned).find(
    ([name, value]) => value !== undefined && !Object.hasOwn(known, name),
  );
  return unknown && `\`${unknown[0]}\` is not a field of it; ${s.instead(unknown[0], Object.keys(known))}`;
}
