import { isObject, type Json, type JsonObject } from "../../core/base/json.ts";

/** The code of an answer that was none: what the server has done is not known. */
export const MALFORMED = -32_098;
/** The code of an answer that did not come, because the connection ended before it. */
export const CUT_OFF = -32_097;

const MAX_DEPTH = 200;
/** The maximum number of messages of one body that are read, beside the answers that were asked for. */
const MAX_BATCH = 100;
/** Fields that may hold any value: a null in them is meant. */
const OPAQUE: ReadonlySet<string> = new Set([
  ...["structuredContent", "toolResult", "_meta", "data", "requestState"],
  ...["default", "const", "enum", "examples"],
]);
/** Fields of schemas in which null is a value. */
const MEANT: ReadonlySet<string> = new Set(["default", "const"]);

/** Returns what was said in an error, in the form that the protocol has. */
export function errorAnswer(id: Json, code: number, message: string, data?: Json): JsonObject {
  return { jsonrpc: "2.0", id, error: { code, message, ...(data !== undefined && { data }) } };
}

const malformed = (id: Json, problem: string): JsonObject =>
  errorAnswer(id, MALFORMED, `The answer of the server is malformed: ${problem}`);

const kindOf = (value: unknown): string =>
  value === null
    ? "null"
    : Array.isArray(value)
      ? "a list"
      : value === undefined
        ? "missing"
        : `a ${typeof value}`;

/** Returns an error in the form of the protocol: a text alone is its message, and one without a message says so. */
function mendedError(id: Json, error: Json, isBoth: boolean): JsonObject {
  const { code, message, data } = isObject(error) ? error : { message: error };
  const said = typeof message === "string" && message !== "" ? message : undefined;
  if (isBoth) return malformed(id, `it has a result and an error${said === undefined ? "" : `: ${said}`}`);
  const text =
    said ?? `The server answered with an error without a message: ${JSON.stringify(error).slice(0, 200)}`;
  return errorAnswer(id, Number.isSafeInteger(code) ? (code as number) : -32_000, text, data);
}

const isId = (id: unknown): id is string | number => typeof id === "string" || Number.isSafeInteger(id);
const isMeta = (meta: Json | undefined): boolean =>
  meta === undefined ||
  (isObject(meta) && (meta["progressToken"] === undefined || isId(meta["progressToken"])));

/** Returns an object without metadata that are none. */
function withMeta(object: JsonObject): JsonObject {
  const { _meta, ...rest } = object;
  if (isMeta(_meta)) return object;
  if (!isObject(_meta)) return rest;
  const { progressToken: _, ...meta } = _meta as JsonObject;
  return { ...rest, _meta: meta };
}

/** Returns a request or a notification with the fields that the protocol knows. */
function mendedRequest({ id, method, params }: JsonObject): JsonObject {
  return {
    jsonrpc: "2.0",
    ...(isId(id) && { id }),
    method: method!,
    ...(isObject(params) && { params: withMeta(params) }),
  };
}

function mendedMessage(message: JsonObject): JsonObject {
  const { id: given, result, error, method } = message;
  if (typeof method === "string") return mendedRequest(message);
  const id = isId(given) ? given : null;
  if (error !== undefined && error !== null)
    return mendedError(id, error, result !== undefined && result !== null);
  if (isObject(result)) return { jsonrpc: "2.0", id, result: withMeta(result) };
  return malformed(id, `\`result\` is ${kindOf(result)}; expected an object`);
}

const isSame = (a: Json | undefined, b: Json | undefined): boolean =>
  a === b || (isObject(a) && isObject(b) && JSON.stringify(a) === JSON.stringify(b));

/** Returns an answer in the form that the protocol has, so that it settles its request: an error says what is wrong with it. It is the
 *  message itself if nothing is, and if it is not an answer. Requests and notifications keep the fields that the protocol knows. */
export function mendAnswer(message: unknown): unknown {
  if (!isObject(message)) return message;
  const { id, result, error, method } = message;
  if (typeof method !== "string" && result === undefined && error === undefined && id === undefined)
    return message;
  const mended = mendedMessage(message);
  const isWhole =
    Object.keys(message).length === Object.keys(mended).length &&
    Object.entries(mended).every(([key, value]) =>
      key === "error" ? isSame(message[key], value) : message[key] === value,
    );
  return isWhole ? message : mended;
}

/** Returns the answers to requests with these ids: each has one, and an error without an id is that of the only request. */
export function mendAnswers(body: unknown, ids: readonly Json[]): unknown {
  const list: readonly unknown[] = Array.isArray(body) ? body : [body];
  const [only] = ids;
  const mended = list.map((message) => {
    const answer = mendAnswer(message);
    const isNameless = isObject(answer) && answer["method"] === undefined && (answer["id"] ?? null) === null;
    return isNameless && ids.length === 1 ? { ...answer, id: only! } : answer;
  });
  const found = new Set(mended.flatMap((answer) => (isAnswer(answer) ? [String(answer["id"])] : [])));
  const missing = ids.filter((id) => !found.has(String(id)));
  const others = missing.map((id) => malformed(id, "it is the answer to another request, or none"));
  const kept = mended
    .filter(isObject)
    .filter((each, index) => index < MAX_BATCH || ids.includes(each["id"] ?? null));
  return kept.length + others.length === 1 ? [...kept, ...others][0] : [...kept, ...others];
}

/** True for the answer to a request. */
export const isAnswer = (message: unknown): message is JsonObject =>
  isObject(message) && message["method"] === undefined && ("result" in message || "error" in message);

function hasNulls(value: Json, depth: number): boolean {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return false;
  if (Array.isArray(value)) return value.some((each: Json) => hasNulls(each, depth + 1));
  for (const [key, each] of Object.entries(value))
    if (each === null ? !MEANT.has(key) : !OPAQUE.has(key) && hasNulls(each, depth + 1)) return true;
  return false;
}

/** Returns a value of the protocol without the nulls in it, which some servers send for what is not there. */
export function withoutNulls(value: Json, depth = 0): Json {
  if (typeof value !== "object" || value === null || !hasNulls(value, depth)) return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map((each) => withoutNulls(each, depth + 1));
  const entries = Object.entries(value).flatMap(([key, each]): [string, Json][] => {
    if (each === null) return MEANT.has(key) ? [[key, each]] : [];
    return [[key, OPAQUE.has(key) ? each : withoutNulls(each, depth + 1)]];
  });
  return Object.fromEntries(entries);
}
