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
   *  made, after the step that led to it. */
  subscribe(listener: (step: ChartStep) => void, onCall?: (call: ModelCall) => void): () => void;
};

/** The steps of one session, published to its observers. */
export class StepPublisher implements StepSource {
  // Most sessions have no observer.
  #listeners: Set<(step: ChartStep) => void> | undefined;
  #callListeners: Set<(call: ModelCall) => void> | undefined;
  readonly #session: { readonly path: string; readonly context: AgentContext };

  constructor(session: { readonly path: string; readonly context: AgentContext }) {
    this.#session = session;
  }

  current(): ReturnType<StepSource["current"]> {
    const { path, context } = this.#session;
    return { state: path, context };
  }

  subscribe(listener: (step: ChartStep) => void, onCall?: (call: ModelCall) => void): () => void {
    (this.#listeners ??= new Set()).add(listener);
    if (onCall) (this.#callListeners ??= new Set()).add(onCall);
    return () => {
      this.#listeners?.delete(listener);
      if (onCall) this.#callListeners?.delete(onCall);
    };
  }

  /** True if somebody listens to steps. */
  get hasListeners(): boolean {
    return this.#listeners !== undefined && this.#listeners.size > 0;
  }

  /** True if somebody listens to model calls. */
  get hasCallListeners(): boolean {
    return this.#callListeners !== undefined && this.#callListeners.size > 0;
  }

  publishCall(call: ModelCall): void {
    for (const listener of this.#callListeners ?? []) guarded(() => listener(call));
  }

  publish(step: ChartStep): void {
    for (const listener of this.#listeners ?? []) guarded(() => listener(step));
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
