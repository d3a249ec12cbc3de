import { agentChart } from "../../../machines/agent/known-chart.ts";
import { AgentError } from "../../core/base/error.ts";
import type { RunLog } from "../../inspect/hub/run-log.ts";
import { newJournalRun, StoreRuns } from "../../inspect/hub/store-runs.ts";
import { SUSPICIONS } from "../../inspect/suspicions/checks.ts";
import { FactReader } from "../../inspect/suspicions/fact-reader.ts";
import { suspicionsIn } from "../../inspect/suspicions/suspicion.ts";
import type { SessionStore } from "../../store/port.ts";
import type { RecordedSession } from "../replay/recorded-session.ts";
import type { EvalRun, EvalStep } from "./types.ts";

/** The part of a run that its steps tell. */
export type ReadRun = Pick<EvalRun, "facts" | "steps" | "suspicions">;

/** `suspicions`: false leaves them out. */
type What = { readonly suspicions?: boolean };

/** Reads what judges ask of runs from their store. */
export class RunReader {
  readonly #runs: StoreRuns;

  constructor(store: SessionStore) {
    this.#runs = new StoreRuns(store);
  }

  /** Reads a run. Rejects `session/not-found` for a session without steps. */
  async read(sessionId: string, what?: What): Promise<ReadRun> {
    const log = await this.#runs.logOf(sessionId);
    if (!log) throw new AgentError("session/not-found", `There is no session '${sessionId}'.`);
    return readRun(log, what);
  }
}

/** Reads a run whose journal was read. */
export async function runOfJournal(
  { sessionId, entries }: Pick<RecordedSession, "sessionId" | "entries">,
  what?: What,
): Promise<ReadRun> {
  const run = await newJournalRun(sessionId);
  for (const entry of entries) run.push(entry);
  run.settle();
  return readRun(run.log, what);
}

function readRun(log: RunLog, { suspicions = true }: What = {}): ReadRun {
  const root = `${agentChart().chart.id}.`;
  const reader = new FactReader(log.contextAt(log.first - 1), log.first - 1);
  const steps: EvalStep[] = [];
  for (const step of log.steps()) {
    reader.add(step);
    const active = log.states[step.s] ?? [];
    const states = active.flatMap((id) => (id.startsWith(root) ? [id.slice(root.length)] : []));
    steps.push({ step: step.q, states, edges: step.x, seq: step.j ?? 0, before: step.b ?? 0 });
  }
  return { facts: reader.facts, steps, suspicions: suspicions ? suspicionsIn(reader.facts, SUSPICIONS) : [] };
}
