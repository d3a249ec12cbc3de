// Notes of steps.
import { expect, test } from "vitest";
import type { StepAccount } from "../../../machines/agent/step-account.ts";
import { localTime } from "../../src/logic/format.ts";
import { commandNote, isFailure, messagesOf, noteOf, usageOf } from "../../src/logic/step-notes.ts";
import { decodeStep, type Step } from "../../src/wire/step.ts";
import type { JsonObject, PatchOp } from "../../src/wire/types.ts";

const step = (...p: PatchOp[]): Step => decodeStep({ q: 1, t: 1, m: 1, e: "", x: [], s: 0, p });
const came = (account: StepAccount): Step => ({ ...step(), account });
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
  expect(noteOf(came({ draft: { calls: ["shell", "look"], text: "Well" } }))).toBe("→ shell, look");
  expect(noteOf(came({ draft: { calls: [], text: "Well" } }))).toBe("assistant: Well");
  expect(noteOf(came({ end: { turn: 1, reason: "MODEL_STOP" } }))).toBe("MODEL_STOP");
  const takeOver = { from: "pid 1 on a", until: 0, by: "pid 2 on b\u202E", takeovers: 1, isUnfinished: true };
  expect(noteOf(came({ takeOver }))).toBe(
    `taken over from pid 1 on a, whose lease ended ${localTime(0)}, by pid 2 on b⟨U+202E⟩; a turn was unfinished`,
  );
  expect(noteOf(came({ refused: { code: "run/pending", message: "A call waits." } }))).toBe(
    "refused: run/pending A call waits.",
  );
  expect(noteOf(step(["=", ["calls"], [{ call: { name: "grep" }, status: "running" }]]))).toBe(
    "running grep",
  );
  expect(noteOf(step())).toBe("");
});

test("commandNote describes commands of the inspector, and noteOf puts it first", () => {
  const note = (event: string, account: StepAccount = {}): string =>
    commandNote({ ...step(), event, account, by: "inspector" });
  const decided = (kind: string): string => note("tool.decide", { decision: { callId: "c", kind } });
  expect(decided("approve")).toBe("approved in the inspector");
  expect(decided("deny")).toBe("denied in the inspector");
  expect(decided("edit")).toBe("edited in the inspector");
  expect(decided("answer")).toBe("answered in the inspector");
  expect(decided("retry")).toBe("run again in the inspector");
  expect(note("run.interrupt")).toBe("interrupted in the inspector");
  expect(note("run.steer")).toBe("steered in the inspector");
  expect(note("run.shutdown")).toBe("paused in the inspector");
  expect(note("budget.extend")).toBe("budget extended in the inspector");
  expect(note("call")).toBe("resumed in the inspector");
  expect(note("call", { isSent: true })).toBe("sent in the inspector");
  expect(note("session.resume")).toBe("resumed in the inspector");
  expect(commandNote({ ...step(), event: "run.interrupt" })).toBe("");
  expect(noteOf({ ...step(["+", ["messages"], [answer]]), event: "run.steer", by: "inspector" })).toBe(
    "steered in the inspector · → shell",
  );
});

test("commandNote says who has decided, as far as that is known", () => {
  const by = (name: string): string =>
    commandNote({
      ...step(),
      event: "tool.decide",
      account: { decision: { callId: "c", kind: "deny", by: name } },
      by: "inspector",
    });
  expect([by("maria"), by("inspector")]).toEqual(["denied by maria", "denied in the inspector"]);
});

test("commandNote describes the command of steps that are not known apart by their edges", () => {
  const note = (...edges: readonly string[]): string =>
    commandNote({ ...step(), event: "journal", by: "inspector", edges });
  expect(note("a.waiting|tool.decide|0", "a.deciding||1")).toBe("decided in the inspector");
  expect(note("a.running|run.interrupt|0")).toBe("interrupted in the inspector");
  expect(note("a.calling|xstate.done.actor.callModel|0", "a.idle|call|1")).toBe("called in the inspector");
  expect(note()).toBe("changed in the inspector");
});

test("usageOf counts tokens once: with the message of the model", () => {
  expect(usageOf(step(["=", ["draft"], { message: answer }]))).toBeUndefined();
  expect(usageOf(step(["+", ["messages"], [answer]]))?.outputTokens).toBe(2);
});

test("isFailure is true for failures other than a shutdown", () => {
  const [failed, left] = ["model/failed", "run/shutdown"].map((code) => ({ code, message: "x" }));
  expect(isFailure(came({ error: failed! }))).toBe(true);
  expect(isFailure(came({ error: left! }))).toBe(false);
  expect(isFailure(came({ end: { turn: 1, reason: "ERROR", error: failed! } }))).toBe(true);
  expect(isFailure(came({ end: { turn: 1, reason: "SHUTDOWN", error: left! } }))).toBe(false);
  expect(isFailure(came({ isLate: true }))).toBe(true);
  expect(isFailure(step())).toBe(false);
});

test("messagesOf finds messages of every kind of patch", () => {
  expect(messagesOf(step(["=", ["messages"], [answer]]))).toHaveLength(1);
  expect(messagesOf(step(["=", ["messages", 0], answer]))).toHaveLength(1);
  expect(messagesOf(step(["=", ["messages", 0, "name"], "x"]))).toEqual([]);
});
