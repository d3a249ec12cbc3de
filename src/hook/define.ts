import type { Hook } from "./types.ts";

/** A hook, typed. Annotate `Ctx` to type `e.context`. */
export function defineHook<Ctx = unknown>(hook: Hook<Ctx>): Hook<Ctx> {
  return hook;
}
