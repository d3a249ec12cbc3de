// Agents as tools of another agent.
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { AgentError, createAgent, defineSlot, type AgentConfig, type Json, type Msg } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { agentTool, type AgentToolOptions } from "agentchart/team";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { historyProblem } from "../../support/history.ts";
import { outputOf, resultsOf, toolOf, untilAborted } from "../../support/agents.ts";
import { failureOf } from "../../support/failure.ts";

const ask = (message: string, id = "call_1", name = "call_researcher") => ({
  id,
  name,
  input: { message },
});

/** A desk whose model calls the researcher with these messages, all in one answer, and then ends. */
function deskOf(
  child: Partial<AgentConfig> & { readonly turns?: readonly ScriptedTurn[] },
  {
    tool = {},
    calls = [ask("What is new?")],
    ...config
  }: Partial<AgentConfig> & {
    readonly tool?: Partial<AgentToolOptions>;
    readonly calls?: readonly { id: string; name: string; input: object }[];
  } = {},
) {
  const { turns = ["Nothing."], ...rest } = child;
  const model = scriptedModel(turns);
  const researcher = agentTool({
    agent: { name: "researcher", model, ...rest },
    ...tool,
  } as AgentToolOptions);
  const parent = scriptedModel([{ calls: calls as never }, "End."]);
  const agent = createAgent({ name: "desk", model: parent, tools: [researcher], ...config });
  return { agent, model, parent, researcher };
}

const firstResult = async (agent: { messages(): Promise<readonly never[] | readonly unknown[]> }) =>
  resultsOf((await agent.messages()) as never)[0];

