// Interrupts that come while other ends of a turn are under way.
import { describe, expect, test } from "vitest";
import { suspend, toolUsesOf, type Agent, type Hook } from "agentchart";
import type { ScriptedTurn } from "agentchart/testing";
import { RECOVERY_TEXT } from "../../../machines/agent/updates/interruption.ts";
import { outputOf, resultsOf, scripted, toolOf } from "../../support/agents.ts";
import { historyProblem } from "../../support/history.ts";
import { call, show } from "../../support/trace.ts";

const work = toolOf("ok", (_, { callId }) => `${callId} done`);
const fail = (): never => {
  throw new Error("boom");
};
const two = { text: "t", calls: [call("c1"), call("c2")] };

/** A hook that fails at this point after it has interrupted the turn. */
function failing(point: keyof Hook, agent: () => Agent): Hook {
  const fail = async (): Promise<never> => {
    agent().interrupt("stop");
    await Promise.resolve();
    throw new Error("gone");
  };
  return { name: "fails", [point]: fail };
}

describe("a hook that fails when the turn was interrupted leaves it interrupted", () => {
  test.each([
    ["postReasoning", ["interrupted", "interrupted"]],
    ["postActing", ["success", "success"]],
  ] as const)(
    "a %s hook that fails after an interrupt leaves the turn interrupted",
    async (point, states) => {
      const { agent } = scripted([two, "next"], { tools: [work], hooks: [failing(point, () => agent)] });
      expect((await agent.call("go")).reason).toBe("INTERRUPTED");
      const stored = await agent.messages();
      expect(stored.map(show)).toEqual([
        "U[go]",
        "A[t,c1,c2]",
        "T(c1)",
        "T(c2)",
        "U[stop]",
        `A[${RECOVERY_TEXT}]`,
      ]);
      expect(resultsOf(stored).map(({ state }) => state)).toEqual(states);
      expect(historyProblem(stored)).toBeUndefined();
      if (point === "postActing") expect(resultsOf(stored).map(outputOf)).toEqual(["c1 done", "c2 done"]);
    },
  );

  test("a hook that fails after a call timed out leaves it its fallback reply", async () => {
    const hook: Hook = {
      name: "slow",
      postReasoning: ({ signal }) =>
        new Promise((_, reject) => {
          setTimeout(() => reject(new Error("gone")), 30);
          signal.addEventListener("abort", () => reject(new Error("aborted")));
        }),
    };
    const { agent } = scripted(["answer"], { hooks: [hook] });
    const reply = await agent.call("go", { timeoutMs: 5, fallbackReply: "Later." });
    expect([reply.text, reply.reason]).toEqual(["Later.", "INTERRUPTED"]);
  });
});

describe("while onInterrupt hooks run", () => {
  test("the message of a second interrupt during onInterrupt is stored", async () => {
    const said: boolean[] = [];
    const hook: Hook = { name: "hears", onInterrupt: () => void said.push(agent.interrupt("second")) };
    const tells = toolOf("ok", () => (agent.interrupt("first"), "done"));
    const { agent } = scripted([{ calls: [call("c1")] }], { tools: [tells], hooks: [hook] });
    expect((await agent.call("go")).text).toBe(RECOVERY_TEXT);
    expect(said).toEqual([true]);
    const end = (await agent.messages()).map(show).slice(-3);
    expect(end).toEqual(["U[first]", `A[${RECOVERY_TEXT}]`, "U[second]"]);
  });

  test("a call whose signal aborts during onInterrupt rejects with run/aborted", async () => {
    const controller = new AbortController();
    const hook: Hook = { name: "hears", onInterrupt: () => controller.abort() };
    const tells = toolOf("ok", () => (agent.interrupt(), "done"));
    const { agent } = scripted([{ calls: [call("c1")] }], { tools: [tells], hooks: [hook] });
    const turn = agent.call("go", { signal: controller.signal });
    await expect(turn).rejects.toMatchObject({ code: "run/aborted" });
  });
});

describe("tool calls in a summary", () => {
  const summary = { text: "so far", calls: [call("c2")] };

  test("tool calls in an interrupted summary are dropped", async () => {
    const interrupted: ScriptedTurn = async function* () {
      yield { type: "text.delta", delta: summary.text };
      yield { type: "tool.delta", key: 0, ...summary.calls[0]!, args: "{}" };
      agent.interrupt();
      yield { type: "text.delta", delta: " and more" };
    };
    const { agent } = scripted([{ calls: [call("c1")] }, interrupted], { tools: [work], maxIters: 1 });
    expect((await agent.call("go")).reason).toBe("INTERRUPTED");
    expect((await agent.messages()).map(show).slice(-2)).toEqual(["A[so far]", `A[${RECOVERY_TEXT}]`]);
  });

  test("tool calls in a summary are dropped before and after its hooks", async () => {
    const seen: number[] = [];
    const hook: Hook = {
      name: "adds",
      postSummary: ({ message }) => {
        seen.push(toolUsesOf(message).length);
        const added = { type: "tool_use", id: "c3", name: "ok", input: {} } as const;
        return { message: { ...message, content: [...message.content, added] } };
      },
    };
    const { agent } = scripted([{ calls: [call("c1")] }, summary], {
      tools: [work],
      maxIters: 1,
      hooks: [hook],
    });
    expect((await agent.call("go")).reason).toBe("MAX_ITERATIONS");
    expect(seen).toEqual([0]);
    expect((await agent.messages()).map(show).at(-1)).toBe("A[so far]");
  });
});

describe("the result of an interrupted call that has run", () => {
  const heard = [
    expect.stringContaining("may have taken effect"),
    expect.stringContaining("before it could"),
  ];

  test("a call that suspends when its signal aborts is reported as having run", async () => {
    const waits = toolOf("ok", () => (agent.interrupt(), suspend("later")));
    const { agent } = scripted([two], { tools: [waits] });
    expect((await agent.call("go")).reason).toBe("INTERRUPTED");
    expect(resultsOf(await agent.messages()).map(outputOf)).toEqual(heard);
  });

  test("a failed call that waits for its retry when interrupted is reported as having run", async () => {
    const fails = toolOf("ok", fail, { execution: { maxAttempts: 2, initialBackoffMs: 60_000 } });
    const { agent } = scripted([two], { tools: [fails] });
    agent.subscribe((event) => event.type === "retry" && agent.interrupt());
    expect((await agent.call("go")).reason).toBe("INTERRUPTED");
    expect(resultsOf(await agent.messages()).map(outputOf)).toEqual(heard);
  });
});
