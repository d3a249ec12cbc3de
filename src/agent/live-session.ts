import type { Agent, AgentConfig } from "./types.ts";
import { KeyedCalls } from "./keyed-calls.ts";
import { Runtime, type KeptParts, type RuntimeListener } from "./runtime.ts";
import { TakenInputs } from "./taken-inputs.ts";
import { Turns } from "./turns.ts";
import { Watches } from "./watches.ts";

/** Where a session runs in this process: which actors, agents and workers are around it. */
export type Surroundings = Pick<RuntimeListener, "admit" | "path" | "parent">;

/** What an agent has of its session from its creation, or from its revival, until it is closed or passivated. */
export class LiveSession {
  readonly runtime: Runtime;
  readonly turns: Turns;
  readonly keyed: KeyedCalls;
  #watches: Watches | undefined;

  /** `onRest` is called when a turn has come to rest. */
  constructor(config: AgentConfig<never>, kept: KeptParts, around: Surroundings, onRest: () => void) {
    const inputs = new TakenInputs();
    this.turns = new Turns(() => this.runtime, config, inputs);
    this.runtime = new Runtime(
      config,
      {
        onCall: () => this.turns.begun(),
        onSettled: (context, before) => {
          this.turns.settled(context, before);
          onRest();
        },
        onCommitted: () => this.#watches?.committed(),
        onStopped: (error) => this.turns.stopped(error),
        ...around,
      },
      kept,
    );
    this.keyed = new KeyedCalls(this.runtime, this.turns, inputs, config.store);
  }

  /** Lets inspectors watch the agent. */
  watch(agent: Agent<never>, config: AgentConfig<never>): void {
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
