import { stepsOf, type ChartStep } from "../../agent/steps.ts";
import type { Agent } from "../../agent/types.ts";
import { guarded } from "../../core/base/guarded.ts";
import type { AgentEvent } from "../../core/event/types.ts";
import type { ModelCall } from "../../../machines/agent/model-call.ts";

/** The functions that are told what an agent does. What they throw has no effect. */
type AgentListener = {
  step(step: ChartStep): void;
  /** A request to a model, after the step that led to it. */
  call(call: ModelCall): void;
  event(event: AgentEvent): void;
  end(): void;
};

type Refused = Extract<AgentEvent, { readonly type: "input.refused" }>;

/** An agent that is heard from now on. What it does waits until there is a listener: the code that records agents is loaded with the first. */
export class HeardAgent {
  readonly agent: Agent;
  /** The place of the session when it was heard first. */
  readonly began: Pick<ChartStep, "state" | "context" | "at">;
  /** Hears the agent no more. */
  readonly stop: () => void;
  readonly #position: () => number;
  #listener: AgentListener | undefined;
  #waiting: { readonly at: number | undefined; readonly tell: (to: AgentListener) => void }[] = [];
  /** The position at which that happened which is told late. */
  #toldAt: number | undefined;

  /** Throws for what is not an agent. */
  constructor(agent: Agent, position: () => number = () => agent.status().seq) {
    const steps = stepsOf(agent);
    this.agent = agent;
    this.#position = position;
    this.began = { ...steps.current(), at: Date.now() };
    const refused = ({ at, inputId, error }: Refused): ChartStep => {
      const { code, message } = error;
      const event = { type: "input.refused", inputId, error };
      const account = { refused: { code, message } };
      return { ...steps.current(), at, event, account, edges: [], actions: [], facts: [] };
    };
    const ignore = steps.subscribe(
      (step) => this.#hear((to) => to.step(step)),
      (call) => this.#hear((to) => to.call(call)),
      () => {
        this.stop();
        this.#hear((to) => to.end());
      },
    );
    const unsubscribe = agent.subscribe(
      (event) => {
        if (event.source) return; // an inner agent is a run of its own
        if (event.type === "input.refused") {
          const step = guarded(() => refused(event));
          if (step) this.#hear((to) => to.step(step));
        } else this.#hear((to) => to.event(event));
      },
      { types: ["block.delta", "tool.delta", "turn.end", "input.refused"] },
    );
    this.stop = () => {
      ignore();
      unsubscribe();
    };
  }

  /** Returns the position of the journal at what the listener is told. */
  position(): number {
    return this.#toldAt ?? this.#position();
  }

  /** Tells a listener what has happened, and from now on what happens. */
  tell(listener: AgentListener): void {
    this.#listener = listener;
    for (const { at, tell } of this.#waiting.splice(0)) {
      this.#toldAt = at;
      guarded(() => tell(listener));
    }
    this.#toldAt = undefined;
  }

  #hear(tell: (to: AgentListener) => void): void {
    const listener = this.#listener;
    if (listener) guarded(() => tell(listener));
    else this.#waiting.push({ at: guarded(this.#position), tell });
  }
}
