// Hooks around a compaction: what they see, and what they may keep or change.
import { describe, expect, test } from "vitest";
import {
  assistantMsg,
  createAgent,
  textOf,
  userMsg,
  type AgentConfig,
  type AgentEvent,
  type Hook,
  type Snapshot,
} from "agentchart";
import { scriptedModel, type ScriptedModel, type ScriptedTurn } from "agentchart/testing";

const long = "words that make a message long ".repeat(30);

/** An agent after two turns, whose model then answers as `turns` say. */
async function spoken(
  turns: readonly ScriptedTurn[],
  hooks: readonly Hook[],
  more: Partial<AgentConfig> = {},
) {
  const model = scriptedModel(["one", "two", ...turns]);
  const compaction = { keepRecentTokens: 1 };
  const agent = createAgent({ name: "a", model, hooks, compaction, ...more });
  await agent.call(`first ${long}`);
  await agent.call(`second ${long}`);
  const shown = () => model.requests.at(-1)!.messages.map(textOf);
  return { agent, model, shown };
}

/** An agent whose prompt is near the window of its model. */
function full(model: ScriptedModel, hooks: readonly Hook[], more: Partial<AgentConfig> = {}) {
  const spoke = [
    userMsg(`first ${long}`),
    assistantMsg("one"),
    userMsg(`second ${long}`),
    assistantMsg("two"),
  ];
  const compaction = { contextTokens: 500, keepRecentTokens: 1 };
  const begun = more.sessionOptions?.snapshot ? {} : { messages: spoke };
  return createAgent({ name: "a", model, hooks, compaction, ...begun, ...more });
}

const pre = (preCompact: NonNullable<Hook["preCompact"]>, name = "h"): Hook => ({ name, preCompact });

describe("a preCompact hook", () => {
  test("sees what is summed up and why, and says what is kept; each sees the changes of those before it", async () => {
    const seen: unknown[] = [];
    const first = pre(({ cause, messages, instructions, previous, tokensBefore }) => {
      seen.push([cause, messages.map(textOf), instructions, previous, tokensBefore > 300]);
      return { instructions: `${instructions} And the names.` };
    });
    const second = pre(({ instructions }) => void seen.push(instructions), "second");
    const { agent, model } = await spoken(["A summary."], [first, second]);
    await agent.compact({ instructions: "Keep the colours." });
    expect(seen).toEqual([
      ["manual", [`first ${long}`, "one", `second ${long}`], "Keep the colours.", undefined, true],
      "Keep the colours. And the names.",
    ]);
    expect(textOf(model.requests[2]!.messages.at(-1)!)).toContain("Keep the colours. And the names.");
  });

  test("gives the summary itself, and no model is asked", async () => {
    const { agent, model, shown } = await spoken(["three"], [pre(() => ({ summary: "By a hook." }))]);
    await agent.compact();
    expect(model.requests).toHaveLength(2);
    await agent.call("third");
    expect(shown()).toEqual([expect.stringMatching(/By a hook\.$/), "two", "third"]);
  });

  test("keeps more of the messages", async () => {
    const hook = pre(({ messages }) => ({ keepFrom: messages[2]!.id }));
    const { agent, shown } = await spoken(["A summary.", "three"], [hook]);
    expect((await agent.compact()).from).toBe(2);
    await agent.call("third");
    expect(shown()).toEqual([expect.stringMatching(/A summary\.$/), `second ${long}`, "two", "third"]);
  });

  test.each<[string, Hook["preCompact"]]>([
    ["skips it", () => ({ skip: true })],
    ["keeps all", ({ messages }) => ({ keepFrom: messages[0]!.id })],
  ])("that %s changes nothing, and compact() resolves", async (_, hook) => {
    const { agent, model, shown } = await spoken(["three"], [pre(hook!)]);
    const { tokensBefore, tokensAfter } = await agent.compact();
    expect(tokensAfter).toBe(tokensBefore);
    expect(model.requests).toHaveLength(2);
    await agent.call("third");
    expect(shown()).toHaveLength(5);
  });

  test("that gives a summary longer than the messages changes nothing, and compact() rejects", async () => {
    const { agent, shown } = await spoken(["three"], [pre(() => ({ summary: long.repeat(9) }))]);
    await expect(agent.compact()).rejects.toMatchObject({ code: "model/empty" });
    await agent.call("third");
    expect(shown()).toHaveLength(5);
  });

  test.each<[string, Hook["preCompact"], string]>([
    [
      "throws",
      () => {
        throw new Error("no");
      },
      "hook/failed",
    ],
    ["returns an unknown field", () => ({ keep: "x" }) as never, "hook/bad-return"],
    ["keeps from a message that is not there", () => ({ keepFrom: "nobody" }), "hook/bad-return"],
    ["gives a summary that is not text", () => ({ summary: 1 }) as never, "hook/bad-return"],
  ])("that %s makes compact() reject, and the session is usable afterwards", async (_, hook, code) => {
    const { agent, shown } = await spoken(["three"], [pre(hook!)]);
    await expect(agent.compact()).rejects.toMatchObject({ code });
    await agent.call("third");
    expect(shown()).toHaveLength(5);
  });

  test("that throws in a turn fails the turn; the next one compacts again", async () => {
    let runs = 0;
    const hook = pre(() => {
      if (runs++ === 0) throw new Error("no");
    });
    const model = scriptedModel(["A summary.", "three"]);
    const agent = full(model, [hook]);
    const events: AgentEvent[] = [];
    agent.subscribe((event) => void events.push(event));
    await expect(agent.call("third")).rejects.toMatchObject({ code: "hook/failed" });
    expect((await agent.call()).text).toBe("three");
    expect(runs).toBe(2);
    expect(model.requests.at(-1)!.messages.map(textOf).at(-1)).toBe("third");
    const ended = events.flatMap((event) => (event.type === "compaction.end" ? [event.did] : []));
    expect(ended).toEqual(["nothing", "summarise"]);
    expect(events.filter(({ type }) => type === "compaction.start")).toHaveLength(2);
  });

  test("that is interrupted changes nothing, and compact() resolves", async () => {
    const hook = pre(async ({ signal }) => {
      agent.interrupt();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    });
    const { agent, shown } = await spoken(["three"], [hook]);
    const { tokensBefore, tokensAfter } = await agent.compact();
    expect(tokensAfter).toBe(tokensBefore);
    agent.removeHook("h");
    await agent.call("third");
    expect(shown()).toHaveLength(5);
  });
});

