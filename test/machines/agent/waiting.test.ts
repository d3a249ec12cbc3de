// Events that wait for a state that handles them.
import { describe, expect, it } from "vitest";
import { openCalls } from "../../../machines/agent/updates/calls.ts";
import { user } from "../../../src/testing/explorer/messages.ts";
import { after, asking } from "./at.ts";

describe("events that are not handled at once", () => {
  const says = user("m1");

  it("a steering message waits for the next model call", () => {
    const { context } = after("reasoning.calling.running", {}, { type: "run.steer", at: 200, message: says });
    expect(context.inbox.steering).toEqual([says]);
  });

  it("an observed message waits behind open calls", () => {
    const waiting = asking([{ status: "suspended" }]);
    const { context } = after("suspended.waiting", waiting, {
      type: "session.observe",
      at: 200,
      messages: [says],
    });
    expect(context.inbox.queued).toEqual([says]);
    expect(openCalls(context)).toHaveLength(1);
  });

  it("an observed message is stored at once where nothing is open", () => {
    const { context } = after("stopped.idle", {}, { type: "session.observe", at: 200, messages: [says] });
    expect(context.transcript.at(-1)).toBe(says);
  });

  it("a decision is recorded and runs nothing", () => {
    const asks = asking([{ asks: "it asks" }]);
    const { context, value } = after("suspended.waiting", asks, {
      type: "tool.decide",
      at: 200,
      callId: "c1",
      decision: "deny",
    });
    expect(context.calls[0]?.decided).toBe("deny");
    expect(value).toEqual({ suspended: "waiting" });
  });

  it("the time in which a turn is suspended does not count, whatever events come meanwhile", () => {
    const stats = { startedAt: 0, iterations: 1, modelCalls: 1, toolCalls: 1, usage: {} };
    const rested = asking([{ status: "suspended" }], { at: 5_000, progress: { restedAt: 100, stats } });
    const { context } = after("suspended.waiting", rested, {
      type: "call",
      at: 10_000,
      input: [],
      hasOutput: true,
    });
    expect(context.at - context.progress.stats.startedAt).toBe(100);
  });
});
