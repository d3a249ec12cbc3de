// The Agent Client Protocol: an agent in an editor.
import * as sdk from "@agentclientprotocol/sdk";
import { describe, expect, onTestFinished, test } from "vitest";
import { createAgent, defineTool, type AgentConfig } from "agentchart";
import { todoTool } from "agentchart/plan";
import { memoryStore } from "agentchart/store/memory";
import { agentTool } from "agentchart/team";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { editor, type Choose } from "./editor.ts";
import { acpAgent } from "../../src/cli/acp/acp-agent.ts";

const ran: unknown[] = [];
const pay = defineTool({
  name: "pay",
  description: "Pays.",
  input: { type: "object" },
  permission: "ask",
  execute: (_, { context }) => (ran.push(context), "Paid."),
});
const payNow: ScriptedTurn = { text: "I pay.", calls: [{ id: "c1", name: "pay", input: { euros: 7 } }] };

/** Connects an editor with agents in this process, and begins a session. */
async function connected(one: ReturnType<typeof editor>, open: Parameters<typeof acpAgent>[1]["open"]) {
  const { app, close } = acpAgent(sdk, { version: "1.0.0", open });
  const connection = one.app.connect(app);
  onTestFinished(async () => {
    connection.close();
    await close();
  });
  const { agent } = connection;
  await agent.request("initialize", { protocolVersion: sdk.PROTOCOL_VERSION });
  const { sessionId } = await agent.request("session/new", { cwd: "/work", mcpServers: [] });
  return { agent, sessionId };
}

/** An editor that speaks with an agent in this process. */
async function speaking(turns: readonly ScriptedTurn[], config: Partial<AgentConfig> = {}, choose?: Choose) {
  ran.length = 0;
  const store = memoryStore();
  const model = scriptedModel(turns);
  const open = async (sessionId: string) => {
    const agent = createAgent({ name: "clerk", model, tools: [pay], store, sessionId, ...config });
    await agent.open();
    return { agent, close: () => agent.shutdown() };
  };
  const one = editor(choose);
  const { agent, sessionId } = await connected(one, open);
  const ask = (text: string) =>
    agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  return { ...one, agent, sessionId, ask, model };
}

