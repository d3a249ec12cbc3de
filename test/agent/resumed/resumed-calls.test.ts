// Tools that suspend themselves: answers, further questions, and restores.
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, defineTool, suspend, type AgentConfig, type Ask, type Resumed } from "agentchart";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { outputOf, resultsOf, scripted, toolOf } from "../../support/agents.ts";

const NIGHTS = { id: "nights", kind: "form", message: "How many nights?", schema: z.int().min(1) } as const;
const CARD = { id: "card", kind: "url", message: "Pay here.", url: "https://bank.example/pay" } as const;
const BOOK = { calls: [{ id: "call_1", name: "book", input: { city: "Rome" } }] };

/** The value that a question was answered with. */
function responseTo({ answers }: Resumed, id: string): unknown {
  const answer = answers[id];
  return typeof answer === "object" && "respond" in answer ? answer.respond : answer;
}

/** A tool that asks for the nights, then for the payment, and remembers the nights in between. */
const book = defineTool({
  name: "book",
  description: "Books a room.",
  input: z.object({ city: z.string() }),
  execute: ({ city }, { resumed }) => {
    if (!resumed) return suspend("about the stay", { then: "resume", state: { city }, asks: [NIGHTS] });
    if (resumed.round === 1)
      return suspend("about the money", {
        then: "resume",
        state: { ...(resumed.state as object), nights: responseTo(resumed, "nights") as number },
        asks: [CARD],
      });
    return `${JSON.stringify(resumed.state)} ${JSON.stringify(resumed.answers)}`;
  },
});

const booking = (config: Partial<AgentConfig> = {}, turns: readonly ScriptedTurn[] = [BOOK, "Booked."]) =>
  scripted(turns, { tools: [book], ...config }).agent;

/** A tool that asks these questions once, and then returns their answers. */
const asking = (...asks: readonly Ask[]) =>
  toolOf("book", (_, { resumed }) =>
    resumed ? JSON.stringify(resumed.answers) : suspend("it asks", { then: "resume", asks }),
  );

const question = (id: string): Ask => ({ id, kind: "question", message: `${id}?` });

