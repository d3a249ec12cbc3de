// Handoffs between personas, and what each of them sees.
import { describe, expect, test } from "vitest";
import { createAgent, textOf, toolResultMsg, type AgentConfig, type AgentEvent, type Msg } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { historyProblem } from "../../support/history.ts";
import { outputOf, resultsOf, toolOf, untilAborted } from "../../support/agents.ts";

const lookUp = toolOf("look_up", () => "Order 7, unpaid.");
const refund = toolOf("refund", () => "Refunded.");
const transfer = (to: string, id = `t_${to}`) => ({
  id,
  name: `transfer_to_${to}`,
  input: { reason: "It is about money." },
});
const toBilling: ScriptedTurn = { calls: [transfer("billing")] };

/** A desk that hands over to billing, which can hand back. */
function deskOf(
  turns: readonly ScriptedTurn[],
  { billing = {}, handoffs, ...config }: Partial<AgentConfig> & { readonly billing?: object } = {},
) {
  const model = scriptedModel(turns);
  const agent = createAgent({
    name: "desk",
    sysPrompt: "You greet.",
    model,
    tools: [lookUp],
    personas: { billing: { sysPrompt: "You bill.", tools: [refund], ...billing } },
    handoffs: handoffs ?? [
      { to: "billing", description: "For money." },
      { to: "desk", description: "For the rest." },
    ],
    ...config,
  });
  return { agent, model };
}

const systemsOf = (model: { readonly requests: readonly { readonly messages: readonly Msg[] }[] }) =>
  model.requests.map(({ messages }) => textOf(messages[0]!));
const toolsOf = (model: { readonly requests: readonly { readonly tools?: readonly { name: string }[] }[] }) =>
  model.requests.map(({ tools = [] }) => tools.map(({ name }) => name).toSorted());

const SAID = "I have had this order since May, and nobody has told me anything about it. ".repeat(20);
/** As {@link deskOf}, and billing sees a summary. */
const summarising = (turns: readonly ScriptedTurn[], config: Partial<AgentConfig> = {}) =>
  deskOf(turns, { handoffs: [{ to: "billing", description: "d", view: "summary" }], ...config });

test("an answer says which persona gave it, also after a restore", async () => {
  const store = memoryStore();
  const { agent } = deskOf([toBilling, "You have it back."], { store, sessionId: "s" });
  await agent.call("I want my money back.");
  const speakers = (messages: readonly Msg[]): unknown[] =>
    messages.filter(({ role }) => role === "assistant").map(({ metadata }) => metadata["persona"]);
  expect(speakers(await agent.messages())).toEqual([undefined, "billing"]);
  await agent.close();
  const next = deskOf(["Bye."], { store, sessionId: "s" }).agent;
  await next.call("Thanks.");
  expect(speakers(await next.messages())).toEqual([undefined, "billing", "billing"]);
  await next.close();
});

describe("a persona that sees a summary", () => {
  test("is told what went before, with the question that it answers, and the transcript stays whole", async () => {
    const { agent, model } = summarising([
      SAID,
      { calls: [{ id: "l1", name: "look_up" }] },
      toBilling,
      "Order 7 is unpaid.",
      "You have it back.",
      "Bye.",
    ]);
    const causes: unknown[] = [];
    agent.subscribe((event) => causes.push((event as { cause?: unknown }).cause), {
      types: ["compaction.start"],
    });
    await agent.call("Hello.");
    expect((await agent.call("I want my money back.")).text).toBe("You have it back.");
    const [, , , asked, billing] = model.requests;
    expect(textOf(asked!.messages.at(-1)!)).toContain("handed over to 'billing'");
    const seen = billing!.messages.map((message) => textOf(message)).join("\n");
    expect(seen).toContain("You bill.");
    expect(seen).toContain("Order 7 is unpaid.");
    expect(seen).toContain("I want my money back.");
    expect(seen).not.toContain("since May");
    expect(causes).toEqual(["handoff"]);
    expect((await agent.messages()).length).toBe(8);
    await agent.call("Thanks."); // nothing more is summed up
    expect(model.requests).toHaveLength(6);
  });

  test("sees everything as text if no summary is shorter, or it fails", async () => {
    const { agent, model } = summarising([toBilling, SAID, SAID, "Hello."]);
    expect((await agent.call("Hi.")).text).toBe("Hello.");
    expect(model.requests.at(-1)!.messages.map((message) => textOf(message))).toEqual([
      "You bill.",
      "Hi.",
      expect.stringContaining("[called transfer_to_billing"),
      expect.any(String),
    ]);
  });

  test("needs compaction", () => {
    expect(() => summarising([], { compaction: false })).toThrow("needs `compaction`");
  });
});

