import type { AgentError } from "../base/error.ts";
import type { StepFacts } from "../../machines/agent/step-facts.ts";
import type { AgentContext } from "../../machines/agent/context.ts";
import type { Agent } from "./types.ts";
import type { AgentConfig } from "./agent-config.ts";
import { KeyedCalls } from "./keyed-calls.ts";
import { Runtime } from "./runtime.ts";
import type { KeptParts, RuntimeListener, Surroundings } from "./runtime-parts.ts";
import { TakenInputs } from "./taken-inputs.ts";
import { Turns } from "./turns.ts";
import { Watches } from "./watches.ts";

/** Who has the session. */
export type SessionOwner = {
  /** Called when a turn has come to rest. */
  rested(): void;
};

/** What an agent has of its session from its creation, or from its revival, until it is closed or passivated. */
export class LiveSession implements RuntimeListener {
  readonly runtime: Runtime;
  readonly turns: Turns;
  readonly keyed: KeyedCalls;
  readonly around: Surroundings;
  readonly #owner: SessionOwner;
  /** Most sessions have no inspectors. */
  #watches: Watches | undefined;

  constructor(config: AgentConfig<never>, kept: KeptParts, around: Surroundings, owner: SessionOwner) {
    const inputs = new TakenInputs();
    this.around = around;
    this.#owner = owner;
    this.turns = new Turns(this, config, inputs);
    this.runtime = new Runtime(config, this, kept);
    this.keyed = new KeyedCalls(this.runtime, this.turns, inputs, config.store);
  }

  onCall(): void {
    this.turns.begun();
  }

  onSettled(context: AgentContext, step: StepFacts): void {
    this.turns.settled(context, step);
    this.#owner.rested();
  }

  onCommitted(): void {
    this.#watches?.committed();
  }

  onStopped(error: AgentError): void {
    this.turns.stopped(error);
  }

  /** Lets inspectors watch the agent. */
  watch(agent: Agent<never>, config: AgentConfig<never>): void {
    if (config.inspect === undefined) return;
    this.#watches = new Watches(agent, config, () => this.runtime.journal.seq);
  }

  /** Settles when all inspectors are loaded; undefined if there is nothing to wait for. */
  get loading(): Promise<void> | undefined {
    return this.#watches?.loading;
  }

  /** Resolves when the inspectors have sent all that happened. */
  async reported(): Promise<void> {
    await this.#watches?.flushed();
  }
}
