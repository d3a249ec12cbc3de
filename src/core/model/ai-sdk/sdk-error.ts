import { AgentError, messageOf } from "../../base/error.ts";
import { isObject, parsedJson } from "../../base/json.ts";
import { quotesSecret } from "../../base/secrets.ts";
import { asShown, type Endpoint } from "../endpoint.ts";
import { badResponse, toModelError } from "../model-error.ts";
import { WireError } from "../wire-error.ts";

/** The properties of an error of a call to a provider's API. */
type ApiCallError = Error & {
  readonly url?: string;
  readonly statusCode?: number;
  readonly responseHeaders?: { readonly [name: string]: string };
  readonly responseBody?: string;
  readonly data?: unknown;
};

const API_CALL = Symbol.for("vercel.ai.error.AI_APICallError");
const NO_KEY = /^AI_Load(APIKey|Setting)Error$/;
const UNREADABLE =
  /^AI_(JSONParse|TypeValidation|EmptyResponseBody|InvalidResponseData|NoContentGenerated)Error$/;
const REFUSED = /^AI_(UnsupportedFunctionality|InvalidPrompt|InvalidArgument|NoSuchModel)Error$/;

/** Returns the AgentError for what a provider threw, or sent as a part of its stream: the same verdict as for `openaiModel`. */
export function sdkError(thrown: unknown, endpoint: Endpoint): AgentError {
  if (AgentError.is(thrown)) return thrown;
  if (!(thrown instanceof Error)) return toModelError(new WireError(payloadOf(thrown)), endpoint);
  if ((thrown as { readonly [API_CALL]?: unknown })[API_CALL] === true) return apiCallError(thrown, endpoint);
  const { name, message } = thrown;
  const code = NO_KEY.test(name) ? "model/auth" : REFUSED.test(name) ? "model/bad-request" : undefined;
  if (UNREADABLE.test(name)) return badResponse(`cannot be read: ${message}`, endpoint);
  if (code === undefined) return toModelError(thrown, endpoint);
  const cause = quotesSecret(thrown, endpoint.secrets) ? undefined : thrown;
  return new AgentError(code, asShown(message, endpoint), { cause, data: { model: endpoint.model } });
}

function apiCallError(thrown: ApiCallError, endpoint: Endpoint): AgentError {
  const { url, statusCode, responseHeaders, responseBody, data } = thrown;
  const at = url === undefined ? endpoint : { ...endpoint, baseURL: url };
  if (statusCode === undefined) return toModelError(thrown, at);
  if (statusCode < 400) return badResponse(`cannot be read: ${thrown.message}`, at);
  const failure = Object.assign(new Error(thrown.message, { cause: thrown }), {
    status: statusCode,
    error: payloadOf(data ?? parsedJson(responseBody) ?? responseBody),
    headers: new Headers(responseHeaders),
  });
  return toModelError(failure, at);
}

/** The error within the body of a response, as most providers send it. */
function payloadOf(body: unknown): unknown {
  const found: unknown = Array.isArray(body) ? body[0] : body;
  return isObject(found) ? (found["error"] ?? found) : found === undefined ? undefined : messageOf(found);
}
