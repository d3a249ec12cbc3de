import { expect, test } from "vitest";
import { compact, duration, money } from "../src/logic/format.ts";
import { askedNote, isFailure, messagesOf, noteOf, usageOf } from "../src/logic/step-notes.ts";
import { sumUsage } from "../src/logic/totals.ts";
import type { JsonObject, PatchOp, Step } from "../src/wire/types.ts";

const step = (...p: PatchOp[]): Step => ({ q: 1, t: 1, m: 1, e: "", x: [], s: 0, p });
const answer: JsonObject = {
  id: "m",
  role: "assistant",
  name: "a",
  content: [{ type: "tool_use", id: "c", name: "shell", input: {} }],
  metadata: {},
  timestamp: 1,
  usage: { inputTokens: 10, outputTokens: 2 },
};

test("a step is described by what it changed", () => {
  expect(noteOf(step(["+", ["messages"], [answer]]))).toBe("→ shell");
  expect(noteOf(step(["=", ["draft"], { message: answer }]))).toBe("→ shell");
  expect(noteOf(step(["=", ["outcome"], { reason: "MODEL_STOP" }]))).toBe("MODEL_STOP");
  expect(noteOf(step(["=", ["calls"], [{ call: { name: "grep" }, status: "running" }]]))).toBe(
    "running grep",
  );
  expect(noteOf(step())).toBe("");
});

test("what somebody did in the inspector is said before what it changed; what the program did is not", () => {
  const asked = (e: string, v: JsonObject = {}): string => askedNote({ ...step(), e, v, by: "inspector" });
  const decided = (decision: string | JsonObject): string => asked("tool.decide", { callId: "c", decision });
  expect(decided("approve")).toBe("approved in the inspector");
  expect(decided({ approve: true, remember: "tool" })).toBe("approved in the inspector");
  expect(decided({ deny: "too dear" })).toBe("denied in the inspector");
  expect(decided({ edit: { cents: 1 } })).toBe("edited in the inspector");
  expect(decided({ answer: "42" })).toBe("answered in the inspector");
  expect(decided("retry")).toBe("run again in the inspector");
  expect(asked("run.interrupt")).toBe("interrupted in the inspector");
  expect(asked("run.steer")).toBe("steered in the inspector");
  expect(asked("run.shutdown")).toBe("paused in the inspector");
  expect(asked("budget.extend")).toBe("budget extended in the inspector");
  expect(asked("call", { input: [] })).toBe("resumed in the inspector");
  expect(asked("call", { input: [answer] })).toBe("sent in the inspector");
  expect(asked("session.resume", { input: [] })).toBe("resumed in the inspector");
  expect(askedNote({ ...step(), e: "run.interrupt" })).toBe("");
  expect(noteOf({ ...step(["+", ["messages"], [answer]]), e: "run.steer", by: "inspector" })).toBe(
    "steered in the inspector · → shell",
  );
});

test("tokens are counted once: with the answer, not with the message that is made from it", () => {
  expect(usageOf(step(["=", ["draft"], { message: answer }]))?.inputTokens).toBe(10);
  expect(usageOf(step(["+", ["messages"], [answer]], ["=", ["draft"], null]))).toBeUndefined();
  expect(usageOf(step(["+", ["messages"], [answer]]))?.outputTokens).toBe(2);
});

test("a failure is one, a shutdown is none", () => {
  expect(isFailure(step(["=", ["failure"], { code: "model/failed", message: "x" }]))).toBe(true);
  expect(isFailure(step(["=", ["failure"], { code: "run/shutdown", message: "x" }]))).toBe(false);
  expect(isFailure(step(["=", ["failure"], null]))).toBe(false);
});

test("messages are found however they were put there", () => {
  expect(messagesOf(step(["=", ["messages"], [answer]]))).toHaveLength(1);
  expect(messagesOf(step(["=", ["messages", 0], answer]))).toHaveLength(1);
  expect(messagesOf(step(["=", ["messages", 0, "name"], "x"]))).toEqual([]);
});

test("a figure nobody told is a dash, never a nought", () => {
  expect(compact(undefined)).toBe("–");
  expect(money(undefined)).toBe("–");
  expect(sumUsage([{ inputTokens: 5 }, {}])).toEqual({ inputTokens: 5 });
  expect(sumUsage([{ cost: 1 }, {}]).cost).toBeUndefined();
});

test("numbers are short and lengths of time have units", () => {
  expect([compact(999), compact(43_185), compact(606_365), compact(2_000_000)]).toEqual([
    "999",
    "43.2k",
    "606k",
    "2M",
  ]);
  expect([duration(0.2), duration(413), duration(2_210), duration(245_000)]).toEqual([
    "0.2 ms",
    "413 ms",
    "2.21 s",
    "4 m 05 s",
  ]);
});
