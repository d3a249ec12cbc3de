import type { Move } from "./move.ts";
import { isAtRest, leafOf, type AgentSnapshot, type Service, type Step } from "./pure.ts";
import type { World } from "./world.ts";

/** One move, what the chart made of it, and what is remembered before and after it. */
export type Transition<Memory> = {
  readonly world: World;
  readonly before: { readonly snapshot: AgentSnapshot; readonly memory: Memory };
  readonly move: Move;
  readonly after: Step;
  readonly memory: Memory;
};

type Moved = Pick<Transition<unknown>, "move" | "after">;

/** The services of one kind that a step has started. */
export const startedOf = ({ started }: Pick<Step, "started">, src: string): readonly Service[] =>
  started.filter((service) => service.src === src);

/** True if the process or the session was exchanged: the clock of what was settled restarts. */
export const isRestored = ({ move, after }: Moved): boolean =>
  move.kind === "crash" || (move.kind === "load" && after.refused === undefined);

/** True if the chart has refused the event. */
export const isRefusal = (transition: Moved): boolean =>
  !isRestored(transition) && transition.after.refused !== undefined;

/** True if the session did not rest before and does now. */
export const comesToRest = ({ before, after }: Pick<Transition<unknown>, "before" | "after">): boolean =>
  isAtRest(leafOf(after.snapshot.value)) && !isAtRest(leafOf(before.snapshot.value));
