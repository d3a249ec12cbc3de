// The bounds of what a page is sent, however slowly it reads and however much it watches.
import { EventEmitter } from "node:events";
import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import type { WebSocket } from "ws";
import type { Hub } from "../../../src/inspect/hub/hub.ts";
import type { OpenRun } from "../../../src/inspect/hub/open-run.ts";
import { PageSocket } from "../../../src/inspect/hub/page-socket.ts";
import { RunLog } from "../../../src/inspect/hub/run-log.ts";
import { PROTOCOL, type HubToPage, type StreamDelta } from "../../../src/inspect/protocol/protocol.ts";

const FULL = 1_000_001;

/** A socket whose buffer is as full as a test says. */
class Socket extends EventEmitter {
  readonly OPEN = 1;
  readonly readyState = 1;
  bufferedAmount = 0;
  /** What each message adds to the buffer. */
  perMessage = 0;
  sent: HubToPage[] = [];
  send(text: string): void {
    this.sent.push(JSON.parse(text) as HubToPage);
    this.bufferedAmount += this.perMessage;
  }
  close(): void {}
  ping(): void {}
}

function runOf(runId: string, steps: number): OpenRun {
  const log = new RunLog(runId);
  log.stateOf(["m"]);
  const run = { log, pending: [], exceeded: "", row: { runId, chart: runId, phase: "stopped", pending: 0 } };
  grow(run as never, steps);
  return run as unknown as OpenRun;
}

function grow({ log }: OpenRun, to: number): void {
  for (let q = log.last + 1; q <= to; q++) log.add({ q, t: q, m: q, e: "", x: [], s: 0 });
}

/** A page that was welcomed and watches runs of so many steps. */
async function watching(runs: { readonly [runId: string]: number }) {
  const open = new Map(Object.entries(runs).map(([runId, steps]) => [runId, runOf(runId, steps)]));
  const hub = {
    version: "1",
    isReadonly: false,
    charts: { get: async (hash: string) => ({ type: "chart", hash, chart: {} }) },
    runs: {
      list: async () => ({ rows: [], total: 0 }),
      open: async (runId: string) => open.get(runId),
      rowOf: ({ row }: OpenRun) => row,
    },
    live: { streamed: () => [] },
    watchRun: () => {},
    updateSoon: () => {},
    workersMessage: () => ({ type: "workers", workers: [] }),
  } as unknown as Hub;
  const socket = new Socket();
  const page = new PageSocket(socket as unknown as WebSocket, hub, () => undefined);
  onTestFinished(() => void socket.emit("close"));
  const say = async (message: object): Promise<void> => {
    socket.emit("message", JSON.stringify(message));
    await setImmediate();
  };
  await say({ type: "hello", proto: PROTOCOL });
  for (const runId of open.keys()) await say({ type: "sub", runId, after: 0 });
  const taken = <T extends HubToPage["type"]>(type: T) => {
    const found = socket.sent.filter((message) => message.type === type);
    socket.sent = [];
    return found as Extract<HubToPage, { type: T }>[];
  };
  return {
    socket,
    page,
    say,
    taken,
    update: () => page.sendUpdates((runId) => open.get(runId)),
    run: open.get("r")!,
  };
}

const numbersOf = (
  pages: readonly { readonly items: readonly { readonly q: number }[] }[],
): readonly number[] => pages.flatMap(({ items }) => items.map(({ q }) => q));

test("a page gets the newest 500 steps first, at most 250 in a message", async () => {
  const pages = (await watching({ r: 600 })).taken("steps");
  expect(pages.map(({ items }) => items.length)).toEqual([250, 250]);
  expect(numbersOf(pages)[0]).toBe(101);
});

test("while a page is full, steps and rows wait and streamed text is dropped", async () => {
  const { socket, page, update, taken, run } = await watching({ r: 1 });
  taken("steps");
  grow(run, 3);
  page.changed("r");
  page.changed("r", [{ runId: "r", delta: "x" } as StreamDelta]);
  socket.bufferedAmount = FULL;
  expect([update(), socket.sent]).toEqual([false, []]);
  socket.bufferedAmount = 0;
  expect(update()).toBe(true);
  expect(socket.sent.map(({ type }) => type)).toEqual(["runs", "steps"]);
  expect(numbersOf(taken("steps"))).toEqual([2, 3]);
});

test("a page that fills up gets the rest of the steps later", async () => {
  const { socket, update, taken, run } = await watching({ r: 1 });
  taken("steps");
  grow(run, 1_501);
  socket.perMessage = FULL / 2;
  expect(update()).toBe(false);
  expect(numbersOf(taken("steps")).at(-1)).toBe(501);
  socket.perMessage = socket.bufferedAmount = 0;
  expect(update()).toBe(true);
  expect(numbersOf(taken("steps")).at(-1)).toBe(1_501);
});

test.each([
  [2_001, 0],
  [2_002, 1],
])("of a page that lags behind by %i steps from the first, %i gap is told", async (to, gaps) => {
  const { update, run, socket } = await watching({ r: 1 });
  grow(run, to);
  expect(update()).toBe(true);
  expect(socket.sent.filter(({ type }) => type === "gap")).toHaveLength(gaps);
});

test("charts and rows are remembered of the newest 1,000 runs", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const names = Array.from({ length: 1_001 }, (_, at) => `r${at}`);
  const { say, taken, page, update } = await watching(Object.fromEntries(names.map((name) => [name, 1])));
  taken("chart");
  for (const [runId, count] of [
    ["r1000", 0],
    ["r0", 1],
  ] as const) {
    await say({ type: "sub", runId, after: 0 });
    expect(taken("chart")).toHaveLength(count);
  }
  for (const name of names) page.changed(name);
  update();
  taken("runs");
  for (const [runId, count] of [
    ["r1000", 0],
    ["r0", 1],
  ] as const) {
    page.changed(runId); // a row that is as it was is not due yet, but that of a forgotten run is
    update();
    expect(taken("runs")).toHaveLength(count);
  }
});
