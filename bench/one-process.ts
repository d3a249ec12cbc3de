import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ChatModel } from "agentchart";
import { sqliteStore } from "agentchart/store/sqlite";
import { createDispatcher, createWorker, inProcessQueue } from "agentchart/worker";

const TURNS = 60;

/** Begins its answer at once, and ends it 0.1 s later. */
const model: ChatModel = {
  name: "prompt",
  async *stream() {
    yield { type: "text.delta", delta: "Here." };
    await sleep(100);
    yield { type: "finish", reason: "stop" };
  },
};

/** From a dispatch to the first delta of the answer at a subscriber, ms, one turn at a time: worker, dispatcher and subscriber in this
 *  process, with a queue in memory and SQLite in a file. */
export async function oneProcess(): Promise<readonly number[]> {
  const folder = mkdtempSync(join(tmpdir(), "agentchart-bench-"));
  const backend = { store: sqliteStore({ path: join(folder, "sessions.db") }), queue: inProcessQueue() };
  const worker = createWorker({ ...backend, agents: { prompt: () => ({ name: "prompt", model }) } });
  await worker.start();
  const dispatcher = createDispatcher(backend);
  const delays: number[] = [];
  const stop = new AbortController();
  let sentAt = 0;
  let ended = (): void => {};
  const reading = (async () => {
    for await (const { type } of dispatcher.subscribe("s", { signal: stop.signal })) {
      if (type === "block.delta") delays.push(performance.now() - sentAt);
      if (type === "turn.end") ended();
    }
  })();
  for (let turn = 0; turn < TURNS; turn++) {
    const { promise, resolve } = Promise.withResolvers<void>();
    ended = resolve;
    sentAt = performance.now();
    await dispatcher.dispatch("s", "go", { agent: "prompt" });
    await promise;
  }
  stop.abort();
  await reading;
  await worker.close();
  await backend.queue.close();
  await backend.store.close();
  rmSync(folder, { recursive: true, force: true });
  return delays.slice(5);
}
