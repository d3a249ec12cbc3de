import { isObject } from "../../core/base/json.ts";
import { areActorBreaks, type ActorBreak } from "./actor-break.ts";

/** The kinds of actors; "actor" is one whose kind XState does not tell. */
export const ACTOR_KINDS = [
  "machine",
  "promise",
  "callback",
  "observable",
  "transition",
  "agent",
  "actor",
] as const;

/** One of {@link ACTOR_KINDS}. */
export type ActorKind = (typeof ACTOR_KINDS)[number];

/** The statuses of an actor, as XState names them. */
export const ACTOR_STATUSES = ["active", "done", "error", "stopped"] as const;

/** One of {@link ACTOR_STATUSES}. */
export type ActorStatus = (typeof ACTOR_STATUSES)[number];

/** The actor of an XState system that a run shows. */
export type ActorInfo = {
  readonly kind: ActorKind;
  readonly status: ActorStatus;
  /** The id of the run of the system's first actor. */
  readonly system: string;
  /** The ids that XState gives it: the one among its siblings, and the one in its system. */
  readonly id: string;
  readonly sessionId: string;
  /** The name under which its logic was provided; absent for inline logic. */
  readonly src?: string;
  /** The name under which the whole system finds it. */
  readonly systemId?: string;
  /** The conditions at which it is paused; absent if there are none. */
  readonly breaks?: readonly ActorBreak[];
};

/** Parts that a step of an actor has beside that of an agent. */
export type ActorStep = {
  /** The place of its event among all events of the system, in the order in which they were sent. */
  readonly n: number;
  /** The run of the actor that sent it; absent if it came from outside of the system, or from an actor that is not shown. */
  readonly f?: string;
  /** Events of this actor before it that were not recorded, because there were more than the inspector records. */
  readonly o?: number;
  /** 1: the context was not recorded at this step, because that took too long; the one before is shown. */
  readonly h?: 1;
  /** 1: nobody told which transitions were taken; those of the step are concluded. */
  readonly u?: 1;
  /** The edges that were selected and not taken, each with its place among those that were. One of another region had left their states.
   *  Absent if there are none, or if it is not known. */
  readonly p?: readonly (readonly [at: number, edge: string])[];
  /** 1: some of the edges may have been preempted as those of `p` are: XState 6 does not tell which. */
  readonly w?: 1;
  /** The error with which the actor failed at this step. */
  readonly z?: { readonly name: string; readonly message: string };
};

/** A message between actors of a system: one step of the actor that got it. */
export type ActorMessage = ActorStep & {
  /** The run of the actor that got it, and the number of its step. */
  readonly to: string;
  readonly q: number;
  /** The type of the event, and its time, epoch ms. */
  readonly e: string;
  readonly t: number;
};

const isText = (value: unknown, max: number): value is string =>
  typeof value === "string" && value.length <= max;
const isOptional = (value: unknown, is: (value: unknown) => boolean): boolean =>
  value === undefined || is(value);
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

const isPreempted = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 2 && isCount(value[0]) && isText(value[1], 10_000);

/** True for the actor of a row whose parts have the shapes that are read. */
export function isActorInfo(value: unknown): value is ActorInfo {
  if (!isObject(value)) return false;
  const { kind, status, system, id, sessionId, src, systemId, breaks } = value;
  return (
    ACTOR_KINDS.some((each) => each === kind) &&
    ACTOR_STATUSES.some((each) => each === status) &&
    [system, id, sessionId].every((each) => isText(each, 10_000)) &&
    [src, systemId].every((each) => isOptional(each, (text) => isText(text, 10_000))) &&
    isOptional(breaks, areActorBreaks)
  );
}

/** True for the part of a step that is of actors, if its parts have the shapes that are read. */
export function isActorStep(value: unknown): value is ActorStep {
  if (!isObject(value)) return false;
  const { n, f, o, h, u, p, w, z } = value;
  return (
    isCount(n) &&
    isOptional(f, (each) => isText(each, 10_000)) &&
    isOptional(o, isCount) &&
    isOptional(p, (each) => Array.isArray(each) && each.every(isPreempted)) &&
    [h, u, w].every((flag) => isOptional(flag, (each) => each === 1)) &&
    isOptional(z, (each) => isObject(each) && isText(each["name"], 10_000) && isText(each["message"], 10_000))
  );
}
