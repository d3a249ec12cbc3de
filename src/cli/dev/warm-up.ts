import { randomUUID } from "node:crypto";
import { memoryStore } from "../../store/memory.ts";
import { createDispatcher } from "../../worker/dispatcher.ts";
import { inProcessQueue } from "../../worker/queue/in-process.ts";
import { createWorker } from "../../worker/worker.ts";
import type { AnyWorkerAgentConfig } from "../../worker/types.ts";
import type { HttpApp } from "../../server/options.ts";

/** The number of times that a server is asked before it is warm. */
const TIMES = 3;

/** Makes an agent that answers with a dot. */
const dot = (): AnyWorkerAgentConfig => ({
  name: "dot",
  model: {
    name: "dot",
    async *stream() {
      yield { type: "text.delta", delta: "." };
      yield { type: "finish", reason: "stop" };
    },
  },
});

/** Sends a server what a page sends it first, for a session that does not exist: it is refused. The first message of a page then does not
 *  wait for routes, checks and statements of the store that are made when they are first used. */
export async function warmUpServer({ fetch }: HttpApp, token: string): Promise<void> {
  const id = `warm-up-${randomUUID()}`;
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const send = async (path: string, body?: object): Promise<void> => {
    const init = body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers };
    await (await fetch(new Request(`http://127.0.0.1/v1/sessions/${id}${path}`, init))).text();
  };
  for (let time = 0; time < TIMES; time++) {
    await send("/messages", { input: "." }); // there is none, and no agent is named that would begin it
    await send("/events");
    await send("");
  }
}

/** Drives a turn of a session in memory. The first message to the agents of a file then does not wait for code that is loaded and compiled
 *  when it first runs. */
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
