// Systems of actors in the hub, live and stored.
import { inspector } from "agentchart/inspect";
import { agentLogic } from "agentchart/team";
import { scriptedModel } from "agentchart/testing";
import { createActor, setup, waitFor } from "xstate";
import { expect, onTestFinished, test } from "vitest";
import type { MessagePage } from "../../../src/inspect/hub/actor-messages.ts";
import type { RunRow } from "../../../src/inspect/protocol/protocol.ts";
import { ask, testHome, testHub } from "../../support/hub-page.ts";

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
