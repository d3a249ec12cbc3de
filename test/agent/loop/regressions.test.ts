// Faults of the loop in other frameworks, each of which is not a fault here.
import { expect, test } from "vitest";
import {
  assistantMsg,
  textOf,
  toolResultMsg,
  userMsg,
  type AgentConfig,
  type Msg,
  type Reason,
} from "agentchart";
import type { ScriptedTurn } from "agentchart/testing";
import { freshContext } from "../../../machines/agent/context.ts";
import { closeForLimit } from "../../../machines/agent/updates/ending.ts";
import { settingsOf } from "../../../src/agent/options/config.ts";
import { Transcript } from "../../../src/core/message/transcript.ts";
import { outputOf, resultsOf, scripted } from "../../support/agents.ts";
import { historyProblem } from "../../support/history.ts";
import { call, show, traced } from "../../support/trace.ts";

const answer = (callId: string, text = "r"): Msg => toolResultMsg([{ callId, name: "ext", text }]);
const ask = { rules: [{ tool: "ok", action: "ask" as const }] };

test("S2 text is refused while calls are open, names them, and stores nothing", async () => {
  const { agent, model } = traced([{ calls: [call("c1", "ext"), call("c2", "ext")] }, "done"]);
  await agent.call("go");
  const before = await agent.messages();
  await expect(agent.call("never mind")).rejects.toMatchObject({
    code: "run/pending",
    message: expect.stringContaining("[c1, c2]"),
  });
  await expect(agent.call([answer("c1"), userMsg("and now?")])).rejects.toMatchObject({
    code: "run/bad-results",
  });
  await expect(agent.call(answer("c9"))).rejects.toMatchObject({ code: "run/bad-results" });
  await expect(agent.call([answer("c1"), answer("c1")])).rejects.toMatchObject({ code: "run/bad-results" });
  expect(await agent.messages()).toEqual(before);
  expect(agent.status()).toMatchObject({ phase: "suspended", waitsFor: ["externalResult"] });
  await agent.call([userMsg("here"), answer("c2"), answer("c1")]);
  expect(model.requests[1]?.messages.map(show)).toEqual([
    "S[sys]",
    "U[go]",
    "A[c1,c2]",
    "T(c1)",
    "T(c2)",
    "U[here]",
  ]);
});

const asking = (id: string): Msg =>
  assistantMsg("", { content: [{ type: "tool_use", id, name: "ok", input: {} }] });

test("S2 calls are asked for by the model alone: a message that brings some is refused wherever it comes in", async () => {
  const { agent, model } = traced(["hi", "on"]);
  const refused = expect.objectContaining({
    code: "message/invalid",
    message: expect.stringContaining("message 0 asks for tool calls"),
  });
  await expect(agent.call(asking("c1"))).rejects.toEqual(refused);
  await expect(agent.observe(asking("c1"))).rejects.toEqual(refused);
  const thrown: unknown[] = [];
  agent.subscribe((event) => {
    if (event.type !== "model.start") return;
    for (const say of [() => agent.steer(asking("c1")), () => agent.interrupt(asking("c1"))]) {
      try {
        say();
      } catch (error) {
        thrown.push(error);
      }
    }
  });
  expect((await agent.call("go")).text).toBe("hi");
  expect(thrown).toEqual([refused, refused]);
  await agent.call("and?");
  expect(model.requests.map(({ messages }) => historyProblem(messages))).toEqual([undefined, undefined]);
});

test("S2 results answer calls by way of call() and of nothing else", async () => {
  const { agent } = traced(["hi"]);
  await expect(agent.call(answer("c1"))).rejects.toMatchObject({
    code: "run/bad-results",
    message: expect.stringContaining("Expected: []"),
  });
  await expect(agent.observe(answer("c1"))).rejects.toMatchObject({ code: "message/invalid" });
  expect(await agent.messages()).toEqual([]);
});

