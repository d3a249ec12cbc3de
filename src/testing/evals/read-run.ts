import { agentChart } from "../../agent/agent-chart.ts";
import { AgentError } from "../../core/base/error.ts";
import { RunSuspicions } from "../../inspect/hub/run-suspicions.ts";
import { StoreRuns } from "../../inspect/hub/store-runs.ts";
import { FactReader } from "../../inspect/suspicions/fact-reader.ts";
import type { SessionStore } from "../../store/port.ts";
import type { EvalRun, EvalStep } from "./types.ts";

const STEPS_PER_PAGE = 1_000;

/** Reads what judges ask of runs from their store. */
export class RunReader {
  readonly #runs: StoreRuns;
  readonly #suspicions = new RunSuspicions();
  readonly #root: string;

  constructor(store: SessionStore) {
    this.#root = `${agentChart().chart.id}.`;
    this.#runs = new StoreRuns(store);
  }

  /** Reads a run. Rejects `session/not-found` for a session without steps. `suspicions`: false leaves them out, which take as long again. */
  async read(
    sessionId: string,
    { suspicions = true }: { readonly suspicions?: boolean } = {},
  ): Promise<Pick<EvalRun, "facts" | "steps" | "suspicions">> {
    const log = await this.#runs.logOf(sessionId);
    if (!log) throw new AgentError("session/not-found", `There is no session '${sessionId}'.`);
    const reader = new FactReader(log.contextAt(log.first - 1), log.first - 1);
    const steps: EvalStep[] = [];
    for (let from = log.first; from <= log.last; from += STEPS_PER_PAGE)
      for (const step of log.page(from, from + STEPS_PER_PAGE - 1).items) {
        reader.add(step);
        const active = log.states[step.s] ?? [];
        const states = active.flatMap((id) =>
          id.startsWith(this.#root) ? [id.slice(this.#root.length)] : [],
        );
        steps.push({ step: step.q, states, edges: step.x, seq: step.j ?? 0 });
      }
    return { facts: reader.facts, steps, suspicions: suspicions ? this.#suspicions.of(log) : [] };
  }
}