describe("a postCompact hook", () => {
  test("rewrites the summary, also one that a hook gave", async () => {
    const post: Hook = {
      name: "post",
      postCompact: ({ summary, messages }) => ({ summary: `${summary} (${messages.length})` }),
    };
    const { agent, shown } = await spoken(["A summary.", "three", "four"], [post]);
    await agent.compact();
    await agent.call("third");
    expect(shown()[0]).toMatch(/A summary\. \(3\)$/);
    agent.addHook(pre(() => ({ summary: "By a hook." })));
    await agent.compact();
    await agent.call("fourth");
    expect(shown()[0]).toMatch(/By a hook\. \(2\)$/);
  });

  test("that leaves nothing of the summary changes nothing", async () => {
    const { agent, shown } = await spoken(
      ["A summary.", "three"],
      [{ name: "h", postCompact: () => ({ summary: "" }) }],
    );
    await expect(agent.compact()).rejects.toMatchObject({ code: "model/empty" });
    await agent.call("third");
    expect(shown()).toHaveLength(5);
  });

  test("runs again, for a summary that is asked for again, after a restore in its midst", async () => {
    const snapshots: Snapshot[] = [];
    const agent = full(scriptedModel(["A summary.", "three"]), [
      { name: "h", postCompact: () => void snapshots.push(agent.snapshot()) },
    ]);
    await agent.call("third");
    const model = scriptedModel(["Another summary.", "end"]);
    const post: Hook = { name: "h", postCompact: ({ summary }) => ({ summary: `${summary} Restored.` }) };
    const next = full(model, [post], {
      sessionOptions: { snapshot: JSON.parse(JSON.stringify(snapshots[0])) as Snapshot },
    });
    expect((await next.call()).text).toBe("end");
    expect(textOf(model.requests.at(-1)!.messages[0]!)).toMatch(/Another summary\. Restored\.$/);
  });
});