test.each<[Reason, readonly ScriptedTurn[], Partial<AgentConfig>]>([
  ["MODEL_STOP", ["hi"], {}],
  ["TOOL_SUSPENDED", [{ calls: [call("c1", "ext")] }], {}],
  ["APPROVAL_REQUIRED", [{ calls: [call("c1")] }], { permissions: ask }],
  ["REASONING_STOP_REQUESTED", ["hi"], { turnOptions: { stopWhen: () => true } }],
  ["REASONING_STOP_REQUESTED", [{ calls: [call("c1")] }], { turnOptions: { stopWhen: () => true } }],
  [
    "ACTING_STOP_REQUESTED",
    [{ calls: [call("c1")] }],
    { hooks: [{ name: "s", postActing: () => ({ stop: true }) }] },
  ],
  ["MAX_ITERATIONS", [{ calls: [call("c1")] }, "sum"], { maxIters: 1 }],
  ["BUDGET_EXCEEDED", [{ calls: [call("c1")] }], { budget: { modelCalls: 1 } }],
  ["BUDGET_EXCEEDED", [{ calls: [call("c1")] }], { budget: { modelCalls: 1, onExceeded: "stop" } }],
])("S3 the reply, the session and the event of the turn's end all say %s", async (reason, turns, config) => {
  const { agent, trace } = traced(turns, config);
  const reply = await agent.call("go");
  expect([reply.reason, agent.status().reason, trace.at(-1)]).toEqual([reason, reason, `-> ${reason}`]);
});

test("S4 going on runs the calls without a result and no other", async () => {
  const { agent, trace } = traced([{ calls: [call("c1"), call("c2", "wait"), call("c3", "ext")] }, "done"]);
  await agent.call("go");
  await agent.call();
  await agent.call(answer("c3"));
  await agent.call(toolResultMsg([{ callId: "c2", name: "wait", text: "late" }]));
  expect(trace.filter((line) => line.startsWith("run"))).toEqual(["run c1", "run c2", "run c2", "run c2"]);
  expect((await agent.messages()).map(show)).toEqual([
    "U[go]",
    "A[c1,c2,c3]",
    "T(c1)",
    "T(c2)",
    "T(c3)",
    "A[done]",
  ]);
});

test.each<[string, ScriptedTurn]>([
  ["a reply", "one"],
  ["an error", { error: new Error("down") }],
  ["a suspension", { calls: [call("c1", "ext")] }],
])("S8 the agent accepts a call as soon as a subscriber receives %s", async (_, turn) => {
  const { agent } = traced([turn]);
  const phases: string[] = [];
  agent.subscribe((event) => event.type === "turn.end" && phases.push(agent.status().phase));
  await agent.call("go").catch(() => phases.push(agent.status().phase));
  expect(phases).not.toContain("running");
  await expect(agent.call("again")).rejects.not.toMatchObject({ code: "run/busy" });
});

test.each<[string, ScriptedTurn, string]>([
  ["of the model", "that is how it stands", "that is how it stands"],
  [
    "that says why there is none",
    { error: new Error("down") },
    "Maximum iterations (1) reached. Error generating summary: down",
  ],
  [
    "that replaces an empty one",
    { finish: "stop" },
    "Maximum iterations (1) reached. Error generating summary: the model gave an empty answer",
  ],
])("S9 a summary %s carries MAX_ITERATIONS, returned and stored", async (_, turn, text) => {
  const { agent } = traced([{ calls: [call("c1")] }, turn], { maxIters: 1 });
  const reply = await agent.call("go");
  const stored = (await agent.messages()).at(-1)!;
  expect([reply.reason, reply.text]).toEqual(["MAX_ITERATIONS", text]);
  expect([stored.reason, textOf(stored)]).toEqual(["MAX_ITERATIONS", text]);
});