describe("a handoff that depends on what was said", () => {
  const isAngry = (messages: readonly Msg[]): boolean =>
    messages.some((message) => message.role === "user" && textOf(message).includes("!"));
  const handoffs = [{ to: "billing", description: "d", when: isAngry }];

  test("is offered only then, in any process", async () => {
    const store = memoryStore();
    const { agent, model } = deskOf(["Yes?"], { handoffs, store, sessionId: "s" });
    await agent.call("Hello.");
    expect(toolsOf(model)).toEqual([["look_up"]]);
    await agent.close();
    const later = deskOf([toBilling, "Sorry."], { handoffs, store, sessionId: "s" });
    expect((await later.agent.call("My money!")).text).toBe("Sorry.");
    expect(toolsOf(later.model)).toEqual([["look_up", "transfer_to_billing"], ["refund"]]);
  });

  test("is refused when the model asks for it at another time", async () => {
    const { agent } = deskOf([toBilling, "As you like."], { handoffs });
    await agent.call("Hello.");
    const [result] = resultsOf(await agent.messages());
    expect(result!.state).toBe("error");
    expect(agent.status().persona).toBeUndefined();
  });

  test.each([
    [
      "throws",
      (): never => {
        throw new TypeError("No such word.");
      },
      "No such word.",
    ],
    ["returns a promise", async () => false, "it gave a promise; expected true or false"],
    ["returns undefined", () => undefined, "it gave undefined; expected true or false"],
  ])("fails the turn with its own error if the condition %s", async (_, condition, problem) => {
    const when = condition as never;
    const { agent } = deskOf(["Yes?"], { handoffs: [{ to: "billing", description: "d", when }] });
    await expect(agent.call("Hello.")).rejects.toMatchObject({
      code: "config/invalid",
      message: `The handoff's \`when\` of the tool 'transfer_to_billing' failed: ${problem}`,
    });
  });
});

