// The bounds of what a process sends to a hub, waits for and remembers.
import { setImmediate } from "node:timers/promises";
import { createAgent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { History } from "../../../src/inspect/client/history.ts";
import type { ReportedRun } from "../../../src/inspect/client/reported-run.ts";
import { Reporter } from "../../../src/inspect/client/reporter.ts";
import { textOf } from "../../../src/inspect/client/run-sender.ts";
import { WatchedRun } from "../../../src/inspect/client/watched-run.ts";
import { PROTOCOL, type HubToWorker, type WorkerToHub } from "../../../src/inspect/protocol/protocol.ts";
import { toolOf } from "../../support/agents.ts";

const WORKER = { id: "w", pid: 1, isUp: true, since: 0 } as unknown as Parameters<ReportedRun["report"]>[0];

/** A run with steps of 100 KB, and with streamed text each time. */
function runOf(runId: string, steps = 0): ReportedRun {
  const history = new History();
  history.stateOf(["m"]);
  for (let q = 1; q <= steps; q++) history.push(JSON.stringify({ q, e: "x".repeat(100_000), x: [], s: 0 }));
  return {
    runId,
    history,
    chart: { hash: runId, chart: {} as never },
    hasEnded: false,
    write: () => {},
    report: () => ({ row: { runId } as never, pending: [] }),
    drain: () => ({ items: [{ delta: "y" } as never], dropped: 0 }),
  };
}

/** A reporter whose hub has welcomed it, and whose socket fills as a test says. */
async function connected() {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  let sent: WorkerToHub[] = [];
  const socket = { bufferedBytes: 0, isFilling: false, drained: () => new Promise<void>(() => {}) };
  const reporter = new Reporter({
    worker: WORKER,
    find: async () => ({ url: "http://x", token: "t" }) as never,
    open: (_, events) => {
      void setImmediate().then(() => {
        events.opened();
        const welcome = { type: "welcome", proto: PROTOCOL, have: {} } as unknown as HubToWorker;
        events.message(JSON.stringify(welcome));
      });
      return Object.assign(socket, {
        send: (parts: Parameters<typeof textOf>[0]) => {
          const text = textOf(parts);
          sent.push(JSON.parse(text) as WorkerToHub);
          if (socket.isFilling) socket.bufferedBytes += text.length;
        },
        terminate: () => {},
      });
    },
    retryMs: [10, 50],
    beforeUpdate: () => {},
    onCommand: () => {},
  });
  onTestFinished(() => reporter.close());
  for (let turns = 0; turns < 4; turns++) await setImmediate();
  const taken = <T extends WorkerToHub["type"]>(type: T) => {
    const found = sent.filter((message) => message.type === type);
    sent = [];
    return found as Extract<WorkerToHub, { type: T }>[];
  };
  return { reporter, socket, taken };
}

const countOf = (pages: readonly { readonly items: readonly unknown[] }[]): number =>
  pages.reduce((sum, { items }) => sum + items.length, 0);

test("steps are sent while less than 1 MB is buffered, and the rest of them later", async () => {
  const { reporter, socket, taken } = await connected();
  socket.isFilling = true;
  reporter.add(runOf("r", 40));
  reporter.update();
  const pages = taken("steps");
  expect(countOf(pages)).toBeGreaterThan(8);
  expect(countOf(pages)).toBeLessThan(14);
  await vi.advanceTimersByTimeAsync(100);
  expect(taken("steps")).toEqual([]);
  Object.assign(socket, { bufferedBytes: 0, isFilling: false });
  await vi.advanceTimersByTimeAsync(100);
  expect(countOf(pages) + countOf(taken("steps"))).toBe(40);
});

test("streamed text is dropped while 1 MB is buffered", async () => {
  const { reporter, socket, taken } = await connected();
  reporter.add(runOf("r"));
  for (const [bufferedBytes, count] of [
    [1_000_000, 0],
    [999_999, 1],
  ] as const) {
    socket.bufferedBytes = bufferedBytes;
    reporter.changed("r");
    reporter.update();
    expect(taken("stream")).toHaveLength(count);
  }
});

test("a hub that reads nothing is waited for 1 s", async () => {
  const { reporter } = await connected();
  let isFlushed = false;
  void reporter.flush().then(() => (isFlushed = true));
  await vi.advanceTimersByTimeAsync(999);
  expect(isFlushed).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(isFlushed).toBe(true);
});

test("charts are remembered of no more runs than there are", async () => {
  const { reporter, taken } = await connected();
  const charts = (runId: string): number => {
    reporter.add(runOf(runId));
    reporter.update();
    return taken("chart").length;
  };
  expect([charts("a"), charts("b"), charts("a")]).toEqual([1, 1, 0]);
  reporter.drop("a");
  expect([charts("b"), charts("a")]).toEqual([1, 1]); // all were forgotten
});

test("of the calls that have waited for a person, the newest 1,000 are known", async () => {
  const calls = Array.from({ length: 1_001 }, (_, at) => ({ name: "pay", input: { at } }));
  const tool = toolOf("pay", () => "paid", { permission: "ask", input: { type: "object" } });
  const agent = createAgent({ name: "a", model: scriptedModel([{ calls }]), tools: [tool] });
  onTestFinished(() => agent.close());
  const run = new WatchedRun(agent.sessionId, () => {});
  run.attach(agent);
  await agent.call("go");
  expect(run.report(WORKER).pending).toHaveLength(1_001);
  expect(run.requestedCalls.size).toBe(1_000);
  expect(run.requestedCalls.has(agent.status().pending.at(-1)!.callId)).toBe(true);
});