test("S13 calls that are open at the limit are closed in call order before the model sums up", () => {
  const twice = assistantMsg("", {
    content: ["c1", "c2"].map((id) => ({ type: "tool_use", id, name: "t", input: {} })),
  });
  const { model } = scripted([]);
  const settings = settingsOf({ name: "bot", model, maxIters: 7 });
  const fresh = freshContext(settings, Transcript.of([userMsg("go"), twice]));
  const record = { status: "pending", hooked: false, stored: false, attempt: 0, since: 0 } as const;
  const calls = twice.content.flatMap((block) =>
    block.type === "tool_use" ? [{ ...record, call: block }] : [],
  );
  const { transcript, calls: left } = closeForLimit({
    ...fresh,
    calls,
    progress: { ...fresh.progress, batchAt: 1 },
  });
  expect(historyProblem(transcript!.slice())).toBeUndefined();
  expect(resultsOf(transcript!.slice()).map(outputOf)).toEqual(
    ["c1", "c2"].map(
      () => "[ERROR] Tool execution cancelled because maximum iterations limit (7) was reached",
    ),
  );
  expect(left).toEqual([]);
});

test("S13 an orphan of loaded history is answered before a turn that ends in a summary asks anything", async () => {
  const { agent, model } = traced([{ calls: [call("c1")] }, "sum"], {
    maxIters: 1,
    messages: [userMsg("before"), asking("old")],
  });
  await agent.call("go");
  expect(model.requests.map(({ messages }) => historyProblem(messages))).toEqual([undefined, undefined]);
});

test("S33 recovery leaves alone what waits for a person, before and after a restart", async () => {
  const config: Partial<AgentConfig> = { permissions: ask, turnOptions: { recoverOrphans: true } };
  const first = traced([{ calls: [call("c1")] }], config);
  await first.agent.call("go");
  await expect(first.agent.call("hello?")).rejects.toMatchObject({ code: "run/undecided" });
  const { agent, trace } = traced(["done"], {
    ...config,
    sessionOptions: { ...config.sessionOptions, snapshot: first.agent.snapshot() },
  });
  await expect(agent.call("hello?")).rejects.toMatchObject({ code: "run/undecided" });
  expect(resultsOf(await agent.messages())).toEqual([]);
  await agent.decide("c1", "approve");
  await agent.call();
  expect(trace.filter((line) => line.startsWith("run"))).toEqual(["run c1"]);
});

test("S35 a snapshot after a failure of the model holds what was said, and so does one after an interrupt", async () => {
  const failed = traced([{ calls: [call("c1")] }, { error: new Error("down") }]);
  await expect(failed.agent.call("go")).rejects.toThrow("down");
  const next = traced(["better"], { sessionOptions: { snapshot: failed.agent.snapshot() } });
  expect(next.agent.status()).toMatchObject({ phase: "stopped", reason: "ERROR" });
  await next.agent.call("again");
  expect((await next.agent.messages()).map(show)).toEqual([
    "U[go]",
    "A[c1]",
    "T(c1)",
    "U[again]",
    "A[better]",
  ]);

  const broken = traced([{ calls: [call("c1", "ext")] }]);
  await broken.agent.call("go");
  broken.agent.interrupt("enough");
  await expect.poll(() => broken.agent.status().phase).toBe("stopped");
  const { messages } = broken.agent.snapshot() as { messages?: Msg[] };
  expect(messages?.map(show).slice(0, 4)).toEqual(["U[go]", "A[c1]", "T(c1)", "U[enough]"]);
});

test("S36 a turn that was interrupted says INTERRUPTED, on the reply and in the stored message", async () => {
  const { agent } = traced([
    async function* () {
      yield { type: "text.delta", delta: "so" };
      agent.interrupt();
    },
  ]);
  const reply = await agent.call("go");
  const stored = (await agent.messages()).at(-1);
  expect([reply.reason, agent.status().reason, stored?.reason, stored?.metadata]).toEqual([
    "INTERRUPTED",
    "INTERRUPTED",
    "INTERRUPTED",
    { interrupted: true },
  ]);
});

test("S37 an external tool suspends, and events report the resumed turn as continued", async () => {
  const { agent } = traced([{ calls: [call("c1", "ext")] }, "done"]);
  const told: unknown[] = [];
  agent.subscribe((event) => {
    if (event.type === "pending") told.push(event.calls.map(({ callId, waitsFor }) => [callId, waitsFor]));
    if (event.type === "turn.start") told.push([event.turn, event.resumed]);
    if (event.type === "message" && event.message.role === "tool") told.push(show(event.message));
  });
  expect((await agent.call("go")).reason).toBe("TOOL_SUSPENDED");
  expect((await agent.call(answer("c1"))).text).toBe("done");
  expect(told).toEqual([[1, false], [["c1", "externalResult"]], [1, true], "T(c1)"]);
});

