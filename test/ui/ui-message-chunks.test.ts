// Events of an agent as chunks of the AI SDK.
import { readUIMessageStream, uiMessageChunkSchema, type UIMessage, type UIMessageChunk } from "ai";
import { describe, expect, test } from "vitest";
import { createAgent, type AgentConfig, type AgentEvent } from "agentchart";
import { agentTool } from "agentchart/team";
import {
  readChatRequest,
  toUIMessageChunks,
  toUIMessages,
  type TurnChunk,
  type TurnMessage,
} from "agentchart/ui";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { eventsOf, scripted, toolOf } from "../support/agents.ts";
import { GOLDEN_RUNS } from "../support/golden-runs.ts";
import { call, traced } from "../support/trace.ts";

/** What a store keeps, and what a subscriber who was not there receives. */
const DURABLE = new Set(["message", "pending", "turn.end"]);

async function* iterate<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}

async function chunksOf(events: readonly AgentEvent[]): Promise<readonly TurnChunk[]> {
  const chunks: TurnChunk[] = [];
  for await (const chunk of toUIMessageChunks(iterate(events))) chunks.push(chunk);
  return chunks;
}

/** The message that the AI SDK's client makes of chunks, going on with the message that it has. */
async function messageOf(chunks: readonly TurnChunk[], before?: UIMessage): Promise<UIMessage> {
  const stream = ReadableStream.from(iterate(structuredClone(chunks) as UIMessageChunk[]));
  const errors: unknown[] = [];
  let message = before && structuredClone(before);
  const read = readUIMessageStream({
    stream,
    ...(message && { message }),
    onError: (error) => void errors.push(error),
  });
  for await (const next of read) message = next;
  const failures = chunks.flatMap((chunk) => (chunk.type === "error" ? [chunk.errorText] : []));
  expect(errors.map((error) => (error as Error).message)).toEqual(failures);
  return structuredClone(message!);
}

async function expectValid(chunks: readonly TurnChunk[]): Promise<void> {
  const { validate } = uiMessageChunkSchema();
  for (const chunk of chunks) {
    const result = await validate!(JSON.parse(JSON.stringify(chunk)));
    expect(result, JSON.stringify(chunk)).toMatchObject({ success: true });
  }
}

/** The events of each call of a run, turn by turn as they were begun and resumed. */
async function eventsOfCalls(
  play: (
    start: (turns: readonly ScriptedTurn[], config?: Partial<AgentConfig>) => ReturnType<typeof traced>,
  ) => Promise<void>,
): Promise<readonly (readonly AgentEvent[])[]> {
  const calls: AgentEvent[][] = [];
  await play((turns, config) => {
    const run = traced(turns, config);
    run.agent.subscribe((event) => {
      if (event.type === "turn.start") calls.push([]);
      calls.at(-1)!.push(event);
    });
    return run;
  });
  return calls;
}

/** A message in a form that is easy to read: without what is the same in all of them. */
function shown({ id, parts }: UIMessage): readonly unknown[] {
  return [
    id,
    ...parts.map((part) => {
      if (part.type === "text" || part.type === "reasoning")
        return `${part.type}: ${part.text} (${part.state})`;
      if (part.type !== "dynamic-tool") return part.type;
      return { [`${part.toolName} ${part.toolCallId}`]: part.state, output: part.output ?? part.errorText };
    }),
  ];
}