describe("a session that is handed over", () => {
  test("goes on with the prompt and the tools of the persona, in one transcript", async () => {
    const { agent, model } = deskOf([
      { calls: [{ id: "l1", name: "look_up" }] },
      toBilling,
      { calls: [{ id: "r1", name: "refund" }] },
      "You have it back.",
      "Anything else?",
    ]);
    const events: AgentEvent[] = [];
    agent.subscribe((event) => events.push(event), { types: ["handoff"] });
    const reply = await agent.call("I want my money back.");
    expect(reply.text).toBe("You have it back.");
    expect(reply.turn).toMatchObject({ modelCalls: 4, toolCalls: 3 });
    expect(systemsOf(model)).toEqual(["You greet.", "You greet.", "You bill.", "You bill."]);
    expect(toolsOf(model)).toEqual([
      ["look_up", "transfer_to_billing"],
      ["look_up", "transfer_to_billing"],
      ["refund", "transfer_to_desk"],
      ["refund", "transfer_to_desk"],
    ]);
    expect(events).toMatchObject([{ type: "handoff", from: null, to: "billing" }]);
    expect(agent.status()).toMatchObject({ phase: "stopped", persona: "billing" });
    expect(historyProblem(await agent.messages())).toBeUndefined();
    expect((await agent.call("Thanks.")).text).toBe("Anything else?");
    expect(systemsOf(model).at(-1)).toBe("You bill.");
  });

  test("shows the persona calls of tools that it does not have as text, and its own as they are", async () => {
    const { agent, model } = deskOf([
      { text: "I look.", calls: [{ id: "l1", name: "look_up", input: { id: 7 } }] },
      toBilling,
      { calls: [{ id: "r1", name: "refund" }] },
      "Done.",
    ]);
    await agent.call("Money back!");
    const [, , first, second] = model.requests;
    expect(first!.messages.slice(1).map((message) => `${message.role}: ${textOf(message)}`)).toEqual([
      "user: Money back!",
      'assistant: I look.\n[called look_up {"id":7}: Order 7, unpaid.]',
      'assistant: [called transfer_to_billing {"reason":"It is about money."}: Transferred to billing.]',
      "user: <system-hint>The conversation was handed over to you. Go on with it.</system-hint>",
    ]);
    expect(historyProblem(second!.messages)).toBeUndefined();
    expect(resultsOf(second!.messages).map(({ id }) => id)).toEqual(["r1"]);
  });

  test("shows the persona everything as it is if the handoff says so", async () => {
    const { agent, model } = deskOf([toBilling, "Done."], {
      handoffs: [{ to: "billing", description: "For money.", view: "full" }],
    });
    await agent.call("Money back!");
    expect(resultsOf(model.requests[1]!.messages).map(outputOf)).toEqual(["Transferred to billing."]);
  });

  test("has no half of a character in its prompt, since servers refuse it", async () => {
    const { agent, model } = deskOf([toBilling, "Here."], { billing: { sysPrompt: "You bill\ud83d" } });
    await agent.call("go");
    expect(systemsOf(model).at(-1)).toBe("You bill\ufffd");
  });

  test("may be handed back, also to a model of its own", async () => {
    const own = scriptedModel([{ calls: [transfer("desk")] }]);
    const { agent, model } = deskOf([toBilling, "Back again."], { billing: { model: own } });
    expect((await agent.call("go")).text).toBe("Back again.");
    expect(own.requests).toHaveLength(1);
    expect(systemsOf(model)).toEqual(["You greet.", "You greet."]);
    expect(agent.status().persona).toBeUndefined();
  });

  test("is handed over once for a batch of calls", async () => {
    const both = [transfer("billing"), transfer("legal")];
    const { agent } = deskOf([{ calls: both }, "Bills."], {
      personas: { billing: {}, legal: {} },
      handoffs: ["billing", "legal"].map((to) => ({ to, description: to })),
      parallelToolCalls: true,
    });
    await agent.call("go");
    expect(resultsOf(await agent.messages()).map(outputOf)).toEqual([
      "Transferred to billing.",
      "Error: Only one transfer at a time.",
    ]);
    expect(agent.status().persona).toBe("billing");
  });

  test("is handed over at most as often as a turn may", async () => {
    const back: ScriptedTurn = { calls: [transfer("desk")] };
    const { agent } = deskOf([toBilling, back, toBilling, "Enough.", toBilling, "Again."], {
      turnOptions: { maxHandoffs: 2 },
    });
    await agent.call("go");
    expect(resultsOf(await agent.messages()).map(outputOf)).toEqual([
      "Transferred to billing.",
      "Transferred to desk.",
      "Error: There were 2 transfers in this turn already.",
    ]);
    expect(agent.status().persona).toBeUndefined();
    await agent.call("go on");
    expect(agent.status().persona).toBe("billing");
  });

  test("begins each turn with the agent itself if it is to", async () => {
    const { agent, model } = deskOf([toBilling, "Done.", "Hello."], {
      turnOptions: { handoffReset: "turn" },
    });
    await agent.call("go");
    await agent.call("Thanks.");
    expect(systemsOf(model)).toEqual(["You greet.", "You bill.", "You greet."]);
    expect(agent.status().persona).toBeUndefined();
  });

  test.each([true, false])("has its persona in another process (stored: %s)", async (isStored) => {
    const store = memoryStore();
    const where = isStored ? { store, sessionId: "s" } : {};
    const first = deskOf([toBilling, "Done."], where);
    await first.agent.call("go");
    if (isStored) {
      const read = Promise.withResolvers<AgentEvent>();
      first.agent.subscribe(read.resolve, { after: 0, types: ["handoff"] });
      expect(await read.promise).toMatchObject({ from: null, to: "billing" });
    }
    const snapshot = first.agent.snapshot();
    await first.agent.close();
    const second = deskOf(["Hello again."], isStored ? where : { sessionOptions: { snapshot } });
    await second.agent.open();
    expect(second.agent.status().persona).toBe("billing");
    await second.agent.call("Thanks.");
    expect(systemsOf(second.model)).toEqual(["You bill."]);
    expect(toolsOf(second.model)).toEqual([["refund", "transfer_to_desk"]]);
    await second.agent.close();
  });

  test("whose persona is gone goes on with the agent itself", async () => {
    const first = deskOf([toBilling, "Done."]);
    await first.agent.call("go");
    const model = scriptedModel(["Hello."]);
    const second = createAgent({
      name: "desk",
      sysPrompt: "You greet.",
      model,
      tools: [lookUp],
      sessionOptions: { snapshot: first.agent.snapshot() },
    });
    await second.call("Thanks.");
    expect(systemsOf(model)).toEqual(["You greet."]);
    expect(second.status().persona).toBeUndefined();
  });
});