describe("a call that goes on", () => {
  test("asks twice, and runs again with the answers and with what it remembered", async () => {
    const agent = booking();
    const first = await agent.call("go");
    expect([first.reason, agent.status().waitsFor]).toEqual(["TOOL_SUSPENDED", ["answer"]]);
    expect(first.pending).toMatchObject([
      {
        callId: "call_1/nights",
        name: "book",
        input: { city: "Rome" },
        waitsFor: "answer",
        reason: "How many nights?",
        ask: { kind: "form" },
        answerSchema: { type: "integer", minimum: 1 },
      },
    ]);
    expect(await agent.decide("call_1/nights", { respond: 2 }, { by: "ann" })).toEqual([]);
    expect(agent.status().pending).toMatchObject([{ decided: { respond: 2 }, decidedBy: "ann" }]);
    const second = await agent.call();
    expect(second.pending).toMatchObject([
      { callId: "call_1/card", ask: { kind: "url", url: "https://bank.example/pay" } },
    ]);
    await agent.decide("call_1", { respond: { receipt: 7 } }); // its only question
    expect((await agent.call()).text).toBe("Booked.");
    expect(resultsOf(await agent.messages()).map(outputOf)).toEqual([
      '{"city":"Rome","nights":2} {"card":{"respond":{"receipt":7}}}',
    ]);
  });

  test("is seen by preActing once, and asks for its permission once", async () => {
    const seen = new Set<string>();
    const agent = booking({
      permissions: { otherwise: "ask" },
      hooks: [{ name: "eyes", preActing: ({ turn, iteration }) => void seen.add(`${turn}:${iteration}`) }],
    });
    expect((await agent.call("go")).reason).toBe("APPROVAL_REQUIRED");
    await agent.decide("call_1", "approve");
    expect((await agent.call()).pending).toMatchObject([{ callId: "call_1/nights" }]);
    const before = seen.size;
    await agent.decide("call_1/nights", { respond: 1 });
    expect((await agent.call()).pending).toMatchObject([{ callId: "call_1/card" }]);
    await agent.decide("call_1/card", { respond: null });
    expect((await agent.call()).reason).toBe("MODEL_STOP");
    expect(seen.size).toBe(before);
  });

  test("goes on in another process that has only its snapshot", async () => {
    const first = booking();
    await first.call("go");
    await first.decide("call_1/nights", { respond: 3 });
    const second = createAgent({
      name: "bot",
      model: scriptedModel(["Booked."]),
      tools: [book],
      sessionOptions: { snapshot: first.snapshot() },
    });
    expect((await second.call()).pending).toMatchObject([{ callId: "call_1/card" }]);
    await second.decide("call_1/card", { cancel: true });
    await second.call();
    expect(outputOf(resultsOf(await second.messages())[0])).toContain('"nights":3} {"card":{"cancel":true}}');
  });

  test("needs every answer, in any order", async () => {
    const agent = booking({ tools: [asking(question("a"), question("b"), question("c"))] });
    await agent.call("go");
    expect(await agent.decide("call_1/b", { respond: 2 })).toMatchObject([
      { callId: "call_1/a" },
      { callId: "call_1/c" },
    ]);
    await expect(agent.call()).rejects.toMatchObject({
      code: "run/undecided",
      message: expect.stringContaining("[call_1/a, call_1/c]") as string,
    });
    await agent.decide("call_1/c", { decline: true });
    await agent.decide("call_1/a", { respond: "x" });
    await agent.call();
    expect(outputOf(resultsOf(await agent.messages())[0])).toBe(
      '{"a":{"respond":"x"},"b":{"respond":2},"c":{"decline":true}}',
    );
  });

  test("without questions runs again with the next call, with what it remembered", async () => {
    const wait = toolOf("book", (_, { resumed }) =>
      resumed?.round === 2
        ? `waited for ${String(resumed.state)}`
        : suspend("later", { then: "resume", state: resumed ? "two" : "one" }),
    );
    const agent = booking({ tools: [wait] });
    expect((await agent.call("go")).pending).toMatchObject([
      { callId: "call_1", waitsFor: "externalResult" },
    ]);
    await agent.call();
    await agent.call();
    expect(outputOf(resultsOf(await agent.messages())[0])).toBe("waited for two");
  });

  test("fails when it is suspended for the eleventh time", async () => {
    const agent = booking({ tools: [toolOf("book", () => suspend("again", { then: "resume" }))] });
    let rounds = 0;
    for (let reply = await agent.call("go"); reply.reason === "TOOL_SUSPENDED"; reply = await agent.call())
      rounds++;
    expect(rounds).toBe(10);
    expect(resultsOf(await agent.messages())).toMatchObject([
      { code: "tool/failed", output: [{ text: expect.stringContaining("more than 10 times") as string }] },
    ]);
  });

  test("is answered as interrupted, and the hook sees the call and not its questions", async () => {
    const cut: string[] = [];
    const agent = booking({
      hooks: [
        { name: "eyes", onInterrupt: ({ pending }) => void cut.push(...pending.map(({ callId }) => callId)) },
      ],
    });
    await agent.call("go");
    expect(agent.interrupt()).toBe(true);
    await expect.poll(() => agent.status().phase).toBe("stopped");
    expect(resultsOf(await agent.messages())).toMatchObject([{ id: "call_1", state: "interrupted" }]);
    await expect.poll(() => new Set(cut)).toEqual(new Set(["call_1"]));
  });

  test("has its questions cancelled when they expire", async () => {
    let now = 1_000;
    const agent = booking({
      tools: [asking(question("a"), question("b"))],
      permissions: { expiresAfterMs: 500 },
      sessionOptions: { now: () => now },
    });
    expect((await agent.call("go")).pending[0]!.expiresAt).toBeGreaterThan(1_000);
    await agent.decide("call_1/a", { respond: 1 });
    now += 10_000;
    await expect(agent.decide("call_1/b", { respond: 1 })).rejects.toMatchObject({
      code: "run/stale-decision",
    });
    await agent.call();
    expect(outputOf(resultsOf(await agent.messages())[0])).toBe('{"a":{"respond":1},"b":{"cancel":true}}');
  });
});

