// The agent suite, with hooks that do nothing at every point.
import { expect, test } from "vitest";
import { assistantMsg, createAgent, userMsg } from "agentchart";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { noopRuns } from "../../support/agentchart-noop.ts";
import { toolOf } from "../../support/agents.ts";

const tools = [
  toolOf("ok", (_, { emit }) => {
    emit("half");
    return "done";
  }),
];
const round: ScriptedTurn = { calls: [{ name: "ok" }] };

test("in the no-op mode an agent without hooks of its own has one at every point", async () => {
  noopRuns.clear();
  const agent = createAgent({ name: "bot", model: scriptedModel([round, "sum"]), tools, maxIters: 1 });
  await agent.call("go");
  const failing = createAgent({ name: "bot", model: scriptedModel([{ error: new Error("down") }]) });
  await expect(failing.call("go")).rejects.toThrow("down");
  const interrupted = createAgent({ name: "bot", model: scriptedModel(["x"]) });
  interrupted.subscribe((event) => event.type === "model.start" && interrupted.interrupt());
  await interrupted.call("go");
  const messages = ["first", "second"].flatMap((word) => [
    userMsg(`${word} ${"words ".repeat(50)}`),
    assistantMsg(word),
  ]);
  const full = createAgent({
    name: "bot",
    model: scriptedModel(["in short"]),
    messages,
    compaction: { keepRecentTokens: 1 },
  });
  await full.compact();

  expect(Object.fromEntries(noopRuns)).toEqual({
    preCall: 6,
    preReasoning: 6,
    reasoningChunk: 2,
    postReasoning: 2,
    preActing: 2,
    actingChunk: 2,
    postActing: 2,
    preSummary: 2,
    summaryChunk: 2,
    postSummary: 2,
    postCall: 2,
    preCompact: 2,
    postCompact: 2,
    onError: 2,
    onInterrupt: 2,
    onRest: 6,
  });
});
