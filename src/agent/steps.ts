import type { AgentContext } from "../../machines/agent/context.ts";
import type { ModelCall } from "../../machines/agent/model-call.ts";
import type { Cause } from "../../machines/agent/events.ts";
import { accountOf, type StepAccount } from "../../machines/agent/step-account.ts";
import { type Fact, stepFacts } from "../../machines/agent/facts.ts";
import type { Step } from "../../machines/chart/resolve.ts";
import { guarded } from "../core/base/guarded.ts";
import { builtin } from "../core/base/platform.ts";

/** One step of an agent's chart, as observers see it. */
export type ChartStep = {
  readonly event: { readonly type: string; readonly by?: Cause | undefined };
  /** Epoch ms. */
  readonly at: number;
  /** The outcome, as far as the retained parts of the context do not contain it. */
  readonly account?: StepAccount | undefined;
  /** Path of the state that the session is in after the step, as "reasoning.calling.running". */
  readonly state: string;
  readonly context: AgentContext;
  /** Ids of the edges taken, in order. Empty for the beginning of a session. */
  readonly edges: readonly string[];
  /** Names of the actions that ran, in order. */
  readonly actions: readonly string[];
  /** The effects of its updates, as they have declared them, in order. */
  readonly facts: readonly Fact[];
};

/** The part of a step that both observers and the journal are told. */
export type TakenStep = Pick<
  ChartStep,
  "event" | "at" | "account" | "context" | "edges" | "actions" | "facts"
>;

/** The time at which an event was, as itself or the service that it is of says. */
function timeOf(event: object): number | undefined {
  const { at, output } = event as { readonly at?: unknown; readonly output?: { readonly at?: unknown } };
  const known = at ?? output?.at;
  return typeof known === "number" ? known : undefined;
}

/** Describes what an event has made of a context. */
export function takenStep(
  event: ChartStep["event"],
  { context, edges, actions, refused, facts: declared }: Step<AgentContext>,
  session: { now(): number },
): TakenStep {
  const facts = declared as readonly Fact[];
  const account = accountOf(event, stepFacts(facts), context, refused);
  return {
    event,
    at: timeOf(event) ?? session.now(),
    ...(account && { account }),
    context,
    edges,
    actions,
    facts,
  };
}

/** The part of a session that an observer of steps needs. */
export type StepSource = {
  /** Returns the present position of the session. */
  current(): Pick<ChartStep, "state" | "context">;
  /** Returns the function that ends the subscription. What a listener throws has no effect. `onCall` hears of each request to a model when it is
   *  made, after the step that led to it, and `onEnd` once nothing of the session runs in this process any more. */
  subscribe(
    listener: (step: ChartStep) => void,
    onCall?: (call: ModelCall) => void,
    onEnd?: () => void,
  ): () => void;
};

type Subscriber = {
  readonly onStep: (step: ChartStep) => void;
  readonly onCall: ((call: ModelCall) => void) | undefined;
  readonly onEnd: (() => void) | undefined;
};

/** The steps of one session, published to its observers. */
export class StepPublisher implements StepSource {
  // Most sessions have no observer.
  #subscribers: Set<Subscriber> | undefined;
  #hasEnded = false;
  readonly #session: { readonly path: string; readonly context: AgentContext };

  constructor(session: { readonly path: string; readonly context: AgentContext }) {
    this.#session = session;
  }

  current(): ReturnType<StepSource["current"]> {
    const { path, context } = this.#session;
    return { state: path, context };
  }

  subscribe(
    onStep: Subscriber["onStep"],
    onCall?: Subscriber["onCall"],
    onEnd?: Subscriber["onEnd"],
  ): () => void {
    const subscribers = (this.#subscribers ??= new Set());
    const subscriber = { onStep, onCall, onEnd };
    subscribers.add(subscriber);
    if (this.#hasEnded) queueMicrotask(() => subscribers.has(subscriber) && guarded(() => onEnd?.()));
    return () => void subscribers.delete(subscriber);
  }

  /** True if somebody listens to steps. */
  get hasListeners(): boolean {
    return this.#subscribers !== undefined && this.#subscribers.size > 0;
  }

  /** True if somebody listens to model calls. */
  get hasCallListeners(): boolean {
    for (const { onCall } of this.#subscribers ?? []) if (onCall) return true;
    return false;
  }

  publishCall(call: ModelCall): void {
    for (const { onCall } of this.#subscribers ?? []) guarded(() => onCall?.(call));
  }

  publish(step: ChartStep): void {
    for (const { onStep } of this.#subscribers ?? []) guarded(() => onStep(step));
  }

  /** Nothing of the session runs in this process any more. */
  end(): void {
    this.#hasEnded = true;
    for (const { onEnd } of this.#subscribers ?? []) guarded(() => onEnd?.());
  }
}

/** The key under which an agent has the steps of its session. */
export const STEPS = Symbol("steps of the session");

/** The steps of an agent that createAgent() made, until it is passivated. Throws a TypeError for any other object. */
export function stepsOf(agent: object): StepSource {
  const { [STEPS]: source } = agent as { readonly [STEPS]?: StepSource };
  if (!source) throw new TypeError("Expected an agent that createAgent() returned.");
  return source;
}

const { AsyncLocalStorage } = builtin("node:async_hooks") ?? {};
const storage = AsyncLocalStorage && new AsyncLocalStorage<Cause>();

/** Runs a function; the events that methods of agents send meanwhile, also later in its promises, say that `cause` caused them.
 *  Only Node.js can tell that; elsewhere they say nothing of it. */
export function causedBy<T>(cause: Cause, run: () => T): T {
  return storage ? storage.run(cause, run) : run();
}

/** The cause of an event that is sent now; undefined for the program that calls the agent. */
export function currentCause(): Cause | undefined {
  return storage?.getStore();
}
