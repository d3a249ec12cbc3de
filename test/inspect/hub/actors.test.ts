// Systems of actors in the hub, live and stored.
import { inspector } from "agentchart/inspect";
import { agentLogic } from "agentchart/team";
import { scriptedModel } from "agentchart/testing";
import { assign, createActor, fromPromise, fromTransition, setup, waitFor } from "xstate";
import { expect, onTestFinished, test } from "vitest";
import type { MessagePage } from "../../../src/inspect/hub/http-app.ts";
import type { RunRow } from "../../../src/inspect/protocol/protocol.ts";
import { ask, HubPage, testHome, testHub } from "../../support/hub-page.ts";

test.each(["inspector()", "inspector().inspect"])(
  "a machine with `inspect: %s` is a run, its agents are runs of agents below it, and the hub knows the events between them",
  async (how) => {
    const hub = await testHub({ home: testHome() });
    const made = inspector({ url: hub.workerUrl, retryMs: [10, 50] });
    onTestFinished(() => made.close());
    const machine = setup({
      actors: { researcher: agentLogic({ name: "researcher", model: scriptedModel(["Nothing new."]) }) },
    }).createMachine({
      id: "desk",
      initial: "researching",
      states: {
        researching: {
          invoke: { src: "researcher", id: "researcher", input: { message: "What is new?" }, onDone: "done" },
        },
        done: { type: "final" },
      },
    });
    const actor = createActor(machine, { inspect: how === "inspector()" ? made : made.inspect });
    actor.start();
    await waitFor(actor, ({ status }) => status === "done");
    const rows = async (): Promise<readonly RunRow[]> =>
      ((await (await ask(hub, "/api/runs")).json()) as { readonly rows: readonly RunRow[] }).rows;
    await expect
      .poll(async () => (await rows()).map(({ agent }) => agent).toSorted())
      .toEqual(["desk", "researcher", "researcher"]);
    await expect.poll(async () => (await rows()).every(({ phase }) => phase === "stopped")).toBe(true);
    const all = await rows();
    const desk = all.find(({ agent }) => agent === "desk")!;
    const logic = all.find(({ actor: info }) => info?.kind === "agent")!;
    const agent = all.find(({ actor: info }) => info === undefined)!;
    expect(desk.actor).toMatchObject({ kind: "machine", status: "done", system: desk.runId });
    expect(logic.parent).toEqual({ runId: desk.runId, callId: "researcher" });
    expect(agent).toMatchObject({
      reason: "MODEL_STOP",
      parent: { runId: logic.runId, callId: "researcher" },
    });
    const page = (await (await ask(hub, `/api/runs/${desk.runId}/messages`)).json()) as MessagePage;
    const told = page.messages.map(({ f, to, e }) => [f ?? "outside", to, e].join(" "));
    expect(told.at(0)).toBe(`outside ${desk.runId} xstate.init`);
    expect(told.at(-1)).toBe(`${logic.runId} ${desk.runId} xstate.done.actor.researcher`);
    const before = page.messages.at(-1)!.n;
    const earlier = (await (
      await ask(hub, `/api/runs/${desk.runId}/messages?before=${before}`)
    ).json()) as MessagePage;
    expect(earlier.messages.length).toBe(page.messages.length - 1);
    expect((await ask(hub, `/api/runs/${desk.runId}/messages?before=x`)).status).toBe(400);
  },
);

const till = setup({
  types: { context: {} as { paid: number } },
  actors: {
    sum: fromTransition((sum: number, event: { type: string }) => sum + (event.type === "add" ? 1 : 0), 0),
    never: fromPromise(() => new Promise<never>(() => {})),
  },
}).createMachine({
  id: "till",
  context: { paid: 0 },
  invoke: [
    { src: "sum", id: "sum" },
    { src: "never", id: "never" },
  ],
  initial: "open",
  states: {
    open: { on: { pay: { actions: assign({ paid: ({ context }) => context.paid + 1 }) }, close: "closed" } },
    closed: { on: { open: "open" } },
  },
});

test("a page sets the conditions at which an actor is paused, and nobody is held when the hub is gone", async () => {
  const hub = await testHub({ home: testHome() });
  const made = inspector({ url: hub.workerUrl, retryMs: [10, 50] });
  onTestFinished(() => made.close());
  const actor = createActor(till, { inspect: made.inspect }).start();
  onTestFinished(() => void actor.stop());
  const page = await HubPage.open(hub);
  await expect.poll(() => page.rows.size).toBe(3);
  const rowOf = (name: string): RunRow => [...page.rows.values()].find(({ agent }) => agent === name)!;
  const command = (name: string, body: object) => page.command(rowOf(name).runId, body);
  const paid = (): number => actor.getSnapshot().context.paid;

  const breaks = [{ event: "pay" }, { state: "cl*" }];
  expect(await command("till", { type: "breakAt", breaks })).toMatchObject({ ok: true });
  await expect.poll(() => rowOf("till").actor!.breaks).toEqual(breaks);
  actor.send({ type: "open" });
  actor.send({ type: "pay" });
  expect(paid()).toBe(0);
  await expect.poll(() => rowOf("till").notice).toMatch("Paused before pay: 1 event waits.");
  expect(rowOf("till").can).toEqual(["resume", "breakAt"]);
  expect(await command("till", { type: "resume" })).toMatchObject({ ok: true });
  expect(paid()).toBe(1);
  for (const type of ["close", "open", "pay"]) actor.send({ type });
  expect([actor.getSnapshot().value, paid()]).toEqual(["closed", 1]);
  await expect.poll(() => rowOf("till").notice).toMatch("Paused in closed: 2 events wait.");

  expect(await command("sum", { type: "breakAt", breaks: [{ event: "add" }] })).toMatchObject({ ok: true });
  const sum = actor.getSnapshot().children["sum"]!;
  sum.send({ type: "add" });
  expect(sum.getSnapshot()).toMatchObject({ context: 0 });
  expect(await command("never", { type: "breakAt", breaks: [{ event: "*" }] })).toMatchObject({
    error: { code: "invalid", message: "XState cannot hold this actor between two events." },
  });
  for (const wrong of [
    "pay",
    [{}],
    [{ event: "" }],
    [{ event: "a", state: "b" }],
    [{ event: "x".repeat(201) }],
    [{ run: "x" }],
    [null],
    Array.from({ length: 51 }, () => ({ event: "a" })),
  ])
    expect(await command("till", { type: "breakAt", breaks: wrong })).toMatchObject({
      error: {
        code: "invalid",
        message:
          '`breaks`: expected at most 50 of { "event": TYPE } and { "state": NAME }, with 1 to 200 characters each',
      },
    });

  await hub.close();
  await expect.poll(paid).toBe(2);
  actor.send({ type: "pay" });
  expect([paid(), sum.getSnapshot()]).toEqual([3, expect.objectContaining({ context: 1 })]);
});
