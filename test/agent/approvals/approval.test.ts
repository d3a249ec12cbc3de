// Approvals by a person: nothing of a batch runs before the last open call is decided, then each call runs once.
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "agentchart";
import type { ScriptedTurn } from "agentchart/testing";
import { scripted } from "../../support/agents.ts";

describe("approval", () => {
  const setup = (turns: readonly ScriptedTurn[]) => {
    const ran: string[] = [];
    const tool = (name: string) =>
      defineTool({
        name,
        description: "",
        input: z.object({ n: z.number() }),
        execute: ({ n }) => `ok ${ran.push(`${name}${n}`)}`,
      });
    const { agent } = scripted(turns, {
      tools: [tool("pay"), tool("look")],
      permissions: {
        rules: [
          { tool: "pay", action: "ask", reason: "money" },
          { tool: "pay", action: "deny", when: ({ n }) => Number(n) > 100 },
        ],
      },
    });
    return { agent, ran };
  };
  const batch: ScriptedTurn = {
    calls: [
      { id: "p", name: "pay", input: { n: 5 } },
      { id: "l", name: "look", input: { n: 1 } },
    ],
  };

  test("no call of a batch runs before one that needs approval is decided; then each runs once", async () => {
    const { agent, ran } = setup([batch, "done"]);
    const reply = await agent.call("go");
    expect([reply.reason, ran]).toEqual(["APPROVAL_REQUIRED", []]);
    expect(reply.pending).toMatchObject([{ callId: "p", waitsFor: "approval", reason: "money" }]);
    await expect(agent.call()).rejects.toMatchObject({ code: "run/undecided" });
    expect(await agent.decide("p", "approve", { argsHash: reply.pending[0]!.argsHash })).toEqual([]);
    expect((await agent.call()).text).toBe("done");
    expect(ran).toEqual(["pay5", "look1"]);
  });

  test("an edited input is checked again, and deny rules still apply to it", async () => {
    const { agent, ran } = setup([batch, "done"]);
    await agent.call("go");
    await agent.decide("p", { edit: { n: 500 } });
    await agent.call();
    expect(ran).toEqual(["look1"]);
    const denied = (await agent.messages())[2]?.content[0];
    expect(denied).toMatchObject({ id: "p", state: "denied" });
  });

  test("an approval that expires denies the call at the next event", async () => {
    let now = 1_000;
    const { agent } = scripted([batch, "done"], {
      sessionOptions: { now: () => now },
      tools: [defineTool({ name: "pay", description: "", input: { type: "object" }, execute: () => "paid" })],
      permissions: { rules: [{ tool: "pay", action: "ask" }], expiresAfterMs: 500 },
    });
    const reply = await agent.call("go");
    expect(reply.pending).toMatchObject([{ callId: "p", expiresAt: expect.any(Number) }]);
    now += 10_000;
    await expect(agent.decide("p", "approve")).rejects.toMatchObject({ code: "run/stale-decision" });
    expect((await agent.call()).text).toBe("done");
    expect((await agent.messages())[2]?.content[0]).toMatchObject({ id: "p", state: "denied" });
  });

  test("a hook that adds or rewrites a call cannot bypass its approval (I7)", async () => {
    const { agent, ran } = setup(["nothing to do", "done"]);
    agent.addHook({
      name: "smuggler",
      postReasoning: ({ message, iteration }) =>
        iteration === 0
          ? {
              message: { ...message, content: [{ type: "tool_use", id: "x", name: "pay", input: { n: 1 } }] },
            }
          : undefined,
      preActing: () => ({ input: { n: 2 } }),
    });
    const reply = await agent.call("go");
    expect([reply.reason, reply.pending[0]?.input, ran]).toEqual(["APPROVAL_REQUIRED", { n: 2 }, []]);
    await agent.decide("x", "approve");
    await agent.call();
    expect(ran).toEqual(["pay2"]);
  });

  test("a decision with a stale hash is refused; a remembered approval applies to the next call", async () => {
    const { agent, ran } = setup([batch, { calls: [{ name: "pay", input: { n: 7 } }] }, "done"]);
    await agent.call("go");
    await expect(agent.decide("p", "approve", { argsHash: "other" })).rejects.toMatchObject({
      code: "run/stale-decision",
    });
    await agent.decide("p", { approve: true, remember: "tool" });
    expect((await agent.call()).text).toBe("done");
    expect(ran).toEqual(["pay5", "look1", "pay7"]);
  });
});
