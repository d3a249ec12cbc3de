import { memoryStore } from "../../store/memory.ts";
import { createDispatcher } from "../../worker/dispatcher.ts";
import { inProcessQueue } from "../../worker/queue/in-process.ts";
import { createWorker } from "../../worker/worker.ts";
import type { AnyAgentConfig } from "../../worker/types.ts";

/** Makes an agent that answers with a dot. */
const dot = (): AnyAgentConfig => ({
  name: "dot",
  model: {
    name: "dot",
    async *stream() {
      yield { type: "text.delta", delta: "." };
      yield { type: "finish", reason: "stop" };
    },
  },
});

/** Drives a turn of a session in memory: the first message to the agents of a file then does not wait for code that is loaded and
 *  compiled when it first runs. */
export async function warmUp(): Promise<void> {
  const backend = { store: memoryStore(), queue: inProcessQueue() };
  const worker = createWorker({ ...backend, agents: { dot } });
  await worker.start();
  const dispatcher = createDispatcher(backend);
  const ended = (async () => {
    for await (const { type } of dispatcher.subscribe("dot")) if (type === "turn.end") return;
  })();
  await dispatcher.dispatch("dot", ".", { agent: "dot" });
  await ended;
  await worker.close();
  await backend.queue.close();
}
