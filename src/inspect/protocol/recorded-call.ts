import type { ModelCall } from "../../../machines/agent/model-call.ts";

/** A request to a model as a part of the displayed context (`modelCall`), from the step that led to it until the next one is made. */
export type RecordedCall = ModelCall & {
  /** The step after which the transcript is the one of the request; its first `length` messages are. */
  readonly step: number;
};