describe("an agent in an editor", () => {
  test("streams text, thoughts and calls, and asks for permission", async () => {
    const { ask, said, callsIn, asked, updates } = await speaking([
      { ...payNow, thinking: "Hm." },
      "It is paid.",
    ]);
    expect(await ask("Pay.")).toEqual({ stopReason: "end_turn" });
    expect(said()).toBe("I pay.It is paid.");
    expect(updates.some(({ sessionUpdate }) => sessionUpdate === "agent_thought_chunk")).toBe(true);
    expect(asked).toMatchObject([
      {
        toolCall: { toolCallId: "c1", title: "pay", rawInput: { euros: 7 } },
        options: [{ kind: "allow_once" }, { kind: "allow_always" }, { kind: "reject_once" }],
      },
    ]);
    expect(callsIn()).toEqual([
      ["c1", "pending"],
      ["c1", "pending"],
      ["c1", "in_progress"],
      ["c1", "completed"],
    ]);
    expect(ran).toEqual([{ cwd: "/work" }]);
  });

  test("does not run what its person rejects, and remembers what is always allowed", async () => {
    const rejected = await speaking([payNow, "As you like."], {}, () => "reject_once");
    expect(await rejected.ask("Pay.")).toEqual({ stopReason: "end_turn" });
    expect(ran).toEqual([]);
    expect(rejected.callsIn().at(-1)).toEqual(["c1", "failed"]);
    const again: ScriptedTurn = { calls: [{ id: "c2", name: "pay" }] };
    const allowed = await speaking([payNow, again, "Done."], {}, () => "allow_always");
    await allowed.ask("Pay.");
    expect(allowed.asked).toHaveLength(1);
    expect(ran).toHaveLength(2);
  });

  test("ends the turn when its person cancels, at the question or while it runs", async () => {
    const atQuestion = await speaking([payNow, "Again."], {}, () => undefined);
    expect(await atQuestion.ask("Pay.")).toEqual({ stopReason: "cancelled" });
    expect(await atQuestion.ask("Once more.")).toEqual({ stopReason: "end_turn" });
    const started = Promise.withResolvers<void>();
    const wait = defineTool({
      name: "wait",
      description: "w",
      input: {},
      execute: (_, { signal }) => {
        started.resolve();
        return new Promise<string>((_resolve, reject) =>
          signal.addEventListener("abort", () => reject(new Error("aborted"))),
        );
      },
    });
    const running = await speaking([{ calls: [{ name: "wait" }] }], { tools: [wait] });
    const turn = running.ask("Wait.");
    await started.promise;
    await running.agent.notify("session/cancel", { sessionId: running.sessionId });
    expect(await turn).toEqual({ stopReason: "cancelled" });
  });

  test("a cancel ends all prompts that have come, whatever the person chooses meanwhile, and no later one", async () => {
    const opened = Promise.withResolvers<void>();
    const chosen = Promise.withResolvers<string>();
    const { agent, sessionId, ask, asked } = await speaking([payNow, "Hello."], {}, () => {
      opened.resolve();
      return chosen.promise;
    });
    const first = ask("Pay.");
    await opened.promise;
    const second = ask("And again.");
    await agent.notify("session/cancel", { sessionId });
    const third = ask("Hello?");
    chosen.resolve("allow_once");
    expect(await Promise.all([first, second, third])).toEqual([
      { stopReason: "cancelled" },
      { stopReason: "cancelled" },
      { stopReason: "end_turn" },
    ]);
    expect([asked.length, ran.length]).toEqual([1, 0]);
  });

  test("shows what the last attempt of a call has said", async () => {
    let attempts = 0;
    const flaky = defineTool({
      name: "flaky",
      description: "f",
      input: {},
      idempotent: true,
      execution: { maxAttempts: 2, initialBackoffMs: 0, retryOn: "all" },
      execute: (_, { emit }) => {
        emit(`try ${++attempts};`);
        if (attempts === 1) throw new Error("not now");
        return "Done.";
      },
    });
    const { ask, updates } = await speaking([{ calls: [{ name: "flaky" }] }, "Done."], { tools: [flaky] });
    await ask("Try.");
    const shown = updates.flatMap((update) =>
      "content" in update && Array.isArray(update.content) ? [update.content] : [],
    );
    const said = (text: string) => [{ type: "content", content: { type: "text", text } }];
    expect(shown).toEqual([said("try 1;"), [], said("try 2;"), said("Done.")]);
  });

  test("shows the end of what a call has said at length, since each update shows all of it again", async () => {
    const build = defineTool({
      name: "build",
      description: "b",
      input: {},
      execute: (_, { emit }) => {
        for (let line = 0; line < 1_000; line++) emit(`line ${line}\n`);
        return "Built.";
      },
    });
    const { ask, updates } = await speaking([{ calls: [{ name: "build" }] }, "Done."], { tools: [build] });
    await ask("Build.");
    const sizes = updates.map((update) => JSON.stringify(update).length);
    expect(Math.max(...sizes)).toBeLessThan(6_000);
    expect(JSON.stringify(updates)).toContain(String.raw`line 998\nline 999\n"`);
  });

  test("asks for what waits inside of a call, and shows the plan", async () => {
    const inner = { name: "clerk", model: scriptedModel([payNow, "Paid it."]), tools: [pay] };
    const todos = { todos: [{ content: "Pay", status: "in_progress" }] };
    const { ask, asked, updates } = await speaking(
      [
        { calls: [{ id: "t", name: "write_todos", input: todos }] },
        { calls: [{ id: "a", name: "call_clerk", input: { message: "Pay." } }] },
        "Done.",
      ],
      { name: "desk", tools: [todoTool(), agentTool({ agent: inner })] },
    );
    expect(await ask("Pay.")).toEqual({ stopReason: "end_turn" });
    expect(asked.map(({ toolCall }) => toolCall.toolCallId)).toEqual(["a/c1"]);
    expect(ran).toHaveLength(1);
    expect(updates).toContainEqual({
      sessionUpdate: "plan",
      entries: [{ content: "Pay", status: "in_progress", priority: "medium" }],
    });
  });

  test("opens a session again, tells what was said, and goes on", async () => {
    const { agent, sessionId, ask, updates, said } = await speaking([payNow, "It is paid.", "Bye."]);
    await ask("Pay.");
    updates.length = 0;
    await agent.request("session/load", { sessionId, cwd: "/work", mcpServers: [] });
    expect(updates.map(({ sessionUpdate }) => sessionUpdate)).toEqual([
      "user_message_chunk",
      "agent_message_chunk",
      "tool_call",
      "tool_call_update",
      "agent_message_chunk",
    ]);
    await ask("Thanks.");
    expect(said()).toBe("I pay.It is paid.Bye.");
  });

  test("reads images, files and links of a prompt", async () => {
    const { agent, sessionId, model } = await speaking(["Nice."]);
    await agent.request("session/prompt", {
      sessionId,
      prompt: [
        { type: "text", text: "Look:" },
        { type: "image", data: "AAAA", mimeType: "image/png" },
        { type: "resource", resource: { uri: "file:///a.ts", text: "let a;" } },
        { type: "resource_link", name: "b.ts", uri: "file:///b.ts" },
      ],
    });
    expect(model.requests[0]!.messages.at(-1)!.content).toEqual([
      { type: "text", text: "Look:" },
      { type: "image", source: { type: "base64", data: "AAAA", mediaType: "image/png" } },
      { type: "text", text: '<file uri="file:///a.ts">\nlet a;\n</file>' },
      { type: "text", text: "[b.ts](file:///b.ts)" },
    ]);
  });

  test("says what is wrong: an unknown session, an empty prompt, a model that fails, an iteration too many", async () => {
    const { agent, sessionId, ask } = await speaking([], { modelOptions: { execution: { maxAttempts: 1 } } });
    const unknown = agent.request("session/prompt", { sessionId: "x", prompt: [] });
    await expect(unknown).rejects.toThrow("there is no such session");
    const empty = agent.request("session/prompt", { sessionId, prompt: [] });
    await expect(empty).rejects.toThrow("the prompt has no text and no image");
    await expect(ask("Hello.")).rejects.toThrow("Unexpected model call");
    const long = await speaking([payNow, "A summary."], { maxIters: 1 });
    expect(await long.ask("Pay.")).toEqual({ stopReason: "max_turn_requests" });
  });
});

test("a session that does not open again is none that can be asked", async () => {
  let opened = 0;
  const open = async (sessionId: string) => {
    if (++opened > 1) throw new Error("It is elsewhere.");
    const agent = createAgent({
      name: "clerk",
      model: scriptedModel(["Hi."]),
      store: memoryStore(),
      sessionId,
    });
    return { agent, close: () => agent.shutdown() };
  };
  const { agent, sessionId } = await connected(editor(), open);
  await expect(agent.request("session/load", { sessionId, cwd: "/work", mcpServers: [] })).rejects.toThrow();
  const asked = agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "Hello." }] });
  await expect(asked).rejects.toThrow("there is no such session");
});
