import { isObject } from "../../base/is-object.ts";

type Fields = { readonly [name: string]: unknown };

/** Names of fields that say an error, whatever else a chunk has. */
const ERROR_NAME = /^(err|error|errors|exception|fault|failure|base_resp)$|^(err|error)[_-]?[a-z]/i;
/** Names of fields that say an error in a chunk that is no part of an answer. */
const REASON_NAME =
  /^(message|msg|details?|reason|title|description|text|code|status[_-]?(code|msg|message)?|success)$/i;
/** Words for an error in the fields that say what a chunk is. */
const ERROR_WORD = /error|exception|fail|abort|cancel|timeout|timed.?out|overload|unavailable/i;
const KINDS = ["object", "type", "status", "event"] as const;
/** Names of fields of chunks that are no part of an answer, and no error: what servers and proxies say beside it. */
const BESIDE = new Set(
  `id object created model system_fingerprint service_tier obfuscation provider type index choices usage
   citations search_results sources source_documents images related_questions prompt_filter_results prompt_annotations
   timings prompt_progress x_groq nvext metadata stats ping heartbeat event request_id session_id conversation_id trace_id
   time timestamp seq sequence_number`.split(/\s+/),
);

/** Returns the error that a chunk says by its fields, whether it has a part of the answer or not; undefined if it says none. */
export function errorOf(answer: object): unknown {
  const chunk = answer as Fields;
  const kind = KINDS.map((name) => chunk[name]).find(
    (word) => typeof word === "string" && ERROR_WORD.test(word),
  );
  if (kind !== undefined || isFailedStatus(chunk))
    return isSomething(chunk["error"]) ? chunk["error"] : chunk;
  for (const name in chunk)
    if (ERROR_NAME.test(name) && isSomething(chunk[name])) return name === "error" ? chunk[name] : chunk;
  return undefined;
}

/** Returns the error that a chunk says which has neither a part of the answer nor its usage: it may say only what is known to be said
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

function isFailedStatus(chunk: Fields): boolean {
  if (chunk["success"] === false) return true;
  return ["code", "status", "status_code", "statusCode"].some((name) => {
    const status = Number(chunk[name]);
    return status >= 400 && status < 600;
  });
}

/** False for what servers send in the fields of errors where there is none. */
function isSomething(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === "") return false;
  if (typeof value === "string") return !/^(ok|success|none|null|0|200)$/i.test(value.trim());
  if (typeof value === "number") return value !== 0 && value !== 200;
  if (Array.isArray(value)) return value.some(isSomething);
  return !isObject(value) || Object.values(value).some(isSomething);
}
