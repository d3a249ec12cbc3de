import type { ChatModel, ModelRequest } from "../../src/core/model/port.ts";
import type { Agent } from "../../src/agent/types.ts";
import type { AgentConfig } from "../../src/agent/options/agent-config.ts";
import type { SessionStore } from "../../src/store/port.ts";
import { WatchedRun } from "../../src/inspect/client/watched-run.ts";
import { JournalRun } from "../../src/inspect/hub/journal-run.ts";
import { RunLog } from "../../src/inspect/hub/run-log.ts";
import { agentChart } from "../../machines/agent/known-chart.ts";
import { callIn, promptLens, type PromptLens } from "../../src/inspect/protocol/prompt-lens.ts";
import { keptSteps } from "../inspect/client/kept-steps.ts";

/** A model that notes its requests as they come in. */
export function noting(model: ChatModel): { readonly model: ChatModel; readonly sent: readonly string[] } {
  const sent: string[] = [];
  return {
    sent,
    model: {
      ...model,
      stream(request, options) {
        sent.push(textOfRequest(request));
        return model.stream(request, options);
      },
    },
  };
}

/** A request as JSON, without what is not sent. */
export function textOfRequest({ execution: _, ...request }: ModelRequest): string {
  return JSON.stringify(request);
}

type Recorded = { readonly log: RunLog; readonly blob: (sha: string) => string | undefined };

/** The calls that steps have recorded, one lens each. */
export function lensesOf({ log, blob }: Recorded): readonly PromptLens[] {
  const lenses = new Map<string, PromptLens>();
  for (let at = log.first; at <= log.last; at++) {
    const call = callIn(log.contextAt(at));
    if (call && !lenses.has(call.id)) lenses.set(call.id, promptLens(call, log.contextAt(call.step)!, blob));
  }
  return [...lenses.values()];
}

/** Observes an agent as the inspector does. */
export function watched(agent: Agent, config?: AgentConfig): () => Recorded {
  const run = new WatchedRun(agent.sessionId, () => {});
  run.attach(agent, config);
  return () => {
    run.write();
    const log = new RunLog(agent.sessionId);
    for (const ids of run.history.states) log.stateOf(ids);
    for (const step of keptSteps(run.history)) log.add(step);
    const blobs = new Map([...run.history.blobs]);
    return { log, blob: (sha) => blobs.get(sha) };
  };
}

/** Reads a stored session as the inspector does. */
export async function stored(store: SessionStore, sessionId: string): Promise<Recorded> {
  const run = new JournalRun(sessionId, agentChart().chart);
  for await (const entry of store.read(sessionId)) run.add(entry);
  run.settle();
  return run.opened({ source: "store" });
}
