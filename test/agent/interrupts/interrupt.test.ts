// Interrupts and steering by the user, at rest and in each state of a turn.
import { describe, expect, test } from "vitest";
import { defineTool } from "agentchart";
import { scripted } from "../../support/agents.ts";
import { call, show, traced } from "../../support/trace.ts";

describe("interrupt", () => {
  test("interrupt() of an agent at rest returns false and does not affect the next call", async () => {
    const { agent } = scripted(["ok"]);
    expect(agent.interrupt()).toBe(false);
    expect((await agent.call("a")).reason).toBe("MODEL_STOP");
    expect(agent.interrupt()).toBe(false);
  });

  test("an interrupt keeps finished results and answers the other calls in call order, with 1 of 3 tools finished", async () => {
    const { agent } = traced([{ calls: [call("c1", "slow"), call("c2"), call("c3", "slow")] }], {
      parallelToolCalls: true,
      tools: [
        defineTool({ name: "ok", description: "", input: { type: "object" }, execute: () => "fine" }),
        defineTool({
          name: "slow",
          description: "",
          input: { type: "object" },
          execute: (_, { signal }) =>
            new Promise<string>((_resolve, reject) =>
              signal.addEventListener("abort", () => reject(new Error("aborted"))),
            ),
        }),
      ],
    });
    agent.subscribe(
      (event) => event.type === "tool.end" && event.callId === "c2" && agent.interrupt("stop it"),
    );
    const reply = await agent.call("go");
    expect(reply.reason).toBe("INTERRUPTED");
    const stored = await agent.messages();
    expect(stored.map(show)).toEqual([
      "U[go]",
      "A[c1,c2,c3]",
      "T(c1)",
      "T(c2)",
      "T(c3)",
      "U[stop it]",
      "A[I noticed that you have interrupted me. What can I do for you?]",
    ]);
    const states = stored
      .slice(2, 5)
      .map(({ content }) => content[0]?.type === "tool_result" && content[0].state);
    expect(states).toEqual(["interrupted", "success", "interrupted"]);
  });

  test("a tool that ignores its signal cannot delay an interrupt beyond the grace period", async () => {
    const deafTool = defineTool({
      name: "deaf",
      description: "",
      input: { type: "object" },
      execute: () => new Promise<string>(() => {}),
    });
    const { agent } = scripted([{ calls: [{ name: "deaf" }] }], {
      tools: [deafTool],
      turnOptions: { interruptGraceMs: 10 },
    });
    agent.subscribe((event) => event.type === "tool.start" && queueMicrotask(() => agent.interrupt()));
    expect((await agent.call("go")).reason).toBe("INTERRUPTED");
  });

  test("an interrupt of a suspended turn answers the open calls", async () => {
    const { agent } = traced([{ calls: [call("c1", "ext")] }, "next"]);
    await agent.call("go");
    expect(agent.interrupt()).toBe(true);
    await expect.poll(() => agent.status().phase).toBe("stopped");
    expect((await agent.messages()).map(show).slice(1, 3)).toEqual(["A[c1]", "T(c1)"]);
    expect((await agent.call("again")).text).toBe("next");
  });

  test("what the agent says after an interrupt can be set, and switched off", async () => {
    const run = async (interruptReply: string | false) => {
      const { agent } = traced([{ calls: [call("c1", "ext")] }, "next"], { turnOptions: { interruptReply } });
      await agent.call("go");
      agent.interrupt("stop");
      await expect.poll(() => agent.status().phase).toBe("stopped");
      const messages = (await agent.messages()).map(show);
      const { text } = await agent.call("on");
      return [...messages, text];
    };
    expect(await run("All right.")).toEqual(["U[go]", "A[c1]", "T(c1)", "U[stop]", "A[All right.]", "next"]);
    expect(await run(false)).toEqual(["U[go]", "A[c1]", "T(c1)", "U[stop]", "next"]);
    const { agent } = traced(["never"], {
      turnOptions: { interruptReply: false },
      hooks: [{ name: "stops", preReasoning: () => void agent.interrupt() }],
    });
    const reply = await agent.call("go");
    expect([reply.reason, reply.text, reply.content]).toEqual(["INTERRUPTED", "", []]);
    expect((await agent.messages()).map(show)).toEqual(["U[go]"]);
    expect(() => traced([], { turnOptions: { interruptReply: "" } })).toThrow(
      /interruptReply.*a text, or false/,
    );
  });

  test.each(["preCall", "preReasoning", "postReasoning", "preActing", "postActing"] as const)(
    "an interrupt during an async %s hook leaves a valid history",
    async (point) => {
      const { agent } = traced([{ text: "t", calls: [call("c1")] }, "next"], {
        turnOptions: { interruptGraceMs: 20 },
        hooks: [{ name: "slow", [point]: () => new Promise(() => {}) }],
      });
      const running = agent.call("go");
      const place = {
        preCall: "doCall",
        preReasoning: "reasoning",
        postReasoning: "reasoning",
        preActing: "acting",
        postActing: "acting",
      }[point];
      await expect
        .poll(() => JSON.stringify(agent.actor.getSnapshot().value))
        .toMatch(new RegExp(`"${place}":\\{?"(pre|post)`));
      agent.interrupt("enough");
      expect((await running).reason).toBe("INTERRUPTED");
      const asked = (await agent.messages()).map(show);
      expect(asked.at(-2)).toBe("U[enough]");
      if (asked.some((each) => each.includes("c1"))) expect(asked).toContain("T(c1)");
    },
  );
});

describe("an interrupt while hooks see a result", () => {
  test("an interrupt during postActing lets the hooks finish, so that what they hide stays hidden", async () => {
    const { agent } = traced([{ calls: [call("c1"), call("c2")] }], {
      hooks: [
        {
          name: "redact",
          postActing: async ({ call: { id } }) => {
            if (id === "c1") agent.interrupt();
            await new Promise((resolve) => setTimeout(resolve, 5));
            return { result: { output: [{ type: "text", text: "hidden" }] } };
          },
        },
      ],
    });
    expect((await agent.call("go")).reason).toBe("INTERRUPTED");
    expect(JSON.stringify(await agent.messages())).not.toContain("done");
  });
});

describe("steering", () => {
  test("steer() reaches the next model call of the turn, and is refused at rest", async () => {
    const { agent, model } = traced([{ calls: [call("c1")] }, "done"]);
    agent.subscribe((event) => event.type === "tool.start" && agent.steer("by the way"));
    await agent.call("go");
    expect(model.requests[1]?.messages.map(show).slice(-2)).toEqual(["T(c1)", "U[by the way]"]);
    expect(agent.steer("late")).toBe(false);
  });
});