describe("the chunks of a turn", () => {
  describe.each(Object.keys(GOLDEN_RUNS))("%s", (name) => {
    test("are valid for the AI SDK, which makes this message of them", async () => {
      const calls = await eventsOfCalls(GOLDEN_RUNS[name]! as never);
      let message: UIMessage | undefined;
      const messages: (readonly unknown[])[] = [];
      for (const events of calls) {
        const chunks = await chunksOf(events);
        await expectValid(chunks);
        const [start] = chunks;
        const goesOn = start?.type === "start" && message?.id === start.messageId;
        message = await messageOf(chunks, goesOn ? message : undefined);
        messages.push(shown(message));
      }
      expect(messages).toMatchSnapshot();
    });

    test("give a page that is loaded again the messages that the AI SDK has made of them", async () => {
      const calls = await eventsOfCalls(GOLDEN_RUNS[name]! as never);
      const made: UIMessage[] = [];
      for (const events of calls) {
        const chunks = await chunksOf(events.filter(({ type }) => DURABLE.has(type)));
        const goesOn = chunks[0]?.type === "start" && made.at(-1)?.id === chunks[0].messageId;
        const message = await messageOf(chunks, goesOn ? made.pop() : undefined);
        made.push(message);
      }
      const stored = calls.flat().filter(({ type }) => DURABLE.has(type));
      const answers = (await toUIMessages(stored)).filter(({ role }) => role === "assistant");
      expect(JSON.parse(JSON.stringify(answers))).toEqual(JSON.parse(JSON.stringify(made)));
    });

    test("give the same messages if a page follows them, whenever it came", async () => {
      const events = (await eventsOfCalls(GOLDEN_RUNS[name]! as never)).flat();
      const settled = (messages: readonly TurnMessage[]) =>
        messages.map(({ parts, ...message }) => [message, parts.filter(({ type }) => type !== "step-start")]);
      const stored = settled(await toUIMessages(events.filter(({ type }) => DURABLE.has(type))));
      for (let cut = 0; cut <= events.length; cut++) {
        const joined = events.filter((event, index) => index >= cut || DURABLE.has(event.type));
        expect(settled(await toUIMessages(joined)), `joined at event ${cut}`).toEqual(stored);
      }
    });

    test("make the same message of what is stored alone, and of a stream that was joined at any event", async () => {
      const [events = []] = await eventsOfCalls(GOLDEN_RUNS[name]! as never);
      const whole = await messageOf(await chunksOf(events));
      const settled = (message: UIMessage) => message.parts.filter(({ type }) => type !== "step-start");
      for (let cut = 0; cut <= events.length; cut++) {
        const joined = events.filter((event, index) => index >= cut || DURABLE.has(event.type));
        const chunks = await chunksOf(joined);
        await expectValid(chunks);
        expect(settled(await messageOf(chunks)), `joined at event ${cut}`).toEqual(settled(whole));
      }
    });
  });

  test("ask for approvals, show denied and failed calls, and go on with the same message", async () => {
    const { agent } = scripted(
      [{ text: "Let me pay.", calls: [call("c1", "pay"), call("c2", "pay")] }, "Done."],
      {
        tools: [toolOf("pay", () => "paid")],
        permissions: { rules: [{ tool: "pay", action: "ask", reason: "money" }] },
      },
    );
    const first = await chunksOf(await eventsOf(agent.stream("go")));
    expect(first.filter(({ type }) => type === "tool-approval-request")).toEqual([
      { type: "tool-approval-request", approvalId: "c1", toolCallId: "c1", reason: "money" },
      { type: "tool-approval-request", approvalId: "c2", toolCallId: "c2", reason: "money" },
    ]);
    const waiting = await messageOf(first);
    expect(shown(waiting)).toMatchObject([
      "turn-1",
      "step-start",
      "text: Let me pay. (done)",
      { "pay c1": "approval-requested" },
      { "pay c2": "approval-requested" },
    ]);
    await agent.decide("c1", "approve");
    await agent.decide("c2", "deny", { by: "Ana" });
    const second = await chunksOf(await eventsOf(agent.stream()));
    await expectValid([...first, ...second]);
    expect(second).toContainEqual({
      type: "tool-output-denied",
      toolCallId: "c2",
      toolMetadata: {
        account: expect.objectContaining({ decided: [expect.objectContaining({ by: "Ana" })] }),
      },
    });
    expect(shown(await messageOf(second, waiting))).toMatchObject([
      "turn-1",
      "step-start",
      "text: Let me pay. (done)",
      { "pay c1": "output-available", output: "paid" },
      { "pay c2": "output-denied" },
      "step-start",
      "text: Done. (done)",
    ]);
  });

  test("show progress of tools, remove an attempt that was not kept, and what a hook has replaced", async () => {
    const { agent } = scripted(
      [
        async function* () {
          yield { type: "thinking.delta", delta: "hm" };
          yield { type: "text.delta", delta: "first draft" };
          yield { type: "finish", reason: "stop" };
        },
      ],
      {
        hooks: [
          {
            name: "censor",
            postReasoning: ({ message }) => ({
              message: { ...message, content: [{ type: "text", text: "censored" }] },
            }),
          },
        ],
      },
    );
    const chunks = await chunksOf(await eventsOf(agent.stream("go")));
    await expectValid(chunks);
    expect(shown(await messageOf(chunks))).toEqual(["turn-1", "step-start", "text: censored (done)"]);

    const progress = scripted([{ calls: [call("c1", "work")] }, "ok"], {
      tools: [
        toolOf("work", (_, { emit }) => {
          emit("10 %");
          emit(" 20 %");
          return "all";
        }),
      ],
    });
    const worked = await chunksOf(await eventsOf(progress.agent.stream("go")));
    await expectValid(worked);
    const outputs = worked.filter(({ type }) => type === "tool-output-available");
    expect(outputs.at(-2)).toMatchObject({ output: "10 % 20 %", preliminary: true });
    expect(outputs.at(-1)).toMatchObject({ output: "all" });
  });

  test("show the end of a long progress, since each piece shows the others again, and that of the last attempt", async () => {
    let attempts = 0;
    const build: Parameters<typeof toolOf>[1] = (_, { emit }) => {
      if (attempts++ > 0) return (emit("again"), "Built.");
      for (let line = 0; line < 1_000; line++) emit(`line ${line}\n`);
      throw new Error("not now");
    };
    const execution = { maxAttempts: 2, initialBackoffMs: 0, retryOn: "all" } as const;
    const tools = [toolOf("build", build, { idempotent: true, execution })];
    const { agent } = scripted([{ calls: [call("c1", "build")] }, "ok"], { tools });
    const chunks = await chunksOf(await eventsOf(agent.stream("go")));
    const outputs = chunks.flatMap((chunk) =>
      chunk.type === "tool-output-available" && chunk.preliminary ? [String(chunk.output)] : [],
    );
    expect(outputs.at(-1)).toBe("again");
    expect(outputs.at(-2)).toMatch(/^….*line 998\nline 999\n$/su);
    expect(outputs.at(-2)).toHaveLength(4_000);
  });

  describe("of a sub-agent", () => {
    /** An agent that asks a researcher, who looks something up in two books, of which one has a reader of its own. */
    function desk(action: "allow" | "ask") {
      const permissions = { rules: [{ tool: "look", action }] } as const;
      const reader = { name: "reader", model: scriptedModel(["Read."]) };
      const ada = {
        name: "ada",
        model: scriptedModel([
          { text: "I look.", calls: [call("l1", "look")] },
          { calls: [{ id: "r1", name: "call_reader", input: { message: "Read." } }] },
          "Found.",
        ]),
        tools: [toolOf("look", () => "seen"), agentTool({ agent: reader })],
        permissions,
      };
      const calls = [{ id: "c1", name: "call_ada", input: { message: "Look." } }];
      return scripted([{ calls }, "Done."], { tools: [agentTool({ agent: ada })] }).agent;
    }
    const preliminaries = (chunks: readonly TurnChunk[]) =>
      chunks.flatMap((chunk) =>
        chunk.type === "tool-output-available" && chunk.preliminary ? [chunk.output] : [],
      ) as unknown as readonly UIMessage[];

    test("are the output of its call so far: the message of its turn, with agents inside of it", async () => {
      const events = await eventsOf(desk("allow").stream("Go."));
      const chunks = await chunksOf(events);
      await expectValid(chunks);
      const inner = preliminaries(chunks);
      expect(inner.map(({ parts }) => parts.length)).toEqual([3, 3, 5, 5, 5, 5, 7]);
      expect(shown(inner.at(-1)!)).toEqual([
        "turn-1",
        "step-start",
        "text: I look. (done)",
        { "look c1/l1": "output-available", output: "seen" },
        "step-start",
        { "call_reader c1/r1": "output-available", output: "Read." },
        "step-start",
        "text: Found. (done)",
      ]);
      const message = await messageOf(chunks);
      expect(shown(message)).toContainEqual({ "call_ada c1": "output-available", output: "Found." });
      const stored = events.filter(({ type, source }) => DURABLE.has(type) && !source);
      expect(message.parts).toEqual((await messageOf(await chunksOf(stored))).parts);
    });

    test("are taken back while it waits for an approval, which is a question of the page, and go on after it", async () => {
      const agent = desk("ask");
      const events = await eventsOf(agent.stream("Go."));
      const first = await chunksOf(events);
      await expectValid(first);
      expect(preliminaries(first)).toHaveLength(1);
      const waiting = await messageOf(first);
      expect(shown(waiting)).toContainEqual({ "call_ada c1": "input-available", output: undefined });
      expect(waiting.parts.at(-1)).toMatchObject({
        type: "data-ask",
        id: "c1/l1",
        data: { kind: "approval", name: "look", input: {} },
      });
      const stored = events.filter(({ type, source }) => DURABLE.has(type) && !source);
      expect(waiting.parts).toEqual((await messageOf(await chunksOf(stored))).parts);

      const body = { messages: [waiting], decisions: { "c1/l1": "approve" } };
      const { decisions } = readChatRequest(JSON.parse(JSON.stringify(body)), agent.status().pending);
      for (const { callId, decision, argsHash } of decisions)
        await agent.decide(callId, decision, { argsHash });
      const second = await chunksOf(await eventsOf(agent.stream()));
      await expectValid(second);
      expect(preliminaries(second).length).toBeGreaterThan(0);
      const ended = await messageOf(second, waiting);
      expect(shown(ended)).toContainEqual({ "call_ada c1": "output-available", output: "Found." });
      expect(shown(ended).at(-1)).toBe("text: Done. (done)");
    });
  });

  test("end with the turn, although the events go on", async () => {
    const { agent } = scripted(["one", "two"]);
    const events: AgentEvent[] = [];
    agent.subscribe((event) => void events.push(event));
    await agent.call("a");
    await agent.call("b");
    const chunks = await chunksOf(events);
    expect(chunks.filter(({ type }) => type === "start" || type === "finish")).toHaveLength(2);
    expect(shown(await messageOf(chunks))).toEqual(["turn-1", "step-start", "text: one (done)"]);
  });
});

