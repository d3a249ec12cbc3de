import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { configError, ERROR_CODES, messageOf, type ErrorInfo } from "../../core/base/error.ts";
import * as s from "../../core/base/option-schema.ts";
import { problemOf } from "../../core/base/options.ts";
import { isStreamPart } from "../../core/model/fold.ts";
import { parsedJson, isObject, type Json, type JsonObject } from "../../core/base/json.ts";
import { hideSecrets, namesSecret, REDACTED, redactSecrets } from "../../core/base/secrets.ts";
import type { ChatModel, LeftOutTool, StreamPart } from "../../core/model/port.ts";
import { keyOf, type CanonicalRequest } from "./canonical.ts";

/** The format of recordings. Another one is refused. */
export const RECORDING_FORMAT = 1;

/** The description of a model in a recording: an agent behaves by it. */
export type RecordedModel = Pick<ChatModel, "name" | "provider" | "capabilities" | "maxTools"> & {
  /** The tools that the model has left out. */
  readonly leftOut?: readonly LeftOutTool[] | undefined;
};

/** One answer of a model, with the request that it answered. */
export type Recording = {
  readonly format: typeof RECORDING_FORMAT;
  readonly model: RecordedModel;
  readonly key: string;
  readonly request: CanonicalRequest;
  /** The parts of the stream, as they came. */
  readonly parts: readonly StreamPart[];
  /** The error with which the stream ended. `retryAfterMs` is the time until its `retryAt`. */
  readonly error?: (ErrorInfo & { readonly retryAfterMs?: number | undefined }) | undefined;
};

/** Removes what must not be written. */
export type Redact = (value: Json) => Json;

/** A recording, the name of its file, and which answer to its request it is, from 1. */
export type RecordingFile = { readonly file: string; readonly number: number; readonly recording: Recording };

/** Returns the request without secrets, and its key. */
export function redactedRequest(
  request: CanonicalRequest,
  redact: Redact,
): { readonly key: string; readonly request: CanonicalRequest } {
  const redacted = redact(withoutSecrets(request)) as CanonicalRequest;
  return { key: keyOf(redacted), request: redacted };
}

/** Without what is named like a secret, in objects and in texts: results of tools are often JSON. */
function withoutSecrets(value: Json): Json {
  return JSON.parse(JSON.stringify(redactSecrets(value)), (_key, part: Json): Json =>
    typeof part === "string" ? hideSecrets(part) : part,
  ) as Json;
}

/** The block that a part goes on with, and its piece of the text; undefined for another part. */
function pieceOf(part: StreamPart): { readonly block: string; readonly piece: string } | undefined {
  if (part.type === "tool.delta")
    return { block: `call ${typeof part.key} ${part.key}`, piece: part.args ?? "" };
  if (part.type !== "text.delta" && part.type !== "thinking.delta") return undefined;
  return { block: `${part.type} ${typeof part.block} ${part.block}`, piece: part.delta };
}

/** Returns the parts without secrets. The pieces of a text or of arguments that name one are put together to be read: they become one part. */
export function redactedParts(parts: readonly StreamPart[], redact: Redact): readonly StreamPart[] {
  const joined = new Map<string, string>();
  for (const part of parts) {
    const { block, piece } = pieceOf(part) ?? {};
    if (block !== undefined) joined.set(block, (joined.get(block) ?? "") + piece);
  }
  const seen = new Set<string>();
  return parts.map((part) => {
    if (part.type === "ping") return part;
    const { block = "" } = pieceOf(part) ?? {};
    const whole = joined.get(block) ?? "";
    const isCall = part.type === "tool.delta";
    const readable = isCall ? redactedText(whole, redact) : hideSecrets(whole);
    const text = seen.has(block) ? "" : readable;
    const isHidden = readable !== whole && (!isCall || part.args !== undefined);
    if (isHidden) seen.add(block);
    const shown = isHidden && !isCall ? { ...part, delta: text } : part;
    const clean = redact(redactSecrets(shown as unknown as JsonObject)) as unknown as StreamPart;
    return isHidden && clean.type === "tool.delta" ? { ...clean, args: text } : clean;
  });
}

/** The arguments of a call without secrets; what is not JSON and names a secret is left out as a whole. */
function redactedText(text: string, redact: Redact): string {
  const value = parsedJson(text);
  if (value === undefined) return namesSecret(text) ? REDACTED : text;
  const clean = redact(redactSecrets(value));
  const written = JSON.stringify(clean);
  return written === JSON.stringify(value) ? text : written;
}

/** Writes the n-th answer to a request, from 1; one that is there is replaced. A reader never sees a part of it. */
export function writeRecording(dir: string, recording: Recording, number: number): void {
  mkdirSync(dir, { recursive: true });
  const file = join(dir, `${recording.key}-${number}.json`);
  const draft = `${file}.${process.pid}.draft`;
  writeFileSync(draft, `${JSON.stringify(recording, null, 2)}\n`);
  renameSync(draft, file);
}

/** Reads the recordings of a folder, by key and number; none if `isNew` and the folder is not there. Throws `config/invalid` for a folder that is not there, and for a file that is not
 *  a recording of this format. */
export function readRecordings(dir: string, isNew: boolean): readonly RecordingFile[] {
  let names: readonly string[];
  try {
    names = readdirSync(dir);
  } catch (cause) {
    if (isNew) return [];
    throw configError(`There are no recordings in ${dir}: record some with recordModel(model, { dir }).`, {
      cause,
    });
  }
  const numbered = names.flatMap((file) => {
    const [, key, number] = /^([\da-f]+)-([1-9]\d*)\.json$/u.exec(file) ?? [];
    return key === undefined ? [] : [{ file, key, number: Number(number) }];
  });
  const inOrder = numbered.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.number - b.number));
  return inOrder.map(({ file, key, number }) => ({ file, number, recording: readOne(join(dir, file), key) }));
}

/** Reads the recording of a request with this key. */
function readOne(path: string, name: string): Recording {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw configError(`${path} is not a recording: ${messageOf(cause)}`, { cause });
  }
  const { format } = (isObject(value) ? value : {}) as Partial<Recording>;
  if (format !== RECORDING_FORMAT)
    throw configError(
      `${path} has the format ${JSON.stringify(format) ?? "of something else"}; this release reads ${RECORDING_FORMAT}: record it again.`,
    );
  const problem = problemOf(recordingSchema() as never, value);
  if (problem !== undefined) throw configError(`${path} is not a recording: ${problem}`);
  const recording = value as unknown as Recording;
  const { key, request, model } = recording;
  if (key !== name || keyOf(request) !== name || request.model !== model.name)
    throw configError(
      `${path} is of another request than its name says: it was renamed or edited. Record it again.`,
    );
  return recording;
}

const recordingSchema = s.lazily(() =>
  s.openOptions({
    key: s.nonEmpty(),
    model: s.openOptions({
      name: s.nonEmpty(),
      provider: s.optional(s.string()),
      capabilities: s.optional(s.object()),
      maxTools: s.optional(s.integer(1)),
      leftOut: s.optional(s.listOf(s.openOptions({ name: s.string(), reason: s.string() } as never))),
    } as never),
    request: s.object(),
    parts: s.listOf(s.value<StreamPart>(isStreamPart, "a part of an answer")),
    error: s.optional(
      s.openOptions({
        code: s.oneOf(...ERROR_CODES),
        message: s.string(),
        isRetryable: s.optional(s.boolean()),
        retryAfterMs: s.optional(s.atLeast(0)),
      } as never),
    ),
  } as never),
);