describe("a call of an agent", () => {
  test("tells it the message in a session of its own, and the answer is the result", async () => {
    const store = memoryStore();
    const { agent, model, researcher } = deskOf({ sysPrompt: "Find facts." }, { store, sessionId: "p" });
    expect(researcher).toMatchObject({ name: "call_researcher", onRestart: "retry" });
    const reply = await agent.call("go");
    expect(reply.text).toBe("End.");
    expect(await firstResult(agent)).toMatchObject({
      state: "success",
      output: [{ type: "text", text: "Nothing." }],
      metadata: {
        sessionId: "p/call_1",
        reason: "MODEL_STOP",
        usage: { inputTokens: expect.any(Number) as number },
      },
    });
    expect(model.requests[0]?.messages.map(({ role }) => role)).toEqual(["system", "user"]);
    const { sessions } = await store.list({ prefix: "p/" });
    expect(sessions).toMatchObject([
      { sessionId: "p/call_1", phase: "stopped", meta: { parent: { sessionId: "p", callId: "call_1" } } },
    ]);
    await agent.close();
  });

  test("counts what the agent uses as used by the turn of the parent", async () => {
    const { agent } = deskOf({
      turns: [{ calls: [{ name: "look" }] }, "Seen."],
      tools: [toolOf("look", () => "x")],
    });
    const { turn } = await agent.call("go");
    expect(turn).toMatchObject({ modelCalls: 4, toolCalls: 2, iterations: 2 });
    expect(turn.usage.inputTokens).toBeGreaterThan(0);
  });

  test.each([
    ["", "Error: Message is required"],
    ["  ", "Error: Message is required"],
  ])("with the message %j is an error", async (message, text) => {
    const { agent, model } = deskOf({}, { calls: [ask(message)] });
    await agent.call("go");
    expect(outputOf(await firstResult(agent))).toBe(text);
    expect(model.requests).toHaveLength(0);
  });

  test("whose agent fails is an error, and what it used counts", async () => {
    const { agent } = deskOf({
      turns: [{ error: new Error("no network") } as never],
      modelOptions: { execution: { maxAttempts: 1 } },
    });
    const { turn } = await agent.call("go");
    expect(await firstResult(agent)).toMatchObject({ state: "error" });
    expect(outputOf(await firstResult(agent))).toMatch(/^Error: Execution error: /u);
    expect(turn.modelCalls).toBe(3);
  });

  test("whose agent says nothing has a result that says so", async () => {
    const blank = {
      name: "blank",
      postCall: ({ reply }: { reply: Msg }) => ({ reply: { ...reply, content: [] } }),
    };
    const { agent } = deskOf({ hooks: [blank as never] });
    await agent.call("go");
    expect(outputOf(await firstResult(agent))).toBe("(No response)");
  });

  test("whose agent needs too many rounds has its summary", async () => {
    const { agent } = deskOf({
      turns: [{ calls: [{ name: "look" }] }, "All in all."],
      tools: [toolOf("look", () => "x")],
      maxIters: 1,
    });
    await agent.call("go");
    expect(await firstResult(agent)).toMatchObject({
      state: "success",
      output: [{ text: "All in all." }],
      metadata: { reason: "MAX_ITERATIONS" },
    });
  });

  test("is chosen by the description of its agent, unless the tool has one of its own", async () => {
    const agent = {
      name: "researcher",
      toolOptions: { description: "Finds facts." },
      model: scriptedModel(["found"]),
    };
    const [plain, own] = [
      agentTool({ agent }),
      agentTool({ agent, name: "own", description: "Looks things up." }),
    ];
    const nameless = agentTool({ agent: { name: "clerk", model: scriptedModel([]) } });
    expect([plain, own, nameless].map(({ description }) => description)).toEqual([
      "Finds facts.",
      "Looks things up.",
      "Asks the agent 'clerk', and returns its answer.",
    ]);
    const model = scriptedModel(["hi"]);
    await createAgent({ name: "desk", toolOptions: { description: "Helps." }, model, tools: [plain] }).call(
      "go",
    );
    expect(model.requests[0]!.tools.map(({ description }) => description)).toEqual(["Finds facts."]);
    expect(JSON.stringify(model.requests[0]!.messages)).not.toContain("Helps.");
    expect(() => createAgent({ name: "desk", model, toolOptions: { description: "" } })).toThrow(
      "description` is",
    );
  });

  test("takes other arguments, and returns a structured answer", async () => {
    const { agent, model } = deskOf(
      { turns: [{ calls: [{ name: "generate_response", input: { response: { price: 3 } } }] }, "ok"] },
      {
        tool: {
          input: z.object({ city: z.string() }),
          prompt: ({ city }: { city: string }) => `The price in ${city}?`,
          output: z.object({ price: z.number() }),
        } as never,
        calls: [{ id: "call_1", name: "call_researcher", input: { city: "Rome" } }],
      },
    );
    await agent.call("go");
    expect(outputOf(await firstResult(agent))).toBe('{"price":3}');
    expect(JSON.stringify(model.requests[0]?.messages)).toContain("The price in Rome?");
  });

  test("hands the context on, and keeps slots apart", async () => {
    const slot = defineSlot<Json>({ name: "seen", initial: null });
    const seen: unknown[] = [];
    const look = toolOf(
      "look",
      (_, { context, slots }) => {
        seen.push(context, slots.get(slot));
        return { output: [{ type: "text", text: "x" }], slots: { seen: "inner" } };
      },
      { writes: [slot] },
    );
    const { agent } = deskOf(
      { turns: [{ calls: [{ name: "look" }] }, "Seen."], tools: [look] },
      { sessionOptions: { slots: [slot] }, context: { user: "ann" } },
    );
    await agent.slots.set(slot, "outer");
    await agent.call("go");
    expect(seen).toEqual([{ user: "ann" }, null]);
    expect((await agent.slots.get(slot)).value).toBe("outer");
  });
});