describe("an answer", () => {
  test.each([
    ["call_1/nights", { respond: 0 }, "run/bad-results"],
    ["call_1/nights", { respond: "two" }, "run/bad-results"],
    ["call_1/nights", "approve", "run/bad-decision"],
    ["call_1/nights", { answer: "2" }, "run/bad-decision"],
    ["call_1/other", { respond: 2 }, "run/bad-results"],
    ["call_2/nights", { respond: 2 }, "run/bad-results"],
    ["call_1/nights", { respond: undefined } as never, "config/invalid"],
  ] as const)("to %s of %j is refused with %3$s, and changes nothing", async (address, decision, code) => {
    const agent = booking();
    await agent.call("go");
    const before = JSON.stringify(agent.snapshot());
    await expect(agent.decide(address, decision)).rejects.toMatchObject({ code });
    expect(JSON.stringify(agent.snapshot())).toBe(before);
  });

  test("needs the address of one question if the call has asked several", async () => {
    const agent = booking({ tools: [asking(question("a"), question("b"))] });
    await agent.call("go");
    await expect(agent.decide("call_1", { respond: 1 })).rejects.toMatchObject({
      code: "run/bad-results",
      message: "Call 'call_1' has asked 2 questions; expected one of call_1/a, call_1/b.",
    });
  });

  test("that was given to the question of an earlier round does not answer one with the same id", async () => {
    const again = toolOf("book", (_, { resumed }) =>
      resumed?.round === 2
        ? String(responseTo(resumed, "a"))
        : suspend("it asks", { then: "resume", asks: [question("a")] }),
    );
    const agent = booking({ tools: [again] });
    const { argsHash } = (await agent.call("go")).pending[0]!;
    await agent.decide("call_1/a", { respond: 1 }, { argsHash });
    await agent.call();
    await expect(agent.decide("call_1/a", { respond: 1 }, { argsHash })).rejects.toMatchObject({
      code: "run/stale-decision",
    });
    expect(agent.status().pending[0]).not.toHaveProperty("decided");
  });

  test("about a permission is one of the decisions about permissions", async () => {
    const agent = booking({
      tools: [asking({ id: "sandbox", kind: "approval", message: "Without the sandbox?" })],
    });
    expect((await agent.call("go")).pending).toMatchObject([
      { waitsFor: "approval", ask: { kind: "approval" } },
    ]);
    await expect(agent.decide("call_1", { edit: {} })).rejects.toMatchObject({
      code: "run/bad-decision",
      data: { allowed: ["approve", "deny", "decline", "cancel"] },
    });
    await agent.decide("call_1/sandbox", { deny: "no" });
    await agent.call();
    expect(outputOf(resultsOf(await agent.messages())[0])).toBe('{"sandbox":{"deny":"no"}}');
  });

  test.each([{ respond: 1 }, { decline: true }, { cancel: true }] as const)(
    "of the form %j is refused by a call that asks nothing",
    async (decision) => {
      const agent = booking({ tools: [toolOf("book", () => suspend("later"))] });
      await agent.call("go");
      await expect(agent.decide("call_1", decision)).rejects.toMatchObject({ code: "run/bad-decision" });
      await agent.decide("call_1", { answer: "done" });
      expect((await agent.call()).text).toBe("Booked.");
    },
  );
});

describe("a call that waits inside of another one", () => {
  /** An agent in whose turn a call of `wipe` waits, two agents deep. */
  const nested = () => {
    const wipe = toolOf("wipe", () => "wiped");
    const child = createAgent({
      name: "child",
      model: scriptedModel([{ calls: [{ id: "call_7", name: "wipe", input: { disk: 1 } }] }, "It is wiped."]),
      tools: [wipe],
      permissions: { otherwise: "ask" },
    });
    const run = toolOf("ask_child", async (_, { resumed }) => {
      for (const [id, decision] of Object.entries(resumed?.answers ?? {})) await child.decide(id, decision);
      const reply = await (resumed ? child.call() : child.call("wipe the disk"));
      if (reply.pending.length === 0) return reply.text;
      const asks = reply.pending.map((call): Ask => ({
        id: call.callId,
        kind: "approval",
        message: call.reason ?? "",
        call,
      }));
      return suspend("the child waits", { then: "resume", asks });
    });
    return scripted([{ calls: [{ id: "call_1", name: "ask_child", input: {} }] }, "Done."], { tools: [run] })
      .agent;
  };

  test("is shown with its own tool and arguments, and decided by its path", async () => {
    const agent = nested();
    const reply = await agent.call("go");
    expect(agent.status().waitsFor).toEqual(["approval"]);
    expect(reply.pending).toMatchObject([
      {
        callId: "call_1/call_7",
        path: ["ask_child"],
        name: "wipe",
        input: { disk: 1 },
        waitsFor: "approval",
      },
    ]);
    await expect(agent.decide("call_1/call_7", { respond: 1 })).rejects.toMatchObject({
      code: "run/bad-decision",
    });
    await agent.decide("call_1/call_7", "approve", { argsHash: reply.pending[0]!.argsHash });
    await agent.call();
    expect(resultsOf(await agent.messages()).map(outputOf)).toEqual(["It is wiped."]);
  });
});

