import { message, results, user } from "../../laws/explorer/messages.ts";
import { doneEvent, errorEvent, type ChartEvent } from "../../laws/explorer/pure.ts";

/** A call with results. */
export const callWith = (...input: Parameters<typeof results>): ChartEvent => ({
  type: "call",
  at: 200,
  input: [results(...input)],
});
/** A call with text. */
export const SAY: ChartEvent = { type: "call", at: 200, input: [user("u2")] };
/** A call without input. */
export const GO_ON: ChartEvent = { type: "call", at: 200, input: [] };
export const INTERRUPT: ChartEvent = { type: "run.interrupt", at: 200, cause: "user" };
/** The hooks of a point are done. */
export const hooks = (output: object = {}): ChartEvent => doneEvent("runHooks", { at: 200, ...output });
/** One of the hooks has failed. */
export const failedHook = errorEvent("runHooks", { code: "hook/failed", message: "failed" });
/** The timer of the session has come due. */
export const slept: ChartEvent = { type: "timer.due", at: 200 };
/** The model has ended. */
export const answer = (output: object): ChartEvent =>
  doneEvent("callModel", { at: 200, finishReason: "stop", delivered: true, ...output });
/** The model has answered with this content. */
export const says = (...content: Parameters<typeof message>[2]): ChartEvent =>
  answer({ message: message("a1", "assistant", content) });
/** The model has failed. */
export const fails = (retry: boolean): ChartEvent =>
  answer({ delivered: false, error: { code: "model/unavailable", message: "down", retry } });
