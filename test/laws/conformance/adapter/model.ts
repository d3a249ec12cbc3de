import { setImmediate } from "node:timers/promises";
import { AgentError, type ChatModel, type ErrorCode, type ModelRequest, type StreamPart } from "agentchart";
import type { NormalBlock, RunnerPart, RunnerModel } from "./shapes.ts";
import { normal } from "./messages.ts";
import { normalExecution, normalOptions } from "./options.ts";

const MODEL_CODES: { readonly [kind: string]: readonly [code: ErrorCode, isRetryable: boolean] } = {
  timeout: ["model/timeout", true],
  rate_limit: ["model/rate-limit", true],
  io: ["model/connection", true],
  connection: ["model/connection", true],
  network: ["model/connection", true],
  http: ["model/connection", true],
  http_transport: ["model/connection", true],
  transport: ["model/connection", true],
  unavailable: ["model/unavailable", true],
  server_error: ["model/unavailable", true],
  auth: ["model/auth", false],
  bad_request: ["model/bad-request", false],
};

type Failure = { kind?: string; message: string; status?: number; cause?: Failure };

/** The code of a kind or of an HTTP status, as our own adapter gives it. */
function codeOf({ kind = "", status, cause }: Failure): readonly [code: ErrorCode, isRetryable: boolean] {
  const name = kind.toLowerCase().replaceAll("-", "_");
  const said = status ?? Number(/\d{3}/.exec(name)?.[0] ?? Number.NaN);
  if (said === 429) return MODEL_CODES["rate_limit"]!;
  if (said >= 400) return MODEL_CODES[said >= 500 ? "server_error" : "bad_request"]!;
  return MODEL_CODES[name] ?? (cause ? codeOf(cause) : ["model/failed", false]);
}

export function modelError(thrown: unknown): unknown {
  const failure = thrown as Failure;
  const { kind, message } = failure;
  if (kind === undefined) return thrown;
  const [code, isRetryable] = codeOf(failure);
  return new AgentError(code, message, { isRetryable, data: { kind }, cause: thrown });
}

function* partsOf(
  { blocks, usage }: RunnerPart,
  keyOf: (block: NormalBlock) => string,
): Generator<StreamPart> {
  if (usage) {
    const { input, output, time } = usage;
    const said = {
      inputTokens: input,
      outputTokens: output,
      durationMs: time === undefined ? undefined : time * 1_000,
    };
    yield {
      type: "usage",
      usage: Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)),
    };
  }
  for (const block of blocks) {
    const { type, text = "", id, name, input } = block;
    if (type === "text") yield { type: "text.delta", delta: text };
    else if (type === "thinking") yield { type: "thinking.delta", delta: text };
    else {
      const args = type === "tool_use" ? block.raw : block.args;
      yield {
        type: "tool.delta",
        key: keyOf(block),
        ...(id !== undefined && { id }),
        ...(name !== undefined && !name.startsWith("__") && { name }),
        ...(args !== undefined && { args }),
        ...(input && { input }),
      };
    }
  }
}

/** Fragments belong together by id, else by name, else to the call before. */
function fragmentKeys(): (block: NormalBlock) => string {
  let last = "";
  let calls = 0;
  return ({ type, id, name }) => {
    if (type === "tool_use") last = `call:${++calls}`;
    else if (id) last = `id:${id}`;
    else if (name && !name.startsWith("__")) last = `name:${name}`;
    return last;
  };
}

/** Who sees every request of the suite. */
export const watched: { onRequest?: ((request: ModelRequest) => void) | undefined } = {};

export function toModel(model: RunnerModel): ChatModel {
  return {
    name: model.name,
    async *stream(asked, { signal }) {
      watched.onRequest?.(asked);
      const { messages, tools, options, execution } = asked;
      const keyOf = fragmentKeys();
      const request = {
        messages: messages.map((message) => normal(message)),
        tools: tools.map(({ name, description, inputSchema }) => ({
          name,
          description,
          parameters: inputSchema,
        })),
        options: { ...normalOptions(options), execution: normalExecution(execution) },
        signal,
      };
      try {
        for await (const part of model.stream(request)) {
          yield* partsOf(part, keyOf);
          await setImmediate(); // parts of a real stream arrive one by one, and a reader sees each of them
        }
      } catch (error) {
        throw modelError(error);
      }
    },
  };
}
