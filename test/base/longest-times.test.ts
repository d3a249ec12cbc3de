// A time that is longer than any timer of Node is as good as for ever: no timer fires at once because of it.
import { expect, onTestFinished, test } from "vitest";
import { memoryStore } from "agentchart/store/memory";
import { createDispatcher, createWorker, inProcessQueue } from "agentchart/worker";
import { InFlight } from "../../src/kit/mcp/in-flight.ts";
import { folderWorkspace } from "../../src/kit/workspace/folder-workspace.ts";
import { eventStream } from "../../src/server/event-stream.ts";
import { pollEvery } from "../../src/store/watch-seq.ts";
import { scratch } from "../store/scratch.ts";
import { echoModel } from "../worker/kit.ts";

const LONG = 1e12;

/** What Node warns of while a test runs. */
function warnings(): readonly string[] {
  const found: string[] = [];
  const note = ({ name, message }: Error): void => void found.push(`${name}: ${message}`);
  process.on("warning", note);
  onTestFinished(() => void process.off("warning", note));
  return found;
}

const soon = (ms = 20): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test("of a worker", async () => {
  const found = warnings();
  const [store, queue] = [memoryStore(), inProcessQueue()];
  const worker = createWorker({
    ...{ store, queue, leaseMs: LONG, pollMs: LONG, sweepMs: LONG, retryMs: LONG, storeTimeoutMs: LONG },
    limits: { "*": { concurrency: 1, rate: { max: 5, perMs: LONG } } },
    agents: { echo: () => ({ name: "echo", model: echoModel }) },
  });
  await worker.start();
  await createDispatcher({ store, queue }).dispatch("s", "Hi.", { agent: "echo" });
  await expect.poll(() => worker.stats().turns).toBe(1);
  await worker.close();
  await queue.close();
  await soon();
  expect(found).toEqual([]);
});

test("of a call of an MCP server, a command, a poll and a heartbeat", async () => {
  const found = warnings();
  const answered = new InFlight(
    (signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error("aborted")));
        setTimeout(resolve, 20, { content: [] });
      }),
    new Promise<never>(() => {}),
  );
  expect(await answered.next({ signal: new AbortController().signal, timeoutMs: LONG })).toMatchObject({
    result: { content: [] },
  });
  const { dir, remove } = scratch();
  const workspace = await folderWorkspace({ root: dir, sandbox: "none" });
  const events = [];
  for await (const event of workspace.exec!("sleep 0.02; echo done", { timeoutMs: LONG })) events.push(event);
  expect(events.at(-1)).toMatchObject({ type: "exit", exitCode: 0 });
  await workspace.close();
  remove();
  let polls = 0;
  const stop = pollEvery(LONG)(() => void polls++);
  const body = eventStream(async function* () {}, { heartbeatMs: LONG });
  await soon();
  stop();
  await body.cancel();
  expect(polls).toBe(0);
  expect(found).toEqual([]);
});
