import { isObject } from "../../base/json.ts";

type Fields = { readonly [name: string]: unknown };

/** Names of fields that say an error, whatever else a chunk has. */
const ERROR_NAME = /^(err|error|errors|exception|fault|failure|base_resp)$|^(err|error)[_-]?[a-z]/i;
/** Names of fields that say an error in a chunk that is not part of an answer. */
const REASON_NAME =
  /^(message|msg|details?|reason|title|description|text|code|status[_-]?(code|msg|message)?|success)$/i;
/** Words for an error in the fields that say what a chunk is. */
const ERROR_WORD = /error|exception|fail|abort|cancel|timeout|timed.?out|overload|unavailable/i;
const KINDS = new Set(["object", "type", "status", "event"]);
const CODE_NAME = /^(code|status|status_code|statusCode)$/;
/** Names of fields of chunks that are not part of an answer, and no error: what servers and proxies say beside it. */
const BESIDE = new Set(
  `id object created model system_fingerprint service_tier obfuscation provider type index choices usage
   citations search_results sources source_documents images related_questions prompt_filter_results prompt_annotations
   timings prompt_progress x_groq nvext metadata stats ping heartbeat event request_id session_id conversation_id trace_id
   time timestamp seq sequence_number`.split(/\s+/),
);

/** Names of fields that never say an error. Almost all chunks have no others. */
const PLAIN = new Set(
  ["id", "created", "model", "choices", "usage", "system_fingerprint", "service_tier", "provider"].concat([
    "obfuscation",
    "delta",
    "item",
    "item_id",
    "output_index",
    "content_index",
    "sequence_number",
  ]),
);

/** The value with which a chunk of Chat Completions names itself, in its field `object`. */
const CHUNK = "chat.completion.chunk";

/** Returns the error that a chunk says by its fields, whether it has a part of the answer or not; undefined if it says none. */
export function errorOf(answer: object): unknown {
  const chunk = answer as Fields;
  for (const name in chunk) {
    if (PLAIN.has(name) || chunk[name] === CHUNK || !saysError(name, chunk[name])) continue;
    return isSomething(chunk["error"]) ? chunk["error"] : chunk;
  }
  return undefined;
}

function saysError(name: string, value: unknown): boolean {
  if (KINDS.has(name) && typeof value === "string" && ERROR_WORD.test(value)) return true;
  if (name === "success") return value === false;
  if (CODE_NAME.test(name)) return Number(value) >= 400 && Number(value) < 600;
  return ERROR_NAME.test(name) && isSomething(value);
}

/** Returns the error of a chunk that has neither a part of the answer nor its usage. Such a chunk may say only what is known to be said
 *  beside an answer. With an empty list of choices it may say more, but no reason for a failure. */
export function strayErrorOf(answer: object, hasList: boolean): unknown {
  const chunk = answer as Fields;
  for (const name in chunk) {
    const isError = hasList ? REASON_NAME.test(name) : !BESIDE.has(name);
    if (isError && isSomething(chunk[name])) return chunk;
  }
  return undefined;
}

/** True for a chunk that says more than what is known to be said beside an answer. */
export function saysMore(answer: object): boolean {
  return Object.entries(answer).some(([name, value]) => !BESIDE.has(name) && isSomething(value));
}

/** True for the name of an event that is an error. Those of Responses say themselves what has failed. */
export function isErrorEvent(name: string | undefined): boolean {
  return name !== undefined && ERROR_WORD.test(name) && !name.startsWith("response.");
}

/** False for what servers send in the fields of errors where there is none. */
function isSomething(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === "") return false;
  if (typeof value === "string") return !/^(ok|success|none|null|0|200)$/i.test(value.trim());
  if (typeof value === "number") return value !== 0 && value !== 200;
  if (Array.isArray(value)) return value.some(isSomething);
  return !isObject(value) || Object.values(value).some(isSomething);
}
