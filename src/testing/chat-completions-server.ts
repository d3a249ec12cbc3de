import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { messageOf } from "../core/base/error.ts";
import { isObject } from "../core/base/json.ts";
import * as s from "../core/base/option-schema.ts";
import { check, problemOf as mistakeIn } from "../core/base/options.ts";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import {
  parseRequest,
  problemOf,
  type ChatCompletionsRequest,
  type ChatCompletionsToolCall,
} from "./chat-completions-request.ts";
import type { ScriptedCall } from "./scripted-model.ts";

export type { ChatCompletionsRequest, ChatCompletionsToolCall };

/** The assistant message to send, and how it is sent. */
export type ChatCompletionsAnswer = {
  /** The text. */
  readonly content?: string | null | undefined;
  /** The thinking, as DeepSeek and Qwen send it. */
  readonly reasoning_content?: string | undefined;
  /** The reason for which the model refuses to answer. */
  readonly refusal?: string | undefined;
  /** The tool calls, as `scriptedModel` has them. Those without an id get `call_1`, `call_2` … */
  readonly calls?: readonly ScriptedCall[] | undefined;
  /** Tool calls as they are sent, behind `calls`: their arguments may be any text. */
  readonly tool_calls?:
    | readonly (Pick<ChatCompletionsToolCall, "function"> & { readonly id?: string | undefined })[]
    | undefined;
  /** Default: `tool_calls` with tool calls, else `stop`. */
  readonly finish_reason?: string | undefined;
  /** The failure after `afterChunks` chunks. The connection breaks (`cut`), the body ends too early (`end`), a chunk is not JSON
   *  (`malformed`), an error payload is sent (`error`), nothing more is sent (`hang`). */
  readonly fault?:
    | {
        readonly kind: "cut" | "end" | "malformed" | "error" | "hang";
        readonly afterChunks: number;
      }
    | undefined;
  /** The delay before the first byte, ms; default 0. */
  readonly delayMs?: number | undefined;
  /** Sends every chunk in two TCP writes, split within a multi-byte UTF-8 character if it has one; default false. */
  readonly splitUtf8?: boolean | undefined;
};

/** An HTTP error instead of an answer. The body is an error in OpenAI's shape, or `body` unchanged. */
export type ChatCompletionsFailure = {
  /** The HTTP status. */
  readonly status: number;
  /** Further response headers, such as `retry-after`. */
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** Default: `Failed with <status>`. */
  readonly message?: string | undefined;
  /** Default: `invalid_request_error`. */
  readonly type?: string | undefined;
  /** The `code` of the error; default null. */
  readonly code?: string | undefined;
  /** The whole body, instead of an error in OpenAI's shape. */
  readonly body?: string | undefined;
};

/** The usage that the server reports, in tokens. */
export type ChatCompletionsUsage = { readonly prompt_tokens: number; readonly completion_tokens: number };

/** Answers a request. `signal` aborts when the client disconnects. An error that it throws becomes a response 500. */
export type ChatCompletionsResponder = (
  request: ChatCompletionsRequest,
  context: { readonly signal: AbortSignal },
) => ChatCompletionsAnswer | ChatCompletionsFailure | Promise<ChatCompletionsAnswer | ChatCompletionsFailure>;

/** Options of {@link chatCompletionsServer}. */
export type ChatCompletionsServerOptions = {
  /** Chunks per second, of about one token each; default: as fast as possible. */
  readonly pace?: number | undefined;
  /** Counts tokens; default: one per four characters. */
  readonly countUsage?:
    | ((request: ChatCompletionsRequest, answer: ChatCompletionsAnswer) => ChatCompletionsUsage)
    | undefined;
  /** A larger request body is refused with 413; default 32 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** Whether requests are recorded in `requests`; default true. */
  readonly record?: boolean | undefined;
};

/** The schema of {@link ChatCompletionsServerOptions}. */
export const chatCompletionsSchema = s.lazily(() =>
  s.options<ChatCompletionsServerOptions>({
    pace: s.optional(s.positive()),
    countUsage: s.optional(s.func()),
    maxBodyBytes: s.optional(s.integer(1)),
    record: s.optional(s.boolean()),
  }),
);

const answerSchema = s.lazily(() =>
  s.options<ChatCompletionsAnswer>({
    content: s.optional(s.nullable(s.string())),
    reasoning_content: s.optional(s.string()),
    refusal: s.optional(s.string()),
    calls: s.optional(s.list()),
    tool_calls: s.optional(s.list()),
    finish_reason: s.optional(s.string()),
    fault: s.anything(),
    delayMs: s.optional(s.finite()),
    splitUtf8: s.optional(s.boolean()),
  }),
);

/** A running server. */
export type ChatCompletionsServer = {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** The `baseURL` for a client: `url` with `/v1`. */
  readonly baseURL: string;
  /** The requests that were not refused, oldest first. */
  readonly requests: readonly ChatCompletionsRequest[];
  /** Closes open connections and the port. */
  close(): Promise<void>;
};

