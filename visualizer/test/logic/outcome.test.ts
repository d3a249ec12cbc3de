// Outcomes of runs in words.
import { afterEach, describe, expect, test, vi } from "vitest";
import { REASONS } from "../../../src/core/message/types.ts";
import { endOfTurn, outcomeOf } from "../../src/logic/outcome.ts";
import type { RunRow } from "../../src/wire/types.ts";

const row = (more: Partial<RunRow>) =>
  ({ phase: "stopped", waitsFor: [], pending: 0, ...more }) as Parameters<typeof outcomeOf>[0];

describe("outcomeOf", () => {
  test.each([
    ["MODEL_STOP", "answered", "green"],
    ["STRUCTURED_OUTPUT", "answered", "green"],
    ["INTERRUPTED", "interrupted", "slate"],
    ["MAX_ITERATIONS", "out of iterations", "amber"],
    ["BUDGET_EXCEEDED", "over budget", "amber"],
    ["ERROR", "failed", "red"],
    ["SHUTDOWN", "shut down", "blue"],
  ] as const)("a stopped run with the reason %s is %s", (reason, label, tone) => {
    expect(outcomeOf(row({ reason }))).toMatchObject({ label, tone });
  });

  test.each([
    [{ phase: "running" }, "working"],
    [{ phase: "running", worker: { id: "w", pid: 1, isUp: false, since: 0 } }, "lost"],
    [{ phase: "suspended", waitsFor: ["approval"], pending: 1 }, "needs approval"],
    [{ phase: "suspended", waitsFor: ["budget"] }, "over budget"],
    [{ phase: "suspended", waitsFor: ["externalResult"] }, "waits for a result"],
    [{ phase: "suspended", waitsFor: ["unknownOutcome"] }, "outcome unknown"],
    [{ phase: "unfinished" }, "unfinished"],
    [{ phase: "quarantined" }, "quarantined"],
    [{}, "no turn yet"],
  ] as const)("the row %j is %s", (more, label) => {
    expect(outcomeOf(row(more)).label).toBe(label);
  });

  test("no reason of a stopped run is left without words, but those of suspended runs", () => {
    const unnamed = REASONS.filter((reason) => outcomeOf(row({ reason })).label === "no turn yet");
    expect(unnamed).toEqual(["TOOL_SUSPENDED", "APPROVAL_REQUIRED", "OUTCOME_UNKNOWN"]);
  });
});

describe("endOfTurn", () => {
  test("is undefined while a turn goes on, after an answer, and while calls wait", () => {
    expect(endOfTurn(undefined)).toBeUndefined();
    expect(endOfTurn({ outcome: null, progress: {} })).toBeUndefined();
    expect(endOfTurn({ outcome: { reason: "MODEL_STOP" } })).toBeUndefined();
    expect(endOfTurn({ outcome: { reason: "APPROVAL_REQUIRED" } })).toBeUndefined();
  });

  test("gives the code and the first line of an error", () => {
    const error = { code: "model/failed", message: "503: busy\nat line 2" };
    expect(endOfTurn({ outcome: { reason: "ERROR", error } })).toMatchObject({
      label: "failed",
      text: "model/failed: 503: busy",
    });
  });

  test("gives the limit and the use of a budget, as the reply says them", () => {
    const content = [{ type: "text", text: "Budget exceeded: totalTokens 12560 of 12000." }];
    const reply = { id: "m", role: "assistant", name: "a", content, metadata: {}, timestamp: 1 };
    const outcome = { reason: "BUDGET_EXCEEDED", reply };
    expect(endOfTurn({ outcome, progress: { exceeded: "totalTokens" } })).toMatchObject({
      label: "over budget",
      text: "Budget exceeded: totalTokens 12560 of 12000.",
    });
    expect(endOfTurn({ outcome: null, progress: { exceeded: "modelCalls" } })?.text).toBe(
      "The limit of model calls is used up.",
    );
  });

  test("gives the iteration limit and the cause of an interruption", () => {
    const limit = { name: "maxIters", allowed: 14, used: 14 };
    expect(endOfTurn({ outcome: { reason: "MAX_ITERATIONS", limit } })?.text).toContain("14 iterations");
    expect(endOfTurn({ outcome: { reason: "INTERRUPTED", cause: "timeout" } })?.text).toBe("Cause: timeout.");
  });
});

describe("In another language", () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });

  test("a turn that was answered has no end to explain, and an unknown reason no words", async () => {
    vi.resetModules();
    vi.stubGlobal("document", { documentElement: {} });
    vi.stubGlobal("navigator", { languages: ["zh-CN"] });
    const chinese = await import("../../src/logic/outcome.ts");
    expect(chinese.outcomeOf(row({ reason: "MODEL_STOP" })).label).toBe("已回答");
    for (const reason of ["MODEL_STOP", "STRUCTURED_OUTPUT", "constructor"])
      expect(chinese.endOfTurn({ outcome: { reason } })).toBeUndefined();
    expect(chinese.endOfTurn({ outcome: { reason: "INTERRUPTED" } })?.label).toBe("已中断");
  });
});
