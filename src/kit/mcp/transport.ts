import type { AuthProvider, OAuthClientProvider, Transport } from "@modelcontextprotocol/client";
import { AgentError, errorInfo, messageOf } from "../../core/base/error.ts";
import { isObject } from "../../core/base/json.ts";
import { hideSecrets, quotesSecret, secretsIn, secretsOf } from "../../core/base/secrets.ts";
import { answering, requestIds } from "./answering.ts";
import { bounded, MARGIN_BYTES } from "./bounded.ts";
import type { Loaded } from "./load-client.ts";
import { ProgramTransport } from "./program-transport.ts";
import { isUnauthorized } from "./sign-in.ts";
import type { McpHeaders, McpOptions } from "./types.ts";

/** The longest line without an end that is retained of what a program writes on standard error. */
const MAX_LINE = 1_000;
/** The largest message. */
const MAX_MESSAGE_BYTES = 10_000_000;

/** Returns an error of an authorization server without its own words, which the client would print. */
async function wordless(response: Response): Promise<Response> {
  const { ok, status, statusText, headers } = response;
  if (ok || headers.get("content-type")?.includes("json") !== true) return response;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  if (!isObject(body) || typeof body["error"] !== "string") return response;
  const { error_description: _, error_uri: __, ...rest } = body;
  const kept = new Headers(headers);
  for (const name of ["content-length", "content-encoding"]) kept.delete(name);
  return Response.json(rest, { status, statusText, headers: kept });
}

/** The headers that were sent last, of functions and of sign-ins. */
const sent = new WeakMap<McpOptions, McpHeaders>();

/** Returns what the server of the options was given and nobody else may know. */
function knownTo(options: McpOptions): readonly string[] {
  const { command = "", args = [], env, headers, url = "" } = options;
  const given = typeof headers === "object" ? headers : undefined;
  return [...secretsIn(env, given, sent.get(options)), ...secretsOf([command, ...args, url])];
}

/** Returns the headers of a request. An error of a function is one of ours: nothing was sent. */
async function given(headers: McpOptions["headers"] = {}): Promise<McpHeaders> {
  if (typeof headers !== "function") return headers;
  try {
    return await headers();
  } catch (cause) {
    const text = `The function \`headers\` has failed, so nothing was sent: ${messageOf(cause)}`;
    throw new AgentError("tool/failed", text, { cause });
  }
}

/** Returns the command of a server as errors show it: without arguments that follow the name of a secret. */
export function commandLine({ command, args = [] }: McpOptions): string {
  return hideSecrets([command, ...args].join(" "), secretsOf(args));
}

/** Returns a text of a server without what looks like a secret, and without what the server was given. Models and people read it. */
export function withoutSecrets(text: string, options: McpOptions): string {
  return hideSecrets(text, knownTo(options));
}

/** Returns an error of a server itself if it quotes no secret; else one in its place, without its cause. */
export function safeError(error: unknown, options: McpOptions): unknown {
  if (!quotesSecret(error, knownTo(options))) return error;
  const { code, message, data, ...rest } = errorInfo(error, "tool/failed");
  const isRefused = isUnauthorized(error) && { status: 401 };
  return new AgentError(code, withoutSecrets(message, options), { ...rest, data: { ...data, ...isRefused } });
}

/** Returns the transport to the server of the options. `onTooLarge` is told of a message that is larger than it may be. Over standard input and output, `onStderr` receives what the program writes. */
export function transportTo(
  loaded: Loaded,
  options: McpOptions,
  onStderr: (text: string) => void,
  onTooLarge: (error: AgentError) => void,
  authProvider?: AuthProvider | OAuthClientProvider,
): Transport {
  const {
    command,
    args = [],
    env,
    cwd,
    url,
    headers,
    transport,
    maxResultBytes = MAX_MESSAGE_BYTES,
  } = options;
  if (url !== undefined) {
    const Kind = transport === "sse" ? loaded.SSEClientTransport : loaded.StreamableHTTPClientTransport;
    const { origin } = new URL(url);
    const withHeaders = async (input: string | URL, init?: RequestInit): Promise<Response> => {
      if (new URL(input).origin !== origin) return wordless(await fetch(input, init)); // an authorization server gets none of them
      const all = new Headers(init?.headers);
      const own = await given(headers);
      for (const [name, value] of Object.entries(own)) all.set(name, value);
      sent.set(options, { authorization: all.get("authorization") ?? "", ...own });
      const response = await fetch(input, { ...init, headers: all });
      const ids = requestIds(init?.body);
      return answering(await wordless(bounded(response, maxResultBytes, onTooLarge)), ids);
    };
    return new Kind(new URL(url), { fetch: withHeaders, ...(authProvider && { authProvider }) });
  }
  let rest = "";
  const decoder = new TextDecoder();
  const onChunk = (chunk: Buffer): void => {
    const text = decoder.decode(chunk, { stream: true });
    const lines = (rest + text).split("\n");
    rest = lines.pop()!.slice(-MAX_LINE);
    onStderr(text);
    for (const line of lines) options.stderr?.(withoutSecrets(line, options));
  };
  const all = { ...loaded.getDefaultEnvironment(), ...env };
  const program = { command: command!, args, env: all, cwd, maxMessageBytes: maxResultBytes };
  if (process.platform !== "win32") return new ProgramTransport(loaded, program, onChunk, onTooLarge);
  const child = new loaded.StdioClientTransport({
    // there are no process groups
    command: program.command,
    args: [...args],
    env: all,
    stderr: "pipe",
    ...(cwd !== undefined && { cwd }),
    maxBufferSize: maxResultBytes + MARGIN_BYTES,
  });
  child.stderr?.on("data", onChunk);
  return child;
}
