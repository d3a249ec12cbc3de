// The method `snapshot`, and agents that are made of one.
import { describe, expect, test } from "vitest";
import { createAgent, defineTool, toolResultMsg, userMsg, type Json } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { scripted, toolOf } from "../../support/agents.ts";
import { call, show, traced } from "../../support/trace.ts";
import { failureOf } from "../../support/failure.ts";

describe("snapshot", () => {
  test("a snapshot of a suspended session is restored in another agent and continues there", async () => {
    const { agent } = traced([{ calls: [call("c1", "ext"), call("c2")] }]);
    await agent.call("go");
    const snapshot = JSON.parse(JSON.stringify(agent.snapshot()));
    const next = traced(["done"], { sessionOptions: { snapshot } });
    expect(next.agent.status()).toMatchObject({
      phase: "suspended",
      waitsFor: ["externalResult"],
      reason: "TOOL_SUSPENDED",
    });
    const reply = await next.agent.call(toolResultMsg([{ callId: "c1", name: "ext", text: "r" }]));
    expect(reply.text).toBe("done");
    expect((await next.agent.messages()).map(show)).toEqual([
      "U[go]",
      "A[c1,c2]",
      "T(c1)",
      "T(c2)",
      "A[done]",
    ]);
  });

  test("a snapshot taken while a tool runs asks about the call with an unknown outcome, and repeats no finished one (I5)", async () => {
    const ran: string[] = [];
    const tools = ["a", "b"].map((name) =>
      defineTool({
        name,
        description: "",
        input: { type: "object" },
        execute: () => {
          ran.push(name);
          return name === "a" ? "A" : new Promise<string>(() => {});
        },
      }),
    );
    const first = scripted(
      [
        {
          calls: [
            { id: "c1", name: "a" },
            { id: "c2", name: "b" },
          ],
        },
      ],
      { tools, turnOptions: { interruptGraceMs: 1 } },
    );
    void first.agent.call("go");
    await expect.poll(() => ran).toEqual(["a", "b"]);
    const snapshot = first.agent.snapshot();
    const { agent } = scripted(["done"], { tools, sessionOptions: { snapshot } });
    expect(agent.status().phase).toBe("unfinished");
    const reply = await agent.call();
    expect(reply).toMatchObject({
      reason: "OUTCOME_UNKNOWN",
      pending: [{ callId: "c2", waitsFor: "unknownOutcome" }],
    });
    await agent.decide("c2", { answer: "it worked" });
    expect((await agent.call()).text).toBe("done");
    expect(ran).toEqual(["a", "b"]);
    await first.agent.close();
  });

  test("the time between the cut-off of a turn and the call that continues it does not count as time of the turn", async () => {
    let time = 1_000;
    const now = () => time;
    const never = toolOf("never", () => new Promise<string>(() => {}), { idempotent: true });
    const first = scripted([{ calls: [{ id: "c1", name: "never" }] }], {
      tools: [never],
      sessionOptions: { now },
    });
    const cut = failureOf(first.agent.call("go"));
    await expect
      .poll(() => first.agent.actor.getSnapshot().value)
      .toEqual({ acting: { executing: "running" } });
    const snapshot = first.agent.snapshot();
    time += 60_000;
    const { agent } = scripted(["done"], {
      tools: [toolOf("never", () => "ok")],
      sessionOptions: { now, snapshot },
    });
    await agent.observe(userMsg("meanwhile"));
    expect((await agent.call()).turn.durationMs).toBe(0);
    await first.agent.shutdown({ deadlineMs: 0 });
    expect(await cut).toMatchObject({ code: "run/shutdown" });
  });

  test("a snapshot of another format is refused with session/version, an incomplete one with session/damaged", () => {
    const model = scriptedModel([]);
    expect(() => createAgent({ name: "x", model, sessionOptions: { snapshot: { format: 99 } } })).toThrow(
      expect.objectContaining({ code: "session/version" }),
    );
    expect(() => createAgent({ name: "x", model, sessionOptions: { snapshot: { format: 1 } } })).toThrow(
      expect.objectContaining({ code: "session/damaged" }),
    );
  });

  test("a snapshot of another session than was asked for is refused, and one without a valid id", () => {
    const redact = (value: Json): Json =>
      JSON.parse(JSON.stringify(value).replaceAll("ada", "[name]")) as Json;
    const snapshot = scripted([], { sessionId: "ada", sessionOptions: { redact } }).agent.snapshot();
    const open = (sessionId: string | undefined, changes: object = {}): string =>
      scripted([], { sessionId, sessionOptions: { snapshot: { ...snapshot, ...changes } } }).agent.sessionId;
    expect([open("ada"), open(undefined), open("ben", { sessionId: undefined })]).toEqual([
      "ada",
      "ada",
      "ben",
    ]);
    expect(() => open("ben")).toThrow(
      expect.objectContaining({
        code: "config/invalid",
        message: expect.stringMatching(/'ada'.*not 'ben'/u),
      }),
    );
    for (const sessionId of [5, "", null, {}])
      expect(() => open(undefined, { sessionId })).toThrow(
        expect.objectContaining({ code: "session/damaged" }),
      );
  });

  test("a snapshot holds the transcript and less than 4 KB more, and never the user's context", async () => {
    const { agent } = traced([{ calls: [call("c1", "ext")] }], { context: { secret: "s3cr3t" } });
    await agent.call("go");
    const snapshot = agent.snapshot();
    const { messages: _, ...rest } = snapshot;
    expect(JSON.stringify(rest).length).toBeLessThan(4096);
    expect(JSON.stringify(snapshot)).not.toContain("s3cr3t");
  });
});