describe("a handoff", () => {
  test("that needs an approval waits for it, also in another process", async () => {
    const store = memoryStore();
    const config = {
      store,
      sessionId: "s",
      permissions: { rules: [{ tool: "transfer_to_*", action: "ask" as const }] },
    };
    const first = deskOf([toBilling], config);
    const reply = await first.agent.call("go");
    expect(reply.pending).toMatchObject([{ callId: "t_billing", waitsFor: "approval" }]);
    await first.agent.close();
    const second = deskOf(["Billing here."], config);
    await second.agent.decide("t_billing", "approve");
    expect((await second.agent.call()).text).toBe("Billing here.");
    expect(systemsOf(second.model)).toEqual(["You bill."]);
    await second.agent.close();
  });

  test("beside a call that waits is done when that is answered", async () => {
    const { agent, model } = deskOf(
      [{ calls: [transfer("billing"), { id: "a", name: "ask" }] }, "Billing here."],
      { tools: [toolOf("ask")] },
    );
    await agent.call("go");
    expect(agent.status()).toMatchObject({ phase: "suspended" });
    expect(agent.status().persona).toBeUndefined();
    await agent.decide("a", { answer: "yes" });
    expect((await agent.call()).text).toBe("Billing here.");
    expect(systemsOf(model)).toEqual(["You greet.", "You bill."]);
  });

  test("beside a call that waits is done when the caller brings its result", async () => {
    const { agent, model } = deskOf(
      [{ calls: [transfer("billing"), { id: "a", name: "ask" }] }, "Billing here."],
      { tools: [toolOf("ask")] },
    );
    await agent.call("go");
    await agent.call(toolResultMsg([{ callId: "a", name: "ask", text: "yes" }]));
    expect(systemsOf(model)).toEqual(["You greet.", "You bill."]);
  });

  test.each([
    ["stops the turn", { stop: true }, "You bill."],
    [
      "makes a failure of its result",
      { result: { state: "error", output: [{ type: "text", text: "No." }] } },
      "You greet.",
    ],
  ])("after which a hook %s", async (_, change, system) => {
    const { agent, model } = deskOf([toBilling, "Here."], {
      hooks: [
        {
          name: "hook",
          postActing: ({ result }: { readonly result: object }) =>
            "result" in change ? { result: { ...result, ...change.result } } : change,
        } as never,
      ],
    });
    const reply = await agent.call("go");
    if (reply.reason === "ACTING_STOP_REQUESTED") await agent.call();
    expect(systemsOf(model)).toEqual(["You greet.", system]);
  });

  test("in a turn that is interrupted behind it counts for the next one", async () => {
    const started = Promise.withResolvers<void>();
    const slow = toolOf("slow", (_, { signal }) => (started.resolve(), untilAborted(signal)));
    const { agent, model } = deskOf(
      [{ calls: [transfer("billing"), { id: "s", name: "slow" }] }, "Billing here."],
      { tools: [slow] },
    );
    const turn = agent.call("go");
    await started.promise;
    agent.interrupt();
    expect((await turn).reason).toBe("INTERRUPTED");
    await agent.call("go on");
    expect(systemsOf(model)).toEqual(["You greet.", "You bill."]);
    expect(agent.status().persona).toBe("billing");
  });
});