describe("what became of a call", () => {
  const changing = {
    name: "limit",
    preActing: () => ({ input: { amount: 310 } }),
    postActing: () => ({ result: { output: [{ type: "text" as const, text: "sent 310" }] } }),
  };

  test.each(["approved", "edited"])("a part has the arguments with which it ran, once %s", async (how) => {
    const { agent } = scripted([{ calls: [{ id: "c", name: "pay", input: { amount: 31 } }] }, "done"], {
      tools: [toolOf("pay", ({ amount }) => `sent ${String(amount)}`)],
      permissions: { otherwise: "ask" },
      ...(how === "approved" && { hooks: [changing] }),
    });
    const first = await eventsOf(agent.stream("go"));
    await agent.decide("c", how === "approved" ? "approve" : { edit: { amount: 310 } }, { by: "Ana" });
    const second = await eventsOf(agent.stream());
    for (const events of [second, second.filter(({ type }) => DURABLE.has(type))]) {
      const before = await messageOf(await chunksOf(first));
      const chunks = await chunksOf(events);
      await expectValid(chunks);
      const { parts } = await messageOf(chunks, before);
      const part = parts.find(({ type }) => type === "dynamic-tool");
      expect(part).toMatchObject({
        state: "output-available",
        input: { amount: 310 },
        output: "sent 310",
        toolMetadata: { account: { decided: [{ by: "Ana" }], changed: [{ input: { amount: 310 } }] } },
      });
    }
    const stored = await toUIMessages(iterate([...first, ...second]));
    expect(stored.at(-1)?.parts).toContainEqual(expect.objectContaining({ input: { amount: 310 } }));
  });

  test("a part has the difference of a file as data, and no other metadata of its result", async () => {
    const diff = { path: "a", hunks: [] };
    const outcome = { output: [{ type: "text" as const, text: "Edited a." }], metadata: { diff, secret: 1 } };
    const { agent } = scripted([{ calls: [{ id: "c", name: "edit" }] }, "done"], {
      tools: [toolOf("edit", () => outcome)],
    });
    const chunks = await chunksOf(await eventsOf(agent.stream("go")));
    await expectValid(chunks);
    const part = (await messageOf(chunks)).parts.find(({ type }) => type === "dynamic-tool");
    expect(part).toMatchObject({ output: "Edited a.", toolMetadata: { diff } });
    expect(JSON.stringify(chunks)).not.toContain("secret");
  });
});

