import { AgentError, causesOf, type ErrorCode } from "../base/error.ts";
import { quotesSecret } from "../base/secrets.ts";
import { asShown, hostOf, whereOf, type Endpoint } from "./endpoint.ts";
import { UnclearCalls } from "./unclear-calls.ts";
import { ConnectionError, retryAtOf, WireError, wireFailureOf, type WireFailure } from "./wire-error.ts";

type Verdict = readonly [code: ErrorCode, isRetryable: boolean, sentence: string];

/**
 * Returns the AgentError for a value that a model call threw. Code, `isRetryable` and `retryAt` (epoch ms) are decided here and
 * nowhere else, from status, headers, body and the chain of causes. The message names the model and the host, says what to do, and
 * contains no secret; an original error that contains one is not retained as the cause.
 */
export function toModelError(thrown: unknown, endpoint: Endpoint, now: () => number = Date.now): AgentError {
  if (AgentError.is(thrown)) return thrown;
  if (thrown instanceof UnclearCalls) return badResponse(thrown.message, endpoint);
  const failure = wireFailureOf(thrown);
  const [code, usuallyRetryable, sentence] =
    connectionVerdict(thrown, endpoint) ?? verdictOf(failure, thrown, endpoint);
  const isRetryable = retryHeader(failure) ?? usuallyRetryable;
  const retryAt = isRetryable && failure.headers ? retryAtOf(failure.headers, now()) : undefined;
  const requestId = failure.headers?.get("x-request-id");
  return new AgentError(code, asShown(`${sentence} Reason: ${failure.text}`, endpoint), {
    isRetryable,
    ...(retryAt !== undefined && { retryAt }),
    ...(!quotesSecret(thrown, endpoint.secrets) && { cause: thrown }),
    data: {
      model: endpoint.model,
      host: hostOf(endpoint.baseURL),
      ...(failure.status !== undefined && { status: failure.status }),
      ...(code === "model/bad-request" && isAboutModel(failure) && { refused: "model" }),
      ...(failure.kind !== "" && { kind: asShown(failure.kind, endpoint) }),
      ...(requestId && { requestId: asShown(requestId, endpoint) }),
    },
  });
}

/** Returns the error for an answer that cannot be parsed. `isRetryable` is false where the server is not a model server. */
export function badResponse(problem: string, endpoint: Endpoint, isRetryable = true): AgentError {
  const message = asShown(`The answer of ${whereOf(endpoint)} ${problem}`, endpoint);
  return new AgentError("model/bad-response", message, {
    isRetryable,
    data: { model: endpoint.model, host: hostOf(endpoint.baseURL) },
  });
}

/** Returns the error for an answer that ended without a finish reason, so that its content may not be the whole answer. */
export function cutOff(endpoint: Endpoint): AgentError {
  return new AgentError(
    "model/connection",
    `The answer of ${whereOf(endpoint)} was cut off before its end: it has no finish reason.`,
    {
      isRetryable: true,
      data: { model: endpoint.model, host: hostOf(endpoint.baseURL) },
    },
  );
}

/** OpenAI's header `x-should-retry`, which takes precedence over the status. */
function retryHeader({ headers }: WireFailure): boolean | undefined {
  const value = headers?.get("x-should-retry");
  return value === "true" || value === "false" ? value === "true" : undefined;
}

const RATE_LIMIT = /rate.?limit|too.?many.?requests|throttl/i;
const QUOTA = /insufficient_quota|arrearage/i;
/** The words of servers for a prompt that is too long, by what it is that they call too long. */
const CONTEXT_LENGTH = new RegExp(
  [
    "context.?(length|window|size)", // most servers
    "(prompt|input) (is )?too long", // Anthropic, Bedrock, Ollama
    "reduce the length", // Groq, OpenRouter
    "range of input length", // DashScope
    "input token count.{0,40} exceeds", // Gemini
    "maximum prompt length", // xAI
    "prompt.{0,40} exceeds (the limit of|max(imum)? length)", // GitHub Copilot, Z.ai
    "exceeded model token limit|token limit exceeded", // Moonshot
    "`inputs`.{0,60} must (be|have)", // Text Generation Inference
    "too many (input )?tokens(?!, please wait)", // Cohere; Bedrock says to wait at its rate limit
  ].join("|"),
  "i",
);
/** The words of a client for an empty body, or for a body in which it could not read the error. */
const NO_REASON = /^400 status code \(no body\)$/;
const CONTENT_FILTER =
  /content_?filter|content_policy|content management policy|data_?inspection|inappropriate content/i;
/** Groq and OpenAI call a failure of their server within a stream an invalid request. */
const SERVER_ERROR =
  /server (had|has encountered) an error|internal.?(server.?)?error|can retry your request/i;
