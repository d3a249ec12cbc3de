import { WHOLE } from "../../../../machines/agent/prompt/view.ts";
import type { ErrorCode } from "../../../../src/core/base/error.ts";
import { Transcript } from "../../../../src/core/message/transcript.ts";
import { IMAGE, message, text, thinking, toolUse } from "../../../../src/testing/explorer/messages.ts";
import { draft, type Given } from "../at.ts";
import { answer as answered, hooks } from "../events.ts";
import type { GuardTable } from "./guard.ts";

const failed = (retry: boolean | undefined, given: Given = {}): Given => ({
  failure: { code: "model/unavailable", message: "down", ...(retry !== undefined && { retry }) },
  ...given,
});
const attempt = (number: number) => ({ request: { attempt: number } });
const withFallback = { settings: { hasFallback: true } };
const noBudget = { budget: { modelCalls: 0 } };
const answer = (finishReason: "stop" | "unknown", ...content: Parameters<typeof message>[2]): Given => ({
  draft: { message: message("a1", "assistant", content), finishReason },
});

const SHOWN = Transcript.of([message("u1", "user", [text("What is it?"), IMAGE])]);
const OMITTED = { at: 0, what: "media", code: "model/bad-request", why: "no" } as const;
const refused = (code: ErrorCode, more: object = {}): Given => ({
  failure: { code, message: "no", retry: false, ...more },
  transcript: SHOWN,
});

/** The guards that judge a model call and its answer. */
export const MODEL_GUARDS: GuardTable = {
  mustWait: {
    holds: [["the time to ask has not come", { at: 100, request: { notBeforeAt: 101 } }]],
    fails: [
      ["the time to ask has come", { at: 100, request: { notBeforeAt: 100 } }],
      ["there is no such time", {}],
    ],
  },
  hasFailed: {
    holds: [["something has failed", failed(undefined)]],
    fails: [["nothing has failed", {}]],
  },
  hasNews: {
    holds: [["the request was not sent", {}, answered({ delivered: false, hasNews: true })]],
    fails: [["the model has answered", {}, answered({})]],
  },
  retryable: {
    holds: [["an attempt is left", failed(true, attempt(1))]],
    fails: [
      ["no attempt is left", failed(true, attempt(2))],
      ["the failure is final", failed(false, attempt(1))],
      ["a part of the answer was delivered", failed(undefined, attempt(1))],
      ["nothing has failed", attempt(1)],
      ["the budget is used up", failed(true, { ...attempt(1), settings: noBudget })],
      ["the model may be asked only once", failed(true, { ...attempt(1), settings: { model: {} } })],
    ],
  },
  canFallBack: {
    holds: [
      ["the failure is final", failed(false, withFallback)],
      ["the attempts are used up", failed(true, { ...withFallback, ...attempt(2) })],
    ],
    fails: [
      ["there is no other model", failed(false)],
      ["the other model has failed", failed(false, { ...withFallback, request: { usesFallback: true } })],
      ["a part of the answer was delivered", failed(undefined, withFallback)],
      ["nothing has failed", withFallback],
      ["the budget is used up", failed(false, { settings: { hasFallback: true, ...noBudget } })],
    ],
  },
  refusedContent: {
    holds: [
      ["a request with an image is refused", refused("model/bad-request")],
      ["the same by a content filter", refused("model/content-filter")],
      ["the same as too large", refused("model/context-length")],
    ],
    fails: [
      ["there is no image", { failure: { code: "model/bad-request", message: "no", retry: false } }],
      ["the model has failed otherwise", refused("model/unavailable")],
      ["the provider does not know the model", refused("model/bad-request", { data: { refused: "model" } })],
      ["a part of the answer was delivered", refused("model/content-filter", { retry: undefined as never })],
      [
        "the image is left out already",
        { ...refused("model/bad-request"), view: { ...WHOLE, omitted: [OMITTED] } },
      ],
      ["nothing has failed", { transcript: SHOWN }],
    ],
  },
  isEmptyAnswer: {
    holds: [
      ["there is no answer", {}],
      ["the answer has no content", answer("stop")],
      ["the answer is blank", answer("stop", text(" \n"))],
      ["the model only thought", answer("stop", thinking("hm"))],
    ],
    fails: [
      ["the answer is text", answer("stop", text("hello"))],
      ["the answer is a call", answer("stop", toolUse("c1"))],
      ["the model only thought and did not say that it had ended", answer("unknown", thinking("hm"))],
      ["the same with a blank text", answer("unknown", thinking("hm"), text(" "))],
    ],
  },
  mayAskAgain: {
    holds: [["the answer is empty for the first time", answer("stop")]],
    fails: [
      ["the answer is not empty", { draft: draft() }],
      ["the answer is empty once too often", { progress: { emptyRetries: 1 } }],
      ["the answer was filtered", { request: { finishReason: "content_filter" } }],
      ["the model refused", { request: { finishReason: "refusal" } }],
      ["the budget is used up", { settings: noBudget }],
    ],
  },
  hasNoSummary: {
    holds: [
      ["the model has failed", failed(false, { draft: draft() })],
      ["the summary is empty", answer("stop")],
    ],
    fails: [["there is a summary", { draft: draft() }]],
  },
  exceedsGotos: {
    holds: [
      ["the steps that hooks may ask for are used up", { progress: { gotos: 1 } }, hooks({ goto: [] })],
    ],
    fails: [
      ["a step is left", { progress: { gotos: 0 } }, hooks({ goto: [] })],
      ["no hook asks for a step", { progress: { gotos: 1 } }, hooks()],
      ["a hook also asks to stop", { progress: { gotos: 1 } }, hooks({ goto: [], stop: true })],
    ],
  },
};