describe("what a persona may do", () => {
  test("does not include tools of another one", async () => {
    const { agent } = deskOf([{ calls: [{ id: "r", name: "refund" }] }, "Sorry."]);
    await agent.call("go");
    expect(outputOf(resultsOf(await agent.messages())[0])).toBe(
      "Error: Unauthorized tool call: 'refund' is not available",
    );
  });

  test("is what its permissions say, behind those of the agent that forbid or ask", async () => {
    const { agent } = deskOf(
      [
        toBilling,
        { calls: [{ id: "r", name: "refund" }] },
        { calls: [{ id: "w", name: "write_off" }] },
        "Done.",
      ],
      {
        permissions: { rules: [{ tool: "write_off", action: "deny" }] },
        billing: {
          tools: [refund, toolOf("write_off", () => "gone")],
          permissions: {
            rules: [
              { tool: "refund", action: "ask" },
              { tool: "write_off", action: "allow" },
            ],
          },
        },
      },
    );
    expect((await agent.call("go")).pending).toMatchObject([{ name: "refund", waitsFor: "approval" }]);
    await agent.decide("r", "approve");
    await agent.call();
    expect(resultsOf(await agent.messages()).map(({ state }) => state)).toEqual([
      "success",
      "success",
      "denied",
    ]);
  });
});

test.each([
  [{ personas: { a: {} } }, "give `personas` together with `handoffs`"],
  [{ handoffs: [{ to: "bot", description: "d" }] }, "give `personas` together with `handoffs`"],
  [{ personas: { bot: {} }, handoffs: [{ to: "bot", description: "d" }] }, "'bot'"],
  [{ personas: { "a b": {} }, handoffs: [{ to: "a b", description: "d" }] }, "'a b'"],
  [{ personas: { a: {} }, handoffs: [{ to: "c", description: "d" }] }, "[bot, a]"],
  [{ personas: { a: {} }, handoffs: [{ to: "a", from: ["c"], description: "d" }] }, "[bot, a]"],
  [
    {
      personas: { a: {} },
      handoffs: [
        { to: "a", description: "d" },
        { to: "a", description: "e" },
      ],
    },
    "two entries to 'a'",
  ],
  [
    {
      tools: [toolOf("x", () => "1")],
      personas: { a: { tools: [toolOf("x", () => "2")] } },
      handoffs: [{ to: "a", description: "d" }],
    },
    "named 'x'",
  ],
  [{ personas: { a: { prompt: "x" } }, handoffs: [{ to: "a", description: "d" }] }, "prompt"],
  [{ personas: { a: {} }, handoffs: [{ to: "a" }] }, "description"],
] as const)("an agent with %j is refused", (config, text) => {
  const create = (): unknown => createAgent({ name: "bot", model: scriptedModel([]), ...(config as object) });
  expect(create).toThrow(expect.objectContaining({ code: "config/invalid" }) as Error);
  expect(create).toThrow(text);
});
