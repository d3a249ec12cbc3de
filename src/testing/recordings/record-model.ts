// src/testing/recordings records the answers of models in files, and answers from them.
import { AgentError, errorInfo } from "../../core/base/error.ts";
import { hideSecrets } from "../../core/base/secrets.ts";
import * as s from "../../core/base/option-schema.ts";
import { check } from "../../core/base/options.ts";
import type { ChatModel, LeftOutTool, StreamPart } from "../../core/model/port.ts";
import { modelSchema } from "../../core/model/generate-schema.ts";
import { canonicalOf, fieldsOf } from "./canonical.ts";
import {
  RECORDING_FORMAT,
  redactedParts,
  redactedRequest,
  writeRecording,
  type RecordedModel,
  type Recording,
  type Redact,
} from "./recording.ts";

/** Options of {@link recordModel}. */
export type RecordOptions = {
  /** The folder of the recordings; it is made if it is not there. */
  readonly dir: string;
  /** Returns what is compared and written in the place of a value: a request, or a part of an answer. It is called after `redactSecrets`, and
   *  may also replace what differs from run to run, such as the date of a prompt. {@link replayModel} needs the same. Default: the value. */
  readonly redact?: Redact | undefined;
};

/** Returns the number of the answer to a request with this key, from 1. */
export type NumberOf = (key: string) => number;

/** Numbers the answers to each request as they are asked for. */
export function numbering(): NumberOf {
  const asked = new Map<string, number>();
  return (key) => {
    const number = (asked.get(key) ?? 0) + 1;
    asked.set(key, number);
    return number;
  };
}

const recordSchema = s.lazily(() =>
  s.options<RecordOptions>({ dir: s.nonEmpty(), redact: s.optional(s.func()) }),
);

/** Asks a model, and records its answer as the n-th to this request. An answer that is not read to its end is not recorded. */
async function* recorded(
  model: ChatModel,
  leftOut: readonly LeftOutTool[],
  [request, stream]: Parameters<ChatModel["stream"]>,
  { dir, redact = (value) => value }: RecordOptions,
  numberOf: NumberOf,
): AsyncGenerator<StreamPart> {
  const asked = redactedRequest(canonicalOf(model.name, request), redact);
  const number = numberOf(asked.key);
  const parts: StreamPart[] = [];
  const write = (error?: Recording["error"]): void =>
    writeRecording(
      dir,
      {
        format: RECORDING_FORMAT,
        model: aboutModel(model, leftOut),
        ...asked,
        parts: redactedParts(parts, redact),
        ...(error && { error }),
      },
      number,
    );
  try {
    for await (const part of model.stream(request, stream)) {
      parts.push(part);
      yield part;
    }
  } catch (thrown) {
    if (!stream.signal.aborted) write(failureOf(thrown));
    throw thrown;
  }
  if (!stream.signal.aborted) write();
}

function failureOf(thrown: unknown): NonNullable<Recording["error"]> {
  const { retryAt, message, ...error } = errorInfo(thrown, "model/failed");
  return {
    ...error,
    message: hideSecrets(message),
    ...(retryAt !== undefined && { retryAfterMs: Math.max(0, retryAt - Date.now()) }),
  };
}

function aboutModel(model: ChatModel, leftOut: readonly LeftOutTool[]): RecordedModel {
  const { endpoint: _, ...about } = fieldsOf(model);
  return { ...about, ...(leftOut.length > 0 && { leftOut }) };
}

/**
 * Returns a model that asks another one, and records each answer in a file of a folder, for {@link replayModel}. A file has the request, the
 * parts of the answer as they came, and the error if it failed; an answer that is cut off is not recorded. The n-th answer to a request takes
 * the place of the n-th recorded one, so a test that runs again brings its recordings up to date.
 *
 * Secrets are never written: values whose keys are named like one are `[redacted]`, in arguments too, and `redact` removes more. Media bytes of
 * requests are written as hashes. Throws `config/invalid` for wrong options.
 *
 * @example
 * ```ts
 * import { createAgent } from "agentchart";
 * import { openaiModel } from "agentchart/openai";
 * import { recordModel } from "agentchart/testing";
 *
 * const model = recordModel(openaiModel({ model: "gpt-5" }), { dir: "test/recordings/refund" });
 * export const desk = createAgent({ name: "desk", model });
 * ```
 */
export function recordModel(model: ChatModel, options: RecordOptions): ChatModel {
  check(modelSchema(), model, "recordModel", "`model`");
  check(recordSchema(), options, "recordModel");
  return recorder(model, options, numbering());
}

/** Returns the model with each answer recorded; `numberOf` numbers the answers to a request. It has no `wire`, since a redacted recording is not
 *  a raw request. */
export function recorder(model: ChatModel, options: RecordOptions, numberOf: NumberOf): ChatModel {
  const { leftOut, withName } = model;
  const known = new Map<string, LeftOutTool>();
  return {
    ...fieldsOf(model),
    ...(withName && { withName: (name) => recorder(withName.call(model, name), options, numberOf) }),
    ...(leftOut && {
      leftOut: (tools) => {
        const left = leftOut.call(model, tools);
        for (const tool of left) known.set(tool.name, tool);
        return left;
      },
    }),
    stream: (...asked) => recorded(model, [...known.values()], asked, options, numberOf),
  };
}

/** Throws what a recorded stream ended with. */
export function failAgain({ retryAfterMs, ...info }: NonNullable<Recording["error"]>): never {
  const { code, message, ...rest } = info;
  throw new AgentError(code, message, {
    ...rest,
    ...(retryAfterMs !== undefined && { retryAt: Date.now() + retryAfterMs }),
  });
}