describe("an agent that remembers", () => {
  const twice = [ask("one"), ask("two", "call_2")];

  test.each([
    ["in a store", true],
    ["without one", false],
  ])("%s hears its later calls in one conversation", async (_, isStored) => {
    const store = memoryStore();
    const { agent, model } = deskOf(
      { turns: ["First.", "Second."] },
      {
        tool: { session: "perName" },
        calls: twice,
        parallelToolCalls: true,
        ...(isStored && { store, sessionId: "p" }),
      },
    );
    await agent.call("go");
    expect(resultsOf(await agent.messages()).map(outputOf)).toEqual([
      "session_id: researcher\n\nFirst.",
      "session_id: researcher\n\nSecond.",
    ]);
    expect(model.requests[1]?.messages.filter(({ role }) => role === "user")).toHaveLength(2);
    if (isStored) expect(await store.load("p/researcher")).toBeDefined();
    await agent.close();
  });

  test("has other conversations that the model names, below its own", async () => {
    const store = memoryStore();
    const named = (session_id: string, id: string) => ({
      id,
      name: "call_researcher",
      input: { message: "m", session_id },
    });
    const { agent } = deskOf(
      { turns: ["a", "b", "c"] },
      {
        tool: { session: "perName" },
        calls: [named("x", "c1"), named("researcher/x", "c2"), named("../../etc", "c3")],
        store,
        sessionId: "p",
      },
    );
    await agent.call("go");
    const results = resultsOf(await agent.messages());
    expect(results.slice(0, 2).map(outputOf)).toEqual([
      "session_id: researcher/x\n\na",
      "session_id: researcher/x\n\nb",
    ]);
    expect(results[2]).toMatchObject({ state: "error", code: "tool/failed" });
    const ids = (await store.list()).sessions.map(({ sessionId }) => sessionId);
    expect(ids).toEqual(["p", "p/researcher/x"]);
    await agent.close();
  });
});

describe("what the parent permits", () => {
  const WIPE = [{ calls: [{ id: "call_7", name: "wipe" }] }, "Wiped."];
  const permit = (rules: NonNullable<AgentConfig["permissions"]>["rules"]): Partial<AgentConfig> => ({
    permissions: { rules: rules! },
  });

  test("S48 stands before what the agent permits itself", async () => {
    let wiped = 0;
    const tools = [toolOf("wipe", () => `${++wiped}`)];
    const own = permit([{ tool: "wipe", action: "allow" }]);
    const denied = deskOf(
      { turns: WIPE, tools, ...own },
      permit([{ tool: "wipe", action: "deny", optional: true }]),
    );
    await denied.agent.call("go");
    const asked = deskOf(
      { turns: WIPE, tools, ...own },
      permit([{ tool: "wipe", action: "ask", optional: true }]),
    );
    expect((await asked.agent.call("go")).pending).toMatchObject([
      { waitsFor: "approval", path: ["call_researcher"] },
    ]);
    expect(wiped).toBe(0);
    await asked.agent.decide("call_1/call_7", "approve");
    await asked.agent.call();
    expect(wiped).toBe(1);
  });

  test("by an allow rule is not permitted to the agent", async () => {
    const { agent } = deskOf(
      { turns: WIPE, tools: [toolOf("wipe", () => "x")], permissions: { otherwise: "deny" } },
      permit([{ tool: "*", action: "allow" }]),
    );
    await agent.call("go");
    expect((await agent.call("again").catch(() => undefined))?.pending ?? []).toEqual([]);
    expect(outputOf(await firstResult(agent))).toBe("Wiped.");
  });
});

