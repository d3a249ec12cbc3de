// The observer for pages in a browser: what it reports, what a reload keeps, and what its token lets it do.
import { inspector as inspectorOfPage } from "agentchart/inspect/browser";
import { inspector } from "agentchart/inspect";
import { createActor, createMachine } from "xstate";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket as Socket } from "ws";
import { PROTOCOL, type RunRow, type WorkerToHub } from "../../../src/inspect/protocol/protocol.ts";
import { ask, HubPage, testHome, testHub } from "../../support/hub-page.ts";

const light = createMachine({
  id: "light",
  initial: "green",
  context: { apiKey: "sk-123456", count: 1 },
  states: { green: { on: { next: "red" } }, red: { on: { next: "green" } } },
});

async function page() {
  const hub = await testHub({ home: testHome() });
  const made = (hot?: { dispose(callback: () => void): void }, url = hub.browserUrl) => {
    const observer = inspectorOfPage({ url, retryMs: [10, 50], hot });
    onTestFinished(() => observer.close());
    return observer;
  };
  const rows = async (): Promise<readonly RunRow[]> =>
    ((await (await ask(hub, "/api/runs")).json()) as { readonly rows: readonly RunRow[] }).rows;
  return { hub, made, rows };
}

test("the actors of a page are shown as those of a process, without commands, and as lost when it is left", async () => {
  const { hub, made, rows } = await page();
  const observer = made();
  const actor = createActor(light, { inspect: observer }).start();
  actor.send({ type: "next" });
  await expect.poll(async () => (await rows())[0]?.steps).toBe(2);
  const [row] = await rows();
  expect(row).toMatchObject({
    agent: "light",
    state: "red",
    phase: "running",
    can: [],
    worker: { isUp: true },
  });
  const steps = await (await ask(hub, `/api/runs/${row!.runId}/steps`)).text();
  expect(steps).toContain("light.green|next|0");
  expect(steps).not.toContain("sk-123456");
  const shown = await HubPage.open(hub);
  expect(await shown.command(row!.runId, { type: "interrupt" })).toMatchObject({ ok: false });
  await observer.close();
  await expect.poll(async () => (await rows())[0]?.worker?.isUp).toBe(false);
});

test("a module that is loaded again goes on with other runs, and its former ones are kept as ended", async () => {
  const { made, rows } = await page();
  let dispose = (): void => {};
  const load = () => {
    const actor = createActor(light, { inspect: made({ dispose: (callback) => void (dispose = callback) }) });
    return actor.start();
  };
  const former = load();
  former.send({ type: "next" });
  await expect.poll(async () => (await rows()).map(({ steps }) => steps)).toEqual([2]);
  dispose();
  const next = load();
  former.send({ type: "next" }); // nobody has stopped it
  next.send({ type: "next" });
  next.send({ type: "next" });
  const told = async () =>
    (await rows()).map(({ steps, phase, actor, notice = "", worker }) =>
      [steps, phase, actor?.status, worker ? "up" : "gone", notice.slice(0, 27)].join(" "),
    );
  await expect
    .poll(told)
    .toEqual(["3 running active up ", "2 stopped stopped gone Its module was loaded again"]);
});

test("the token of pages lets nobody report an agent, the run of another, or a process, and pages report nowhere else", async () => {
  const { hub, made, rows } = await page();
  const ours = inspector({ url: hub.workerUrl, retryMs: [10, 50] });
  onTestFinished(() => ours.close());
  createActor(light, { inspect: ours }).start();
  await expect.poll(async () => (await rows()).length).toBe(1);
  const [row] = await rows();
  const token = hub.browserUrl.split("#w=")[1]!;
  const closed = async (path: string, messages: readonly object[], given = token): Promise<number> => {
    const socket = new Socket(`${hub.url.replace("http", "ws")}${path}`, {
      ...(path === "/browser" && { origin: "http://localhost:5173" }),
    });
    onTestFinished(() => socket.terminate());
    const { promise, resolve } = Promise.withResolvers<number>();
    socket.on("close", resolve);
    socket.on("open", () => {
      for (const message of messages) socket.send(JSON.stringify({ token: given, ...message }));
    });
    return promise;
  };
  const hello = { type: "hello", proto: PROTOCOL, worker: "page-1", pid: 0, charts: [] };
  const run = (more: Partial<RunRow>): object =>
    ({
      type: "run",
      row: { ...row!, worker: { ...row!.worker!, id: "page-1" }, runId: "01234567.0", ...more },
      pending: [],
    }) satisfies WorkerToHub;
  expect(await closed("/browser", [hello], "wrong")).toBe(4401);
  expect(await closed("/browser", [hello], hub.workerUrl.split("#w=")[1])).toBe(4401);
  expect(await closed("/worker", [hello])).toBe(4401);
  expect(await closed("/browser", [{ ...hello, worker: "1" }])).toBe(4400);
  for (const more of [
    { actor: undefined },
    { runId: row!.runId },
    { runId: "session" },
    { can: ["decide"] },
    { worker: row!.worker! },
  ] as readonly Partial<RunRow>[])
    expect(await closed("/browser", [hello, run(more)]), JSON.stringify(more)).toBe(4400);
  const chart = { id: "x", nodes: [], edges: [] };
  expect(await closed("/browser", [hello, { type: "chart", hash: row!.chart, chart }])).toBe(4400);
  expect(await closed("/browser", [hello, { type: "ack", ack: { id: "x", ok: true } }])).toBe(4400);
  expect((await rows()).map(({ runId }) => runId)).toEqual([row!.runId]);
  expect(() => made(undefined, "ftp://x")).toThrow(expect.objectContaining({ code: "config/invalid" }));
});
