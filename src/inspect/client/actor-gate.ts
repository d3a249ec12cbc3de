import { guarded } from "../../core/base/guarded.ts";

/** Events that wait at a gate. With more of them it opens: a program that floods an actor is not to run out of memory. */
const MAX_HELD = 10_000;

/** The part of an actor of XState in which its events wait, as far as it is used here. */
type Mailbox = { enqueue: (event: { readonly type: string }) => void };

/**
 * Holds an actor between two events: what is sent to it waits, in its order, until it goes on. The event that it is processing, and those
 * in its mailbox, are processed. Nothing else is held: timers, promises, callbacks and other actors go on, and what they send waits. An
 * actor that is stopped is stopped, and what waits is dropped, as XState drops what is in a mailbox.
 */
export class ActorGate {
  readonly #mailbox: Mailbox | undefined;
  readonly #changed: () => void;
  #held: { readonly type: string }[] | undefined;
  #overflowed = false;

  /** `changed` is called when an event waits, and when the gate opens by itself. */
  constructor(actor: object, changed: () => void) {
    this.#mailbox = guarded(() => mailboxOf(actor));
    this.#changed = changed;
  }

  /** True if XState lets the actor be held. */
  get canHold(): boolean {
    return this.#mailbox !== undefined;
  }

  get isHeld(): boolean {
    return this.#held !== undefined;
  }

  /** Says that the actor is held, or was; "" if there is nothing to say. */
  get notice(): string {
    if (this.#overflowed) return `It was paused and goes on: more than ${MAX_HELD} events were waiting.`;
    const waiting = this.#held?.length;
    return waiting === undefined
      ? ""
      : `Paused: ${waiting} ${waiting === 1 ? "event waits" : "events wait"}. Its timers, its promises and callbacks, and other actors go on.`;
  }

  hold(): void {
    const mailbox = this.#mailbox;
    if (!mailbox || this.#held) return;
    this.#overflowed = false;
    this.#held = [];
    mailbox.enqueue = (event) => {
      if (event.type === "xstate.stop") this.#held = [];
      else if (this.#held && this.#held.length < MAX_HELD) {
        this.#held.push(event);
        return this.#changed();
      } else this.#overflowed = true;
      this.release();
      this.#changed();
      mailbox.enqueue(event);
    };
  }

  /** Lets the actor go on with what has waited. */
  release(): void {
    const held = this.#held;
    const mailbox = this.#mailbox;
    if (!held || !mailbox) return;
    this.#held = undefined;
    delete (mailbox as Partial<Mailbox>).enqueue; // that of its class is left
    for (const event of held) mailbox.enqueue(event);
  }
}

/** The mailbox of an actor; undefined if it has none that can be held. */
function mailboxOf(actor: object): Mailbox | undefined {
  const mailbox: unknown = Object.getOwnPropertyDescriptor(actor, "mailbox")?.value;
  if (typeof mailbox !== "object" || mailbox === null || Object.hasOwn(mailbox, "enqueue")) return undefined;
  return typeof (mailbox as Partial<Mailbox>).enqueue === "function" ? (mailbox as Mailbox) : undefined;
}
