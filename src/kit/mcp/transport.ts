import type { AuthProvider, OAuthClientProvider, Transport } from "@modelcontextprotocol/client";
import { AgentError, messageOf } from "../../core/base/error.ts";
import { hideSecrets } from "../../core/base/hide-secrets.ts";
import { isObject } from "../../core/base/json.ts";
import { isSecret, REDACTED } from "../../core/base/secrets.ts";
import { answering, requestIds } from "./answering.ts";
import { bounded, MARGIN_BYTES } from "./bounded.ts";
import type { Loaded } from "./load-client.ts";
import { ProgramTransport } from "./program-transport.ts";
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

/** The shortest value of a variable or a header that counts as a secret. */
const MIN_SECRET = 8;

/** Returns the command of a server as errors show it: without arguments that follow the name of a secret. */
export function commandLine({ command, args = [] }: McpOptions): string {
  const shown = args.map((arg, at) => (at > 0 && isSecret(args[at - 1]!, arg) ? REDACTED : arg));
  return hideSecrets([command, ...shown].join(" "));
}

/** Returns the text of an error without what looks like a secret, and without the values of variables and headers. A server may have quoted
 *  them, and models read it. */
export function withoutSecrets(text: string, { env, headers }: McpOptions): string {
  const values = [env, typeof headers === "object" ? headers : undefined].flatMap((all) =>
    Object.values(all ?? {}),
  );
  const secrets = values.filter((value) => value.length >= MIN_SECRET);
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, () => REDACTED), hideSecrets(text));
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
      for (const [name, value] of Object.entries(await given(headers))) all.set(name, value);
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
    for (const line of lines) options.stderr?.(line);
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
