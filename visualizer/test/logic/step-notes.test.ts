import { expect, test } from "vitest";
import { commandNote, isFailure, messagesOf, noteOf, usageOf } from "../../src/logic/step-notes.ts";
import { decodeStep, type Step } from "../../src/wire/step.ts";
import type { JsonObject, PatchOp } from "../../src/wire/types.ts";

const step = (...p: PatchOp[]): Step => decodeStep({ q: 1, t: 1, m: 1, e: "", x: [], s: 0, p });
const answer: JsonObject = {
  id: "m",
  role: "assistant",
  name: "a",
  content: [{ type: "tool_use", id: "c", name: "shell", input: {} }],
  metadata: {},
  timestamp: 1,
  usage: { inputTokens: 10, outputTokens: 2 },
};

test("noteOf describes a step by its changes", () => {
  expect(noteOf(step(["+", ["messages"], [answer]]))).toBe("→ shell");
  expect(noteOf(step(["=", ["draft"], { message: answer }]))).toBe("→ shell");
  expect(noteOf(step(["=", ["outcome"], { reason: "MODEL_STOP" }]))).toBe("MODEL_STOP");
  expect(noteOf(step(["=", ["calls"], [{ call: { name: "grep" }, status: "running" }]]))).toBe(
    "running grep",
  );
  expect(noteOf(step())).toBe("");
});

test("commandNote describes commands of the inspector, and noteOf puts it first", () => {
  const note = (event: string, payload: JsonObject = {}): string =>
    commandNote({ ...step(), event, payload, by: "inspector" });
  const decided = (decision: string | JsonObject): string => note("tool.decide", { callId: "c", decision });
  expect(decided("approve")).toBe("approved in the inspector");
  expect(decided({ approve: true, remember: "tool" })).toBe("approved in the inspector");
  expect(decided({ deny: "too dear" })).toBe("denied in the inspector");
  expect(decided({ edit: { cents: 1 } })).toBe("edited in the inspector");
  expect(decided({ answer: "42" })).toBe("answered in the inspector");
  expect(decided("retry")).toBe("run again in the inspector");
  expect(note("run.interrupt")).toBe("interrupted in the inspector");
  expect(note("run.steer")).toBe("steered in the inspector");
  expect(note("run.shutdown")).toBe("paused in the inspector");
  expect(note("budget.extend")).toBe("budget extended in the inspector");
  expect(note("call", { input: [] })).toBe("resumed in the inspector");
  expect(note("call", { input: [answer] })).toBe("sent in the inspector");
  expect(note("session.resume", { input: [] })).toBe("resumed in the inspector");
  expect(commandNote({ ...step(), event: "run.interrupt" })).toBe("");
  expect(noteOf({ ...step(["+", ["messages"], [answer]]), event: "run.steer", by: "inspector" })).toBe(
    "steered in the inspector · → shell",
  );
});

test("commandNote says who has decided, of a live decision and of a stored record", () => {
  const by = (name: string): string =>
    commandNote({
      ...step(),
      event: "tool.decide",
      payload: { callId: "c", decision: { deny: "no" }, decidedBy: name },
      by: "inspector",
    });
  expect([by("maria"), by("inspector")]).toEqual(["denied by maria", "denied in the inspector"]);
  const payload = { id: "c", set: { decided: "approve", decidedBy: "maria" } };
  expect(commandNote({ ...step(), event: "call", payload })).toBe("decided by maria");
  expect(commandNote({ ...step(), event: "call", payload: { input: [] } })).toBe("");
});

test("commandNote describes the command of a stored position by its edges", () => {
  const note = (...edges: readonly string[]): string =>
    commandNote({ ...step(), event: "position", payload: { state: "s" }, by: "inspector", edges });
  expect(note("a.waiting|tool.decide|0", "a.deciding||1")).toBe("decided in the inspector");
  expect(note("a.running|run.interrupt|0")).toBe("interrupted in the inspector");
  expect(note("a.calling|xstate.done.actor.callModel|0", "a.idle|call|1")).toBe("called in the inspector");
  expect(note()).toBe("changed in the inspector");
});

test("usageOf counts tokens once: with the answer, not with its message", () => {
  expect(usageOf(step(["=", ["draft"], { message: answer }]))?.inputTokens).toBe(10);
  expect(usageOf(step(["+", ["messages"], [answer]], ["=", ["draft"], null]))).toBeUndefined();
  expect(usageOf(step(["+", ["messages"], [answer]]))?.outputTokens).toBe(2);
});

test("isFailure is true for failures other than a shutdown", () => {
  expect(isFailure(step(["=", ["failure"], { code: "model/failed", message: "x" }]))).toBe(true);
  expect(isFailure(step(["=", ["failure"], { code: "run/shutdown", message: "x" }]))).toBe(false);
  expect(isFailure(step(["=", ["failure"], null]))).toBe(false);
});

test("messagesOf finds messages of every kind of patch", () => {
  expect(messagesOf(step(["=", ["messages"], [answer]]))).toHaveLength(1);
  expect(messagesOf(step(["=", ["messages", 0], answer]))).toHaveLength(1);
  expect(messagesOf(step(["=", ["messages", 0, "name"], "x"]))).toEqual([]);
});
