// The hook `print` changes what is shown, and not what is stored.
import { describe, expect, test } from "vitest";
import { createAgent, textOf, type AgentEvent, type Hook, type StreamPart } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { toolOf } from "../../support/agents.ts";

const SECRET = /sk-\d+/gu;

/** Hides keys, and holds back what may become one. */
const redact: Hook = {
  name: "redact",
  print: ({ soFar, isLast }) => {
    const safe = isLast ? soFar : soFar.slice(0, soFar.length - (/s?k?-?\d*$/u.exec(soFar)?.[0].length ?? 0));
    return safe.replace(SECRET, "[key]");
  },
};

async function shown(turns: readonly ScriptedTurn[], hooks: readonly Hook[], input = "go") {
  const agent = createAgent({ name: "bot", model: scriptedModel(turns), hooks, store: memoryStore() });
  const events: AgentEvent[] = [];
  const stream = agent.stream(input, { cumulative: true });
  for await (const event of stream) events.push(event);
  const deltas = events.filter((event) => event.type === "block.delta");
  const of = (kind: string) => deltas.filter((each) => each.kind === kind).map(({ delta }) => delta);
  return { agent, events, deltas, of, reply: await stream.reply };
}

/** A text in pieces, as a model streams it. */
const cut = (text: string, size: number, type: "text" | "thinking" = "text"): StreamPart[] =>
  text.match(new RegExp(`.{1,${size}}`, "gsu"))!.map((delta) => ({ type: `${type}.delta` as const, delta }));
const STOP: StreamPart = { type: "finish", reason: "stop" };

describe("a hook at print", () => {
  test.each([1, 2, 3, 5, 100])(
    "changes what is shown of pieces of %i characters, and not what is stored",
    async (size) => {
      const text = "The key is sk-123, not sk-45.";
      const hidden = "The key is [key], not [key].";
      const { agent, of, events, reply, deltas } = await shown([[...cut(text, size), STOP]], [redact]);
      expect(of("text").join("")).toBe(hidden);
      expect(deltas.at(-1)).toMatchObject({ soFar: hidden });
      const said = events.flatMap((event) =>
        event.type === "message" && event.message.role === "assistant" ? [event.message] : [],
      );
      expect(said.map(textOf)).toEqual([hidden]);
      const end = events.at(-1) as AgentEvent & { readonly type: "turn.end" };
      expect(textOf(end.reply!)).toBe(hidden);
      expect(reply.text).toBe(text);
      expect(textOf((await agent.messages()).at(-1)!)).toBe(text);
      await agent.close();
    },
  );

  test("is given what hooks before it have left, thinking too, and a block that is complete as such", async () => {
    const given: unknown[] = [];
    const upper: Hook = { name: "upper", priority: 1, print: ({ soFar }) => soFar.toUpperCase() };
    const watch: Hook = {
      name: "watch",
      print: ({ kind, soFar, isLast, agent, turn }) => void given.push([agent, turn, kind, soFar, isLast]),
    };
    const turn = [...cut("hm", 1, "thinking"), ...cut("yes", 2), STOP];
    const { of, agent } = await shown([turn], [watch, upper]);
    expect([of("thinking"), of("text")]).toEqual([
      ["H", "M"],
      ["YE", "S"],
    ]);
    expect(given.slice(0, 6)).toEqual([
      ["bot", 1, "thinking", "H", false],
      ["bot", 1, "thinking", "HM", false],
      ["bot", 1, "thinking", "HM", true],
      ["bot", 1, "text", "YE", false],
      ["bot", 1, "text", "YES", false],
      ["bot", 1, "text", "YES", true],
    ]);
    await agent.close();
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("broken");
      },
      "broken",
    ],
    ["returns no string", () => 7 as never, "expected a string or nothing, got a number"],
    ["returns a promise", (() => Promise.reject(new Error("late"))) as never, "got a object"],
  ])("that %s shows nothing and fails nothing", async (_, print: NonNullable<Hook["print"]>, problem) => {
    const { of, events, reply, agent } = await shown([[...cut("secret", 3), STOP]], [{ name: "p", print }]);
    expect(of("text")).toEqual([]);
    const failures = events.filter((event) => event.type === "hook.failed");
    expect(failures.length).toBeGreaterThan(0);
    for (const { hook, error } of failures)
      expect([hook, error.message]).toEqual(["p", expect.stringContaining(problem)]);
    expect(JSON.stringify(events.filter(({ type }) => type !== "hook.failed"))).not.toContain("secret");
    expect(reply.text).toBe("secret");
    await agent.close();
  });

  test("that says something else than before takes nothing back, and has its way in the message", async () => {
    const flip: Hook = { name: "flip", print: ({ soFar, isLast }) => (isLast ? "other" : soFar) };
    const { of, events, agent } = await shown([[...cut("abc", 1), STOP]], [flip]);
    expect(of("text")).toEqual(["a", "b", "c"]);
    const messages = events.flatMap((event) => (event.type === "message" ? [textOf(event.message)] : []));
    expect(messages).toEqual(["go", "other"]);
    await agent.close();
  });

  test("leaves what the user says, calls and their results as they are", async () => {
    const secret = "sk-9";
    const calls = [{ name: "echo", input: { text: secret } }];
    const { events, agent } = await shown(
      [{ calls }, "done"],
      [{ ...redact, tools: [toolOf("echo", () => secret)] }],
      `my key is ${secret}`,
    );
    const said = events.flatMap((event) => (event.type === "message" ? [event.message] : []));
    expect(textOf(said[0]!)).toBe(`my key is ${secret}`);
    expect(JSON.stringify(said[1])).toContain(secret);
    expect(JSON.stringify(said[2])).toContain(secret);
    await agent.close();
  });
});