test("a question about a call that expires is cancelled with it, and others stay open", async () => {
  let now = 1_000;
  const call = {
    callId: "call_7",
    name: "wipe",
    input: {},
    argsHash: "h",
    waitsFor: "approval",
    since: 0,
  } as const;
  const inner: Ask = { id: "call_7", kind: "approval", message: "?", call: { ...call, expiresAt: 5_000 } };
  const agent = booking({ tools: [asking(inner, question("b"))], sessionOptions: { now: () => now } });
  expect((await agent.call("go")).pending).toMatchObject([{ expiresAt: 5_000 }, { callId: "call_1/b" }]);
  now = 6_000;
  await expect(agent.call()).rejects.toMatchObject({
    code: "run/undecided",
    message: expect.stringContaining("[call_1/b]") as string,
  });
  await agent.decide("call_1/b", { respond: 1 });
  await agent.call();
  expect(outputOf(resultsOf(await agent.messages())[0])).toBe('{"call_7":{"cancel":true},"b":{"respond":1}}');
});

describe("a suspension that cannot be stored", () => {
  const ask = { id: "a", kind: "form", message: "?" } as const;

  test.each([
    [
      "a schema that is none",
      () => suspend("?", { then: "resume", asks: [{ ...ask, schema: { type: "text" } }] }),
      "schema of ask 'a' cannot be used",
    ],
    [
      "a schema that is not an object",
      () => suspend("?", { then: "resume", asks: [{ ...ask, schema: 5 as never }] }),
      "schema is expected",
    ],
    [
      "two questions with one id",
      () => suspend("?", { then: "resume", asks: [ask, ask] }),
      "two of its asks have the id 'a'",
    ],
    [
      "a kind that is none",
      () => suspend("?", { then: "resume", asks: [{ ...ask, kind: "poll" as never }] }),
      '`asks[0].kind` is "poll"',
    ],
    [
      "a page without an address",
      () => suspend("?", { then: "resume", asks: [{ ...ask, kind: "url" }] }),
      "ask 'a' has no `url`",
    ],
    [
      "an address that is not a page",
      () => suspend("?", { then: "resume", asks: [{ ...ask, url: "javascript:alert(1)" }] }),
      "http or https address",
    ],
    [
      "a call inside of it that is none",
      () => suspend("?", { then: "resume", asks: [{ ...ask, call: { callId: "c", name: "pay" } as never }] }),
      "`asks[0].call.input` is missing",
    ],
    [
      "a state of more than 64 KB",
      () => suspend("?", { then: "resume", state: "x".repeat(65_535) }),
      "state is larger than 64 KB",
    ],
    [
      "a state that is not JSON",
      () => suspend("?", { then: "resume", state: 1n as never }),
      "contains a bigint",
    ],
    [
      "questions of a suspension that does not go on",
      () => suspend("?", { asks: [ask] }),
      'expect `then: "resume"`',
    ],
  ])("because of %s is an error result, and the turn goes on", async (_, execute, problem) => {
    const agent = booking({ tools: [toolOf("book", execute)] });
    expect((await agent.call("go")).text).toBe("Booked.");
    expect(resultsOf(await agent.messages())).toMatchObject([
      { state: "error", code: "tool/failed", output: [{ text: expect.stringContaining(problem) as string }] },
    ]);
  });
});