/** The words of servers for an image, a sound or a film that they cannot read; some of them call it an error of theirs. */
const MEDIA = new RegExp(
  [
    "(invalid|unsupported|corrupt(ed)?|unknown).{0,20}(image|audio|video|media)",
    "(could not|cannot|can't|unable to|failed to|failed).{0,30}(image|audio|video|media)",
    "(support|accept)s? (an? )?(image|audio|video|media|vision)", // OpenRouter, Ollama
    "(image|audio|video|media).{0,60}(invalid|unsupported|corrupt|unknown format|too (large|big|small)|exceeds|not supported|not valid)",
  ].join("|"),
  "i",
);
/** The remedy if something that was said is refused. */
const EDIT = "If it is for something that was said, take that out with edit().";
const BAD_REQUEST = /invalid.?(request|parameter)|bad.?request|not_found/i;
const UNKNOWN_MODEL = /model_not_found|model.{0,80}(not found|not exist)|(unknown|invalid|no such) model/i;

function verdictOf({ status, kind, text }: WireFailure, thrown: unknown, endpoint: Endpoint): Verdict {
  const description = `${kind} ${text}`;
  const where = whereOf(endpoint);
  if (status === 429 || RATE_LIMIT.test(kind)) {
    return QUOTA.test(kind)
      ? ["model/rate-limit", false, `The quota for ${where} is used up.`]
      : ["model/rate-limit", true, `The rate limit of ${where} is reached.`];
  }
  if (status === 401 || status === 403)
    return ["model/auth", false, `Access to ${where} was refused: check apiKey.`];
  if (status === 408) return ["model/timeout", true, `The call of ${where} timed out.`];
  if (CONTEXT_LENGTH.test(description) || status === 413)
    return ["model/context-length", false, `The prompt is too long for ${where}.`];
  if (NO_REASON.test(text)) {
    const sentence = `The request to ${where} was refused without a reason, as if the prompt is too long.`;
    return ["model/context-length", false, sentence];
  }
  if (CONTENT_FILTER.test(description))
    return ["model/content-filter", false, `The content filter of ${where} refused. ${EDIT}`];
  if (status === undefined && SERVER_ERROR.test(description)) {
    return ["model/unavailable", true, `The server failed to answer for ${where}.`];
  }
  if (MEDIA.test(description)) {
    const sentence = `${where} refused an image, a sound or a film of the request. ${EDIT}`;
    return ["model/bad-request", false, sentence];
  }
  if (status !== undefined && (status >= 500 || status === 409)) {
    return ["model/unavailable", true, `The server failed to answer for ${where} (${status}).`];
  }
  if (status !== undefined || BAD_REQUEST.test(kind)) {
    return ["model/bad-request", false, badRequestSentence(status, description, endpoint)];
  }
  return thrown instanceof WireError
    ? ["model/unavailable", true, `The server broke off the answer of ${where}.`]
    : ["model/failed", false, `The call of ${where} failed.`];
}

function badRequestSentence(status: number | undefined, description: string, endpoint: Endpoint): string {
  const { model, baseURL } = endpoint;
  const host = hostOf(baseURL);
  if (isRedirect(status)) return `${host} sends the request on to another address: check baseURL.`;
  if (UNKNOWN_MODEL.test(description)) return `${host} does not know the model "${model}": check its name.`;
  if (status === 404) return `${host} has nothing at this address: check baseURL, and the model "${model}".`;
  const refused = `The request to ${whereOf(endpoint)} was refused${status === undefined ? "" : ` (${status})`}.`;
  return `${refused} ${EDIT}`;
}

/** True if the server refused the model or the address, whatever the request says. */
function isAboutModel({ status, kind, text }: WireFailure): boolean {
  const description = `${kind} ${text}`;
  return (
    !MEDIA.test(description) && (status === 404 || isRedirect(status) || UNKNOWN_MODEL.test(description))
  );
}

const isRedirect = (status: number | undefined): boolean =>
  status !== undefined && status >= 300 && status < 400;

const TIMEOUT = /^(ETIMEDOUT|UND_ERR_(HEADERS|BODY|CONNECT)_TIMEOUT)$/;
const CONNECTION =
  /^(E(CONN|HOST|NET|PIPE|AI_|NOTFOUND|PROTO)|UND_ERR_|ERR_(SSL|TLS)|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/;
const UNREACHABLE = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/;

/** Returns the verdict on a failed connection: an error without a status, but with a system error code or a message of the client. */
function connectionVerdict(thrown: unknown, endpoint: Endpoint): Verdict | undefined {
  if (wireFailureOf(thrown).status !== undefined) return undefined;
  const errors = causesOf(thrown);
  const codes = errors.map((error) => String((error as { readonly code?: unknown }).code));
  const where = whereOf(endpoint);
  const isClientError = errors.some(
    (error) => error instanceof ConnectionError || error.constructor.name.startsWith("APIConnection"),
  );
  const isFetchError = errors.some(({ message }) => message === "fetch failed" || message === "terminated");
  if (
    codes.some((code) => TIMEOUT.test(code)) ||
    errors.some(({ message }) => message.startsWith("Request timed out")) ||
    (thrown instanceof ConnectionError && thrown.isTimeout)
  ) {
    return ["model/timeout", true, `The call of ${where} timed out.`];
  }
  if (!isClientError && !isFetchError && !codes.some((code) => CONNECTION.test(code))) return undefined;
  return codes.some((code) => UNREACHABLE.test(code))
    ? ["model/connection", true, `No connection to ${where}: is the server running, and is baseURL right?`]
    : ["model/connection", true, `The connection to ${where} failed.`];
}
