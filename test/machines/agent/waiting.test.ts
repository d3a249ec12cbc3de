import { agentResolver } from "../../../machines/agent/agent.machine.ts";
import { describe, expect, it } from "vitest";
import { openCalls } from "../../../machines/agent/updates/calls.ts";
import { user } from "../../laws/explorer/messages.ts";
import { doneEvent, type ChartEvent } from "../../laws/explorer/pure.ts";
import { after, asking, contextOf } from "./at.ts";

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
    const { context } = after("suspended.waiting", rested, { type: "call", at: 10_000, input: [] });
    expect(context.at - context.progress.stats.startedAt).toBe(100);
  });

  it.each<[string, string, ChartEvent, string]>([
    [
      "a decision about no open call",
      "suspended.waiting",
      { type: "tool.decide", at: 200, callId: "c9", decision: "approve" },
      "run/bad-results",
    ],
    [
      "a decision while the calls run",
      "acting.executing.running",
      { type: "tool.decide", at: 200, callId: "c1", decision: "approve" },
      "run/bad-results",
    ],
    [
      "a call while a turn runs",
      "reasoning.calling.running",
      { type: "call", at: 200, input: [] },
      "run/busy",
    ],
    [
      "an interrupt at rest",
      "stopped.idle",
      { type: "run.interrupt", at: 200, cause: "user" },
      "run/not-running",
    ],
    [
      "a steering message at rest",
      "stopped.idle",
      { type: "run.steer", at: 200, message: says },
      "run/not-running",
    ],
    [
      "the outcome of a service that is gone",
      "stopped.idle",
      doneEvent("callModel", { at: 200 }),
      "run/invalid-event",
    ],
  ])("%s is refused", (_title, leaf, event, code) => {
    const given = asking([{ status: leaf.startsWith("acting") ? "running" : "suspended" }]);
    const context = contextOf(leaf === "stopped.idle" ? {} : given);
    const step = agentResolver.next(leaf, context, event);
    expect(step).toMatchObject({ move: undefined, context, effects: [], refused: { code } });
    expect(agentResolver.refusal(leaf, context, event)).toEqual(step!.refused);
  });
});
