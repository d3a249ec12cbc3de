// Interrupts of the user while hooks see a finished answer.
import { describe, expect, test } from "vitest";
import { assistantMsg, type Hook, type Msg } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { RECOVERY_TEXT } from "../../../machines/agent/updates/interruption.ts";
import { scripted, toolOf } from "../../support/agents.ts";
import { call, show } from "../../support/trace.ts";

const RECOVERY = `A[${RECOVERY_TEXT}]`;
const tools = [toolOf("ok", () => "done")];

/** A hook that does something at a point before it returns. */
const at = (point: "postReasoning" | "postCall", act: () => unknown, returns: object = {}): Hook => ({
  name: "h",
  [point]: async () => {
    await act();
    return returns;
  },
});

describe("an interrupt by the user while hooks see a finished answer", () => {
  test.each(["postReasoning", "postCall"] as const)("at %s returns the answer", async (point) => {
    const { agent, model } = scripted(["answer", "on"], {
      hooks: [at(point, () => agent.interrupt("never mind"))],
    });
    const ends: unknown[] = [];
    agent.subscribe((event) => event.type === "turn.end" && ends.push(event.reason));
    const reply = await agent.call("go");
    expect([reply.text, reply.reason, reply.metadata["interrupted"]]).toEqual(["answer", "MODEL_STOP", true]);
    expect([ends, agent.status().phase]).toEqual([["MODEL_STOP"], "stopped"]);
    expect((await agent.messages()).map(show)).toEqual(["U[go]", "A[answer]", "U[never mind]"]);
    agent.removeHook("h");
    const next = await agent.call("and?");
    expect([next.text, next.metadata["interrupted"], model.requests.length]).toEqual(["on", undefined, 2]);
  });

  test("at postReasoning stores the answer as it returns it", async () => {
    const { agent } = scripted(["answer"], { hooks: [at("postReasoning", () => agent.interrupt())] });
    const reply = await agent.call("go");
    expect((await agent.messages()).at(-1)).toMatchObject({
      id: reply.id,
      reason: "MODEL_STOP",
      metadata: { interrupted: true },
    });
  });

  test("at postReasoning lets the hooks of postCall see the answer", async () => {
    const seen: Msg[] = [];
    const sees: Hook = { name: "sees", postCall: ({ reply }) => void seen.push(reply) };
    const { agent } = scripted(["answer"], {
      hooks: [at("postReasoning", () => agent.interrupt()), sees],
    });
    await agent.call("go");
    expect(seen).toMatchObject([{ reason: "MODEL_STOP", metadata: { interrupted: true } }]);
  });

  test("at postCall keeps what the hook makes of the reply", async () => {
    const other = { reply: assistantMsg("other") };
    const { agent } = scripted(["answer"], { hooks: [at("postCall", () => agent.interrupt(), other)] });
    const reply = await agent.call("go");
    expect([reply.text, reply.reason, reply.metadata["interrupted"]]).toEqual(["other", "MODEL_STOP", true]);
  });

  test("at postCall leaves a hook that never ends after the grace period", async () => {
    const { agent } = scripted(["answer"], {
      turnOptions: { interruptGraceMs: 20 },
      hooks: [at("postCall", () => (agent.interrupt(), new Promise(() => {})))],
    });
    const reply = await agent.call("go");
    expect([reply.text, reply.reason, reply.metadata["interrupted"]]).toEqual(["answer", "MODEL_STOP", true]);
  });

  test("at postReasoning returns a structured answer", async () => {
    const { agent } = scripted([], {
      model: scriptedModel(['{"n":1}'], { capabilities: { structuredOutput: true } }),
      hooks: [at("postReasoning", () => agent.interrupt())],
    });
    const output = { type: "object", properties: { n: { type: "number" } } } as const;
    const reply = await agent.call("go", { output });
    expect([reply.output, reply.reason, reply.metadata["interrupted"]]).toEqual([
      { n: 1 },
      "STRUCTURED_OUTPUT",
      true,
    ]);
  });
});

describe("an interrupt while hooks see an answer ends the turn as interrupted", () => {
  test.each<[string, object, string[]]>([
    ["asks for another step", { goto: [] }, ["U[go]", "A[answer]", RECOVERY]],
    ["stops the turn", { stop: true }, ["U[go]", "A[answer]", RECOVERY]],
  ])("if a hook %s", async (_, returns, stored) => {
    const { agent } = scripted(["answer"], {
      hooks: [at("postReasoning", () => agent.interrupt(), returns)],
    });
    expect((await agent.call("go")).reason).toBe("INTERRUPTED");
    expect((await agent.messages()).map(show)).toEqual(stored);
  });

  test("if the answer has calls", async () => {
    const { agent } = scripted([{ calls: [call("c1")] }], {
      tools,
      hooks: [at("postReasoning", () => agent.interrupt())],
    });
    expect((await agent.call("go")).reason).toBe("INTERRUPTED");
  });

  test.each(["postReasoning", "postCall"] as const)("if a signal aborts the call at %s", async (point) => {
    const controller = new AbortController();
    const { agent } = scripted(["answer", "on"], { hooks: [at(point, () => controller.abort())] });
    const running = agent.call("go", { signal: controller.signal });
    await expect(running).rejects.toMatchObject({ code: "run/aborted" });
    expect((await agent.messages()).map(show)).toEqual(["U[go]", "A[answer]", RECOVERY]);
  });
});