describe("an interrupt of the parent", () => {
  test("S30 interrupts the agent, whose session stays usable", async () => {
    const store = memoryStore();
    const started = Promise.withResolvers<void>();
    const slow = toolOf("slow", (_, { signal }) => {
      started.resolve();
      return untilAborted(signal);
    });
    const { agent } = deskOf(
      { turns: [{ calls: [{ name: "slow" }] }, "never"], tools: [slow] },
      { store, sessionId: "p" },
    );
    const turn = agent.call("go");
    await started.promise;
    agent.interrupt();
    const reply = await turn;
    expect(reply.reason).toBe("INTERRUPTED");
    expect(reply.turn.modelCalls).toBe(2);
    expect(await firstResult(agent)).toMatchObject({ id: "call_1", state: "interrupted" });
    await agent.close();
    const child = createAgent({
      name: "researcher",
      model: scriptedModel(["Here."]),
      tools: [slow],
      store,
      sessionId: "p/call_1",
    });
    expect(historyProblem(await child.messages())).toBeUndefined();
    expect(child.status().reason).toBe("INTERRUPTED");
    expect((await child.call("Are you there?")).text).toBe("Here.");
    await child.close();
  });

  test("S30 by a time-out of the call is a result in time, and what was used counts", async () => {
    const slow = toolOf("slow", (_, { signal }) => untilAborted(signal));
    const { agent } = deskOf(
      { turns: [{ calls: [{ name: "slow" }] }, "never"], tools: [slow] },
      { tool: { execution: { timeoutMs: 2_000 } } },
    );
    const reply = await agent.call("go");
    expect(reply.reason).toBe("MODEL_STOP");
    expect(reply.turn.modelCalls).toBe(3);
    expect(outputOf(await firstResult(agent))).toContain("time of the call is over");
  });

  test("that shuts down parks the agent, and the next process goes on with both", async () => {
    const store = memoryStore();
    const started = Promise.withResolvers<void>();
    const slow = toolOf(
      "slow",
      (_, { signal }) => {
        started.resolve();
        return untilAborted(signal);
      },
      { idempotent: true },
    );
    const first = deskOf(
      { turns: [{ calls: [{ name: "slow" }] }], tools: [slow] },
      { store, sessionId: "p", sessionOptions: { leaseMs: 60_000 } },
    );
    const turn = failureOf(first.agent.call("go"));
    await started.promise;
    await first.agent.shutdown({ deadlineMs: 50 });
    expect(await turn).toMatchObject({ code: "run/shutdown" });
    expect((await store.load("p/call_1"))?.position).toMatchObject({
      phase: expect.not.stringMatching("stopped") as string,
    });
    const second = createAgent({
      name: "desk",
      model: scriptedModel(["End."]),
      tools: [
        agentTool({
          agent: {
            name: "researcher",
            model: scriptedModel(["Late."]),
            tools: [toolOf("slow", () => "x", { idempotent: true })],
          },
        }),
      ],
      store,
      sessionId: "p",
    });
    expect((await second.call()).text).toBe("End.");
    expect(outputOf(await firstResult(second))).toBe("Late.");
    await second.close();
  });
});

test("an agent whose lease is lost goes on where it was", async () => {
  const real = memoryStore();
  let isLost = false;
  const store = new Proxy(real, {
    get(target, key) {
      const member = Reflect.get(target, key, target) as unknown;
      if (key !== "append") return typeof member === "function" ? (member.bind(target) as unknown) : member;
      return async (...[sessionId, batch]: Parameters<typeof real.append>) => {
        const seq = await target.append(sessionId, batch);
        const hasAsked = batch.entries.some(({ type }) => type === "call");
        if (sessionId !== "p/call_1" || isLost || !hasAsked) return seq;
        isLost = true;
        const { fence } = batch;
        await target.release({ sessionId, owner: "", fence, expiresAt: 0, takeovers: 0 });
        throw new AgentError("session/lease-lost", "The store was late.");
      };
    },
  });
  let looked = 0;
  const look = toolOf("look", () => `${++looked}`, { idempotent: true });
  const { agent } = deskOf(
    { turns: [{ calls: [{ id: "c", name: "look" }] }, "Seen."], tools: [look] },
    { store, sessionId: "p", sessionOptions: { leaseMs: 200 } },
  );
  await agent.call("go");
  expect(isLost).toBe(true);
  expect(outputOf(await firstResult(agent))).toBe("Seen.");
  expect(looked).toBe(1);
  await agent.close();
});