describe("a structured answer that takes form", () => {
  const output = { type: "object", properties: { dish: { type: "string" } }, required: ["dish"] } as const;
  const piecesOf = (text: string) => text.split("").map((delta) => ({ type: "text.delta" as const, delta }));
  const native = (...turns: readonly ScriptedTurn[]) => ({
    ...scriptedModel(turns),
    capabilities: { structuredOutput: true },
  });
  const finish = { type: "finish", reason: "stop" } as const;

  test("is the metadata of the message while it grows, and begins anew with another answer", async () => {
    const refused = [...piecesOf('{"dish":"no'), { type: "finish" as const, reason: "length" as const }];
    const model = native(refused, [...piecesOf('{"dish":"tea"}'), finish]);
    const agent = createAgent({ name: "bot", model });
    const events: AgentEvent[] = [];
    for await (const event of agent.stream("Order.", { output })) events.push(event as AgentEvent);
    const chunks = await chunksOf(events);
    await expectValid(chunks);
    const parts = chunks.flatMap((chunk) =>
      chunk.type === "message-metadata" ? [chunk.messageMetadata.partialOutput] : [],
    );
    const grown = (...words: readonly string[]) => [{}, ...words.map((dish) => ({ dish }))];
    expect(parts).toEqual([...grown("", "n", "no"), null, ...grown("", "t", "te", "tea")]);
    const upTo = chunks.slice(0, chunks.findLastIndex(({ type }) => type === "message-metadata") + 1);
    expect((await messageOf(upTo)).metadata).toEqual({ turn: 1, partialOutput: { dish: "tea" } });
  });

  test("is in the view of a page until the next turn begins", async () => {
    const { SessionFold } = await import("../../src/ui/react/session-fold.ts");
    const agent = createAgent({
      name: "bot",
      model: native([...piecesOf('{"dish":"tea"}'), finish], [...piecesOf("Bye."), finish]),
    });
    const fold = new SessionFold();
    const views: unknown[] = [];
    agent.subscribe((event) => {
      fold.push(event);
      if (event.type === "output.partial") views.push(fold.view.partialOutput);
    });
    await agent.call("Order.", { output });
    expect(views).toEqual([{}, { dish: "" }, { dish: "t" }, { dish: "te" }, { dish: "tea" }]);
    expect(fold.view).toMatchObject({ status: "ready", partialOutput: { dish: "tea" } });
    await agent.call("Thanks.");
    expect(fold.view.partialOutput).toBeUndefined();
  });
});
