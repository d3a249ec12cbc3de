// Calls that were cut off while they went on.
import { expect, test } from "vitest";
import { createAgent, suspend, type AgentConfig, type Resumed } from "agentchart";
import { openSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { outputOf, resultsOf, toolOf } from "../support/agents.ts";

const ASK = { id: "nights", kind: "question", message: "How many nights?" } as const;

/** A tool that asks, and then does `goOn` with the answers. */
const book = (goOn: (resumed: Resumed) => string | Promise<string>, fields: object = {}) =>
  toolOf(
    "book",
    (_, { resumed }) =>
      resumed ? goOn(resumed) : suspend("It asks.", { then: "resume", state: 9, asks: [ASK] }),
    fields,
  );

const config = (tool: ReturnType<typeof book>): AgentConfig => ({
  name: "bot",
  model: scriptedModel([{ calls: [{ id: "c", name: "book" }] }, "Booked."]),
  tools: [tool],
});

/** An agent whose process ended in the run in which its call goes on, restored in another one; `runs` has what that run got. */
async function cutOff(fields: object) {
  const runs: string[] = [];
  const hanging = (resumed: Resumed) => (runs.push(JSON.stringify(resumed)), new Promise<string>(() => {}));
  const first = createAgent(config(book(hanging, fields)));
  await first.call("go");
  await first.decide("c/nights", { respond: 2 });
  void first.call().catch(() => {});
  await expect.poll(() => runs.length).toBe(1);
  const agent = createAgent({
    ...config(book((resumed) => `run ${runs.push(JSON.stringify(resumed))}`, fields)),
    model: scriptedModel(["Booked."]),
    sessionOptions: {
      snapshot: first.snapshot(),
    },
  });
  return { agent, runs };
}

test("a call that was cut off while it went on has an unknown outcome, and is repeated with the same answers", async () => {
  const { agent, runs } = await cutOff({ onRestart: "ask" });
  expect((await agent.call()).pending).toMatchObject([{ callId: "c", waitsFor: "unknownOutcome" }]);
  await expect(agent.decide("c", { respond: 2 })).rejects.toMatchObject({ code: "run/bad-decision" });
  await agent.decide("c", "retry");
  expect((await agent.call()).reason).toBe("MODEL_STOP");
  expect(runs).toEqual(Array(2).fill('{"round":1,"state":9,"answers":{"nights":{"respond":2}}}'));
});

test("a call that may be repeated and was cut off while it went on runs again with the same answers", async () => {
  const { agent, runs } = await cutOff({ idempotent: true });
  expect((await agent.call()).reason).toBe("MODEL_STOP");
  expect(runs).toEqual(Array(2).fill('{"round":1,"state":9,"answers":{"nights":{"respond":2}}}'));
});

test("a call that waits for answers is read, forked and answered in its store", async () => {
  const store = memoryStore();
  const tool = book(({ answers }) => JSON.stringify(answers));
  const first = createAgent({ ...config(tool), store, sessionId: "s" });
  await first.call("go");
  await first.shutdown();
  const pending = [{ callId: "c/nights", waitsFor: "answer", reason: "How many nights?" }];
  const session = await openSession(store, "s");
  const state = await session.at();
  expect(state.pending).toMatchObject(pending);
  const fork = await session.fork(state.seq);
  for (const sessionId of ["s", fork.sessionId]) {
    const agent = createAgent({ ...config(tool), model: scriptedModel(["Booked."]), store, sessionId });
    await agent.open();
    expect(agent.status()).toMatchObject({ reason: "TOOL_SUSPENDED", waitsFor: ["answer"], pending });
    await agent.decide("c/nights", { respond: sessionId });
    await agent.call();
    expect(resultsOf(await agent.messages()).map(outputOf)).toEqual([
      `{"nights":{"respond":"${sessionId}"}}`,
    ]);
    await agent.close();
  }
});

test("what a call remembers is stored when it is suspended, while another one of its batch runs", async () => {
  const store = memoryStore();
  const slow = Promise.withResolvers<string>();
  const agent = createAgent({
    ...config(book(() => "done")),
    model: scriptedModel([
      {
        calls: [
          { id: "c", name: "book" },
          { id: "d", name: "slow" },
        ],
      },
    ]),
    tools: [book(() => "done"), toolOf("slow", () => slow.promise)],
    parallelToolCalls: true,
    store,
    sessionId: "s",
  });
  const reply = agent.call("go");
  const recordOf = async () => {
    const { context } = await (await openSession(store, "s")).at();
    return (context as { calls: { call: { id: string }; status: string }[] }).calls[0];
  };
  await expect
    .poll(() => recordOf().catch(() => undefined))
    .toMatchObject({
      status: "suspended",
      resume: { round: 1, state: 9 },
    });
  slow.resolve("slow");
  expect((await reply).pending).toMatchObject([{ callId: "c/nights" }]);
  await agent.close();
});
