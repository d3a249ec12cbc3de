import { guarded } from "../../core/base/guarded.ts";
import { matchesName } from "../../core/tool/name-pattern.ts";
import type { ActorBreak } from "../protocol/actor-break.ts";

/** Events that wait at a gate. With more of them it opens: a program that floods an actor is not to run out of memory. */
const MAX_HELD = 10_000;

type Event = { readonly type: string };
type Process = (event: Event) => void;
/** An actor of XState, as far as it is used here. `_lastSourceRef` is the sender in XState 6. */
type Actor = {
  readonly mailbox?: { readonly enqueue: Process };
  readonly getSnapshot: () => { readonly status?: unknown };
  _lastSourceRef?: unknown;
};
/** The place where an actor keeps the function that processes the next event of its mailbox. */
type Opening = { readonly of: { [key: string]: unknown }; readonly key: "_process" | "_boundProcess" };
type Held = { readonly event: Event; readonly source: unknown };

/**
 * Holds an actor between two events: what is sent to it waits, in its order, until it goes on. It stands behind the mailbox of the actor, so
 * that an event which is being processed is finished, and no other one begins. Nothing else is held: timers, promises, callbacks and other
 * actors go on, and what they send waits. An actor that is stopped is stopped, and what waits is dropped, as XState drops what is in a mailbox.
 */
export class ActorGate {
  readonly #actor: Actor;
  readonly #changed: () => void;
  /** True if XState lets the actor be held. */
  readonly canHold: boolean;
  /** The function that the gate stands before, once it was closed or has conditions. */
  #process: Process | undefined;
  #held: Held[] | undefined;
  /** The condition that has closed it, in words. */
  #place = "";
  /** The event that is let through, whatever the conditions are: it has waited already. */
  #passing: Event | undefined;
  #breaks: readonly ActorBreak[] = [];
  #states: readonly string[] = [];
  #overflowed = false;

  /** `changed` is called when an event waits, and when the gate opens or closes by itself. */
  constructor(actor: object, changed: () => void) {
    this.#actor = actor as Actor;
    this.#changed = changed;
    this.canHold = guarded(() => openingOf(actor)) !== undefined;
  }

  get isHeld(): boolean {
    return this.#held !== undefined;
  }

  /** The conditions at which it closes. */
  get breaks(): readonly ActorBreak[] {
    return this.#breaks;
  }

  /** Says that the actor is held, or was; "" if there is nothing to say. */
  get notice(): string {
    if (this.#overflowed)
      return `It was paused and goes on without breakpoints: more than ${MAX_HELD} events were waiting.`;
    const waiting = this.#held?.length;
    return waiting === undefined
      ? ""
      : `Paused${this.#place}: ${waiting} ${waiting === 1 ? "event waits" : "events wait"}. Its timers, its promises and callbacks, and other actors go on.`;
  }

  hold(): void {
    if (!this.#held) this.#close("");
  }

  /** Lets the actor go on with what has waited, until the next condition holds. One event gets through, whatever they are. */
  release(): void {
    const held = this.#held;
    if (!held) return;
    this.#held = undefined;
    this.#passing = held[0]?.event;
    for (const { event, source } of held) {
      this.#comesFrom(source);
      this.#actor.mailbox?.enqueue(event);
    }
  }

  #comesFrom(source: unknown): void {
    if (Object.hasOwn(this.#actor, "_lastSourceRef")) this.#actor._lastSourceRef = source;
  }

  /** Replaces the conditions at which it closes. `states` are those in which the actor is. */
  breakAt(breaks: readonly ActorBreak[], states: readonly string[]): void {
    this.#breaks = breaks;
    this.#states = states;
    if (breaks.length > 0) this.#install();
  }

  /** True if it has to be told in which states the actor is. */
  get asksForStates(): boolean {
    return this.#breaks.some((each) => "state" in each);
  }

  /** Is told of the states after an event, and closes if a condition is about one that was entered. */
  isIn(states: readonly string[]): void {
    const entered = states.filter((state) => !this.#states.includes(state));
    this.#states = states;
    const met = this.#held
      ? undefined
      : entered.find((state) =>
          this.#breaks.some((each) => "state" in each && matchesName(each.state, state)),
        );
    if (met !== undefined) this.#close(` in ${met}`);
  }

  #install(): boolean {
    if (this.#process) return true;
    const opening = guarded(() => openingOf(this.#actor));
    if (!opening) return false;
    const { of, key } = opening;
    const before = (key === "_process" ? of[key] : of["_process"]) as Process;
    this.#process = (event) => before.call(of, event);
    of[key] = (event: Event) => this.#arrives(event);
    return true;
  }

  #close(place: string): void {
    if (!this.#install()) return;
    this.#place = place;
    this.#overflowed = false;
    this.#held = [];
    this.#changed();
  }

  #arrives(event: Event): void {
    const type = guarded(() => typeOf(event)) ?? "";
    if (type === "xstate.stop") {
      if (this.#held) this.#changed();
      this.#held = undefined;
    } else if (this.#isToWait(event, type)) {
      if (!this.#held) this.#close(` before ${type}`);
      this.#held?.push({ event, source: this.#actor._lastSourceRef });
      return this.#changed();
    } else this.#overflow();
    this.#process!(event);
  }

  #isToWait(event: Event, type: string): boolean {
    if (this.#held) return this.#held.length < MAX_HELD;
    const isPassing = event === this.#passing;
    this.#passing = undefined;
    return !isPassing && this.#breaks.some((each) => "event" in each && matchesName(each.event, type));
  }

  /** Opens if too many events wait. They are processed here, before those that are behind them in the mailbox. */
  #overflow(): void {
    const held = this.#held;
    if (!held) return;
    this.#held = undefined;
    this.#breaks = [];
    this.#overflowed = true;
    this.#changed();
    const newest = this.#actor._lastSourceRef;
    for (const { event, source } of held) {
      this.#comesFrom(source);
      if (this.#actor.getSnapshot().status === "active") this.#process!(event);
    }
    this.#comesFrom(newest);
  }
}

/** The type of an event as XState 5 names it. A program may send anything, and XState says what is wrong with it. */
const typeOf = ({ type }: { readonly type: unknown }): string =>
  typeof type === "string" ? type.replace(/^@(?=xstate\.)/, "") : "";

const dataOf = (value: object, key: string): unknown => Object.getOwnPropertyDescriptor(value, key)?.value;

/** The opening of an actor; undefined if it has none as XState has them. XState 6 makes a mailbox for the first event, around the second one. */
function openingOf(actor: object): Opening | undefined {
  const of = actor as { [key: string]: unknown };
  const mailbox = dataOf(actor, "mailbox");
  if (typeof mailbox === "object" && mailbox !== null)
    return typeof dataOf(mailbox, "_process") === "function"
      ? { of: mailbox as { [key: string]: unknown }, key: "_process" }
      : undefined;
  const isToBeMade = mailbox === undefined && dataOf(actor, "_boundProcess") === undefined;
  return isToBeMade && Object.hasOwn(actor, "_boundProcess") && typeof of["_process"] === "function"
    ? { of, key: "_boundProcess" }
    : undefined;
}