/**
 * Starts a Chat Completions server on a free port of 127.0.0.1, whose model is `respond`. It streams server-sent events with
 * small deltas and, if requested, a usage chunk; without `stream` it answers with one JSON document.
 *
 * It refuses with 400 what providers refuse: a tool call without its result directly after it, a result without a call, an
 * empty `tools`, a `tool_choice` without tools, arguments that are not a JSON object. It keeps the process alive until it is
 * closed.
 *
 * @example
 * ```ts
 * import { createAgent } from "agentchart";
 * import { openaiModel } from "agentchart/openai";
 * import { chatCompletionsServer } from "agentchart/testing";
 *
 * const server = await chatCompletionsServer(({ messages }) => ({ content: `You sent ${messages.length} messages.` }));
 * const model = openaiModel({ model: "any", baseURL: server.baseURL, apiKey: "none" });
 * console.log((await createAgent({ name: "desk", model }).call("Hi.")).text);
 * await server.close();
 * ```
 */
export async function chatCompletionsServer(
  respond: ChatCompletionsResponder,
  options: ChatCompletionsServerOptions = {},
): Promise<ChatCompletionsServer> {
  check(chatCompletionsSchema(), options, "chatCompletionsServer");
  const { maxBodyBytes = 32 * 2 ** 20, record = true } = options;
  const requests: ChatCompletionsRequest[] = [];
  let answers = 0;

  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const disconnected = new AbortController();
    response.on("close", () => disconnected.abort());
    if (incoming.method !== "POST" || !incoming.url?.split("?")[0]?.endsWith("/chat/completions")) {
      return fail(response, { status: 404, message: `Unknown path ${incoming.method} ${incoming.url}` });
    }
    const body = await bodyOf(incoming, maxBodyBytes);
    if (body === undefined)
      return fail(response, { status: 413, message: `The body is over ${maxBodyBytes} bytes` });
    const request = parseRequest(body);
    const problem = typeof request === "string" ? request : problemOf(request);
    if (typeof request === "string" || problem)
      return fail(response, { status: 400, message: problem ?? "" });
    if (record) requests.push(request);
    const answer = await respond(request, { signal: disconnected.signal });
    if (isFailure(answer)) return fail(response, answer);
    const mistake = mistakeIn(answerSchema(), answer, "The answer");
    if (mistake !== undefined) return fail(response, { status: 400, message: mistake });
    const reply: Reply = {
      request,
      answer,
      id: `chatcmpl-${++answers}`,
      options,
      signal: disconnected.signal,
    };
    return request.stream ? sendStream(response, reply) : sendJson(response, reply);
  };

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((error: unknown) => {
      if (response.destroyed) return;
      if (response.headersSent) response.destroy();
      else fail(response, { status: 500, message: messageOf(error) });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    baseURL: `${url}/v1`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const isFailure = (
  answer: ChatCompletionsAnswer | ChatCompletionsFailure,
): answer is ChatCompletionsFailure => isObject(answer) && "status" in answer;

type Reply = {
  readonly request: ChatCompletionsRequest;
  readonly answer: ChatCompletionsAnswer;
  readonly id: string;
  readonly options: ChatCompletionsServerOptions;
  readonly signal: AbortSignal;
};

function fail(response: ServerResponse, failure: ChatCompletionsFailure): void {
  const {
    status,
    headers,
    message = `Failed with ${status}`,
    type = "invalid_request_error",
    code = null,
  } = failure;
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(failure.body ?? JSON.stringify({ error: { message, type, param: null, code } }));
}

async function bodyOf(incoming: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const buffers: Buffer[] = [];
  let bytes = 0;
  for await (const buffer of incoming as AsyncIterable<Buffer>) {
    bytes += buffer.length;
    if (bytes <= maxBytes) buffers.push(buffer);
  }
  return bytes <= maxBytes ? Buffer.concat(buffers).toString("utf8") : undefined;
}

function roughTokens(value: unknown): number {
  return Math.ceil((JSON.stringify(value) ?? "").length / 4);
}

function usageOf({ request, answer, options }: Reply) {
  const counted = options.countUsage?.(request, answer) ?? {
    prompt_tokens: roughTokens([request.messages, request.tools]),
    completion_tokens: roughTokens([
      answer.content,
      answer.reasoning_content,
      answer.calls ? callsOf(answer) : answer.tool_calls,
    ]),
  };
  return { ...counted, total_tokens: counted.prompt_tokens + counted.completion_tokens };
}

function callsOf({ calls = [], tool_calls = [] }: ChatCompletionsAnswer): ChatCompletionsToolCall[] {
  const written = calls.map(({ id, name, input = {} }) => ({
    id,
    function: { name, arguments: JSON.stringify(input) },
  }));
  return [...written, ...tool_calls].map((call, index) => ({
    id: call.id ?? `call_${index + 1}`,
    type: "function",
    function: call.function,
  }));
}

function finishReasonOf(answer: ChatCompletionsAnswer): string {
  return answer.finish_reason ?? (callsOf(answer).length > 0 ? "tool_calls" : "stop");
}

async function sendJson(response: ServerResponse, reply: Reply): Promise<void> {
  const { answer, id, request, signal } = reply;
  if (answer.delayMs) await sleep(answer.delayMs, undefined, { signal });
  const { content = null, reasoning_content, refusal } = answer;
  const calls = callsOf(answer);
  const message = {
    role: "assistant",
    content,
    reasoning_content,
    refusal,
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  const choices = [{ index: 0, message, finish_reason: finishReasonOf(answer) }];
  response.writeHead(200, { "content-type": "application/json" });
  response.end(
    JSON.stringify({
      id,
      object: "chat.completion",
      created: seconds(),
      model: request.model,
      choices,
      usage: usageOf(reply),
    }),
  );
}

async function sendStream(response: ServerResponse, reply: Reply): Promise<void> {
  const { answer, id, request, options, signal } = reply;
  const { fault, delayMs, splitUtf8 = false } = answer;
  if (delayMs) await sleep(delayMs, undefined, { signal });
  const created = seconds();
  const startedAt = performance.now();
  let sent = 0;
  for (const fields of chunksOf(reply)) {
    if (fault?.afterChunks === sent) return sendFault(response, fault.kind, signal);
    if (sent === 0) response.writeHead(200, EVENT_STREAM);
    const chunk = { id, object: "chat.completion.chunk", created, model: request.model, ...fields };
    await write(response, `data: ${JSON.stringify(chunk)}\n\n`, splitUtf8, signal);
    sent++;
    if (options.pace) {
      const aheadMs = (sent * 1_000) / options.pace - (performance.now() - startedAt);
      if (aheadMs > 1) await sleep(aheadMs, undefined, { signal });
    }
  }
  response.end("data: [DONE]\n\n");
}

const EVENT_STREAM = { "content-type": "text/event-stream", "cache-control": "no-cache" };

type Delta = { readonly [field: string]: unknown };

function* chunksOf(reply: Reply): Generator<Delta> {
  const { answer, request } = reply;
  const chunkOf = (delta: Delta, finish_reason: string | null = null) => ({
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  });
  yield chunkOf({ role: "assistant", content: "" });
  for (const field of ["reasoning_content", "content", "refusal"] as const) {
    for (const piece of piecesOf(answer[field] ?? "")) yield chunkOf({ [field]: piece });
  }
  for (const [index, { id, type, function: call }] of callsOf(answer).entries()) {
    yield chunkOf({ tool_calls: [{ index, id, type, function: { name: call.name, arguments: "" } }] });
    for (const piece of piecesOf(call.arguments))
      yield chunkOf({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
  yield chunkOf({}, finishReasonOf(answer));
  if (request.stream_options?.include_usage) yield { choices: [], usage: usageOf(reply) };
}

const PIECES =
  /\s*(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}])[\p{L}\p{M}\p{N}]){1,6}|\p{L}{1,2}|[^\p{L}\p{M}\p{N}\s]{1,3}|[^]/gu;

/** Splits text roughly as a tokenizer does: at most six characters, one or two of a script without spaces. */
function piecesOf(text: string): readonly string[] {
  return text.match(PIECES) ?? [];
}

async function write(
  response: ServerResponse,
  text: string,
  splitUtf8: boolean,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) throw signal.reason;
  const bytes = Buffer.from(text);
  const continuation = bytes.findIndex((byte) => (byte & 0xc0) === 0x80);
  const at = splitUtf8 ? (continuation < 0 ? bytes.length >> 1 : continuation) : 0;
  if (at > 0) {
    response.write(bytes.subarray(0, at));
    await setImmediate();
  }
  if (!response.write(bytes.subarray(at))) await once(response, "drain", { signal });
}

async function sendFault(
  response: ServerResponse,
  kind: NonNullable<ChatCompletionsAnswer["fault"]>["kind"],
  signal: AbortSignal,
): Promise<void> {
  if (!response.headersSent && kind !== "cut" && kind !== "hang") response.writeHead(200, EVENT_STREAM);
  switch (kind) {
    case "cut":
      await setImmediate();
      response.destroy();
      return;
    case "end":
      response.end();
      return;
    case "malformed":
      response.end('data: {"choices": [{"delta"\n\n');
      return;
    case "error":
      response.end(
        'data: {"error": {"message": "The engine is overloaded", "type": "server_error", "code": null}}\n\n',
      );
      return;
    case "hang":
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  }
}

function seconds(): number {
  return Math.floor(Date.now() / 1_000);
}
