// Processes that connect to the hub, and that are lost.
import { once } from "node:events";
import type { StartedHub } from "agentchart/inspect";
import { memoryStore } from "agentchart/store/memory";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import type { RunRow, WorkerToHub } from "../../../src/inspect/protocol/protocol.ts";
import { ask, HubPage, testHome, testHub } from "../../support/hub-page.ts";

type TestWorker = {
  readonly socket: WebSocket;
  readonly drive: (...runs: readonly string[]) => void;
  readonly release: (runId: string) => void;
};

/** Connects as a process that runs agents. */
async function join({ url, workerUrl }: StartedHub, id: string, pid: number): Promise<TestWorker> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/worker`);
  onTestFinished(() => socket.terminate());
  await once(socket, "open");
  const say = (message: WorkerToHub): void => socket.send(JSON.stringify(message));
  const token = workerUrl.split("#w=")[1]!;
  say({ type: "hello", token, proto: 1, worker: id, pid, charts: [] });
  await once(socket, "message");
  const report = (runId: string, worker: object): void =>
    say({ type: "run", row: { ...ROW, runId, ...worker }, pending: [] });
  return {
    socket,
    drive: (...runs) => {
      for (const runId of runs) report(runId, { worker: { id, pid, isUp: true, since: 1 } });
    },
    release: (runId) => report(runId, {}),
  };
}

const ROW: Omit<RunRow, "runId"> = {
  agent: "bot",
  chart: "none",
  source: "live",
  phase: "running",
  waitsFor: [],
  state: "reasoning",
  startedAt: 1,
  updatedAt: 1,
  steps: 0,
  usage: {},
  pending: 0,
  can: [],
};

const listed = ({ workers }: HubPage): string[] | undefined =>
  workers?.rows.map(({ pid, isUp, runs }) => `${pid} ${isUp ? "up" : "lost"} ${runs}`);

test("pages are informed when processes connect, drive runs, disconnect and reconnect", async () => {
  const hub = await testHub({ home: testHome() });
  const early = await HubPage.open(hub);
  await expect.poll(() => early.workers).toMatchObject({ rows: [], up: 0, total: 0 });
  const first = await join(hub, "one", 11);
  const second = await join(hub, "two", 22);
  first.drive("a", "b");
  second.drive("c");
  await expect.poll(() => listed(early)).toEqual(["22 up 1", "11 up 2"]);
  first.release("b");
  await expect.poll(() => listed(early)).toEqual(["22 up 1", "11 up 1"]);
  second.socket.terminate();
  await expect.poll(() => listed(early)).toEqual(["11 up 1", "22 lost 1"]);
  const late = await HubPage.open(hub);
  await expect.poll(() => late.workers).toEqual(early.workers);
  expect(late.workers).toMatchObject({ up: 1, total: 2 });
  const again = await join(hub, "two", 22);
  again.drive("c");
  await expect
    .poll(() => [listed(early), listed(late)])
    .toEqual([
      ["22 up 1", "11 up 1"],
      ["22 up 1", "11 up 1"],
    ]);
});

test("a process that has reconnected is not lost when its former connection closes", async () => {
  const hub = await testHub({ home: testHome() });
  const page = await HubPage.open(hub);
  const before = await join(hub, "one", 11);
  await join(hub, "one", 12);
  before.socket.terminate();
  const other = await join(hub, "two", 22);
  await expect.poll(() => listed(page)).toEqual(["22 up 0", "12 up 0"]);
  other.socket.terminate();
  await expect.poll(() => listed(page)).toEqual(["12 up 0", "22 lost 0"]);
});

test("a lost process has the time of its last message", async () => {
  const hub = await testHub({ home: testHome() });
  const page = await HubPage.open(hub);
  const before = Date.now();
  const one = await join(hub, "one", 11);
  await expect.poll(() => listed(page)).toEqual(["11 up 0"]);
  const up = page.workers!.rows[0]!.since;
  one.drive("a");
  await expect.poll(() => listed(page)).toEqual(["11 up 1"]);
  const heard = Date.now();
  one.socket.terminate();
  await expect.poll(() => listed(page)).toEqual(["11 lost 1"]);
  const { since } = page.workers!.rows[0]!;
  expect(up).toBeGreaterThanOrEqual(before);
  expect(since).toBeGreaterThanOrEqual(up);
  expect(since).toBeLessThanOrEqual(heard);
});

test("pages get at most 100 processes, connected ones first", async () => {
  const hub = await testHub({ home: testHome() });
  const page = await HubPage.open(hub);
  const all = await Promise.all(Array.from({ length: 130 }, (_, index) => join(hub, `w${index}`, index)));
  const lost = all.slice(0, 40);
  for (const { socket } of lost) socket.terminate();
  await expect.poll(() => page.workers).toMatchObject({ up: 90, total: 130 });
  expect(page.workers!.rows.map(({ isUp }) => isUp)).toEqual(
    Array.from({ length: 100 }, (_, index) => index < 90),
  );
});

test("the list of runs of one process contains no stored runs", async () => {
  const store = memoryStore();
  const lease = (await store.acquire("stored", { owner: "t", ttlMs: 60_000 }))!;
  await store.append("stored", {
    expectedSeq: 0,
    fence: lease.fence,
    entries: [{ seq: 1, at: 1, type: "session", data: { format: 1 } }],
    position: { phase: "stopped", meta: { agent: "old" } },
  });
  const hub = await testHub({ home: testHome(), store });
  const list = async (query: string): Promise<{ readonly ids: string[]; readonly total: number }> => {
    const page = (await (await ask(hub, `/api/runs?${query}`)).json()) as {
      readonly rows: readonly RunRow[];
      readonly total: number;
    };
    return { ids: page.rows.map(({ runId }) => runId).toSorted(), total: page.total };
  };
  const [one, two] = await Promise.all([join(hub, "one", 11), join(hub, "two", 22)]);
  one.drive("a", "b");
  two.drive("c");
  await expect.poll(() => list("")).toEqual({ ids: ["a", "b", "c", "stored"], total: 4 });
  expect(await list("worker=one")).toEqual({ ids: ["a", "b"], total: 2 });
  expect(await list("worker=two&group=running")).toEqual({ ids: ["c"], total: 1 });
  expect(await list("worker=two&group=finished")).toEqual({ ids: [], total: 0 });
  expect(await list("worker=three")).toEqual({ ids: [], total: 0 });
  two.socket.terminate();
  await expect.poll(() => list("worker=two")).toEqual({ ids: ["c"], total: 1 });
});