test("S38 the reply that asks for approval holds every call of the batch", async () => {
  const { agent } = traced([{ text: "I will", calls: [call("c1"), call("c2", "ext")] }], {
    permissions: ask,
  });
  const reply = await agent.call("go");
  expect(show(reply)).toBe("A[c1,c2]");
  expect(reply.pending).toMatchObject([{ callId: "c1", name: "ok", input: {}, waitsFor: "approval" }]);
});

test("py2 every message is stored once, and before the call is over", async () => {
  const { agent } = traced([{ text: "let me", calls: [call("c1"), call("c2", "boom")] }, "done"]);
  const seen: string[] = [];
  agent.subscribe((event) => event.type === "message" && seen.push(event.message.id));
  const reply = await agent.call("go");
  const stored = (await agent.messages()).map(({ id }) => id);
  expect(new Set(stored).size).toBe(stored.length);
  expect(seen).toEqual(stored);
  expect(stored.at(-1)).toBe(reply.id);
});

test("py7 a round whose results came in several calls counts once", async () => {
  const round: ScriptedTurn = { calls: [call("", "ok"), call("", "ext")] };
  const { agent, model } = traced([round, round, "sum"], { maxIters: 2 });
  for (let turn = 1; turn <= 2; turn++) {
    const [open] = (await agent.call(turn === 1 ? "go" : undefined)).pending;
    if (turn === 1) await agent.call(answer(open!.callId));
  }
  const reply = await agent.call(answer(agent.status().pending[0]!.callId));
  model.done();
  expect(reply).toMatchObject({ reason: "MAX_ITERATIONS", turn: { iterations: 2 } });
});

test("F4 a resumed turn keeps its iterations", async () => {
  const turns: ScriptedTurn[] = [{ calls: [call("c1", "ext")] }, { calls: [call("c2", "ext")] }, "sum"];
  const { agent, model } = traced(turns, { maxIters: 2 });
  await agent.call("go");
  await agent.call(answer("c1"));
  expect((await agent.call(answer("c2"))).reason).toBe("MAX_ITERATIONS");
  expect(model.requests.at(-1)?.tools).toEqual([]);
});

test("F6 the open calls are those of the current turn, also after other messages", async () => {
  const { agent, model } = traced([{ calls: [call("c1", "ext")] }, "done"]);
  await agent.call("go");
  await agent.observe(assistantMsg("hi", { name: "bob" }));
  expect(agent.status().pending.map(({ callId }) => callId)).toEqual(["c1"]);
  await agent.call(answer("c1"));
  expect(model.requests[1]?.messages.map(show)).toEqual(["S[sys]", "U[go]", "A[c1]", "T(c1)", "A[hi]"]);
});

test("F6 an open call in loaded history does not run: it is closed before the model is asked", async () => {
  const { agent, model, trace } = traced(["done"], {
    messages: [userMsg("before"), { ...asking("bobs"), name: "bob" }],
  });
  expect(agent.status()).toMatchObject({ phase: "stopped", pending: [] });
  await agent.call("go");
  expect(model.requests[0]?.messages.map(show)).toEqual([
    "S[sys]",
    "U[before]",
    "A[bobs]",
    "T(bobs)",
    "U[go]",
  ]);
  expect(trace.filter((line) => line.startsWith("run"))).toEqual([]);
});

test("F11 the stored message carries the reason that the returned one has", async () => {
  const stopped = traced([{ calls: [call("c1")] }], { turnOptions: { stopWhen: () => true } });
  const reply = await stopped.agent.call("go");
  expect((await stopped.agent.messages()).at(-1)).toMatchObject({
    id: reply.id,
    reason: "REASONING_STOP_REQUESTED",
  });
  const plain = traced(["hi"]);
  await plain.agent.call("go");
  expect((await plain.agent.messages()).at(-1)?.reason).toBe("MODEL_STOP");
});
