import type { AgentContext } from "../../../machines/agent/context.ts";
import type { Memory } from "./memory.ts";
import type { Move } from "./move.ts";
import { isAtRest, leafOf, type AgentSnapshot, type Service, type Step } from "./pure.ts";
import type { World } from "./worlds.ts";

/** One move and what the chart made of it. */
export type Transition = {
  readonly world: World;
  readonly before: { readonly snapshot: AgentSnapshot; readonly memory: Memory };
  readonly move: Move;
  readonly after: Step;
  readonly memory: Memory;
};

/** What is wrong with a transition; nothing if all is well. */
export type Check = (transition: Transition) => string | undefined;

/** The calls of the batch whose results are not stored. */
export const openIds = ({ calls }: AgentContext): ReadonlySet<string> =>
  new Set(calls.filter(({ stored }) => !stored).map(({ call }) => call.id));

/** The services of one kind that a step has started. */
export const startedOf = ({ started }: Step, src: string): readonly Service[] =>
  started.filter((service) => service.src === src);

/** True if the process or the session was exchanged: the clock of what was settled starts anew. */
export const isRestored = ({ move, after }: Transition): boolean =>
  move.kind === "crash" || (move.kind === "load" && after.refused === undefined);

/** True if the chart has refused the event. */
export const isRefusal = (transition: Transition): boolean =>
  !isRestored(transition) && transition.after.refused !== undefined;

/** True if the session did not rest before and does now. */
export const comesToRest = ({ before, after }: Transition): boolean =>
  isAtRest(leafOf(after.snapshot.value)) && !isAtRest(leafOf(before.snapshot.value));

/** What of the context an event has changed, the clock and the trace of refusals aside. */
export function changesOf(before: AgentContext, after: AgentContext): readonly string[] {
  const names = Object.keys(after) as (keyof AgentContext)[];
  return names.filter((name) => name !== "at" && before[name] !== after[name]);
}
