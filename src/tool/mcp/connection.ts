import { setTimeout as sleep } from "node:timers/promises";
import type { CallToolResult, Client, ClientOptions, Tool, Transport } from "@modelcontextprotocol/client";
import { AgentError, messageOf } from "../../base/error.ts";
import type { JsonObject } from "../../base/json.ts";
import type { McpEvent, McpOptions } from "./types.ts";

const PACKAGE = "@modelcontextprotocol/client";
/** The pauses between the attempts to connect again, ms. */
const PAUSES_MS = [0, 500, 2_000, 8_000];
const MAX_PAGES = 64;
const STDERR_TAIL = 1_000;

/** A client and the end of its connection. */
type Live = { readonly client: Client; readonly lost: Promise<never> };

/** How a call is made. */
export type CallWith = {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly isIdempotent: boolean;
  readonly onProgress: (text: string) => void;
};

/** Imports the optional package, when a server is first wanted. */
async function loadClient() {
  try {
    const [root, { StdioClientTransport, getDefaultEnvironment }] = await Promise.all([
      import("@modelcontextprotocol/client"),
      import("@modelcontextprotocol/client/stdio"),
    ]);
    return { ...root, StdioClientTransport, getDefaultEnvironment };
  } catch (cause) {
    throw new AgentError("config/invalid", `mcp needs the package ${PACKAGE}: npm install ${PACKAGE}`, {
      cause,
    });
  }
}

type Loaded = Awaited<ReturnType<typeof loadClient>>;

/** Accepts every result: what does not keep to its schema is a warning of ours and no failure. */
const acceptAll = {
  getValidator: () => (data: unknown) => ({ valid: true as const, data, errorMessage: undefined }),
} as NonNullable<ClientOptions["jsonSchemaValidator"]>;

const statusOf = (error: unknown): unknown =>
  (error as { readonly data?: { readonly status?: unknown } } | undefined)?.data?.status;

/** True for the answer of a server that does not know the session any more: nothing was run. */
const isUnknownSession = (error: unknown): boolean => {
  const status = statusOf(error);
  return status === 404 || (status === 400 && /session/i.test(messageOf(error)));
};

const isRefused = (error: unknown): boolean =>
  (error as { readonly cause?: { readonly code?: unknown } } | undefined)?.cause?.code === "ECONNREFUSED";

/** The connection to one server, made again when it is lost. */
export class Connection {
  readonly #options: McpOptions;
  readonly #report: (type: McpEvent["type"], message: string) => void;
  #live: Promise<Live> | undefined;
  #stderr = "";
  #closed = false;
  /** Whether the list of tools may have changed since it was read. */
  isStale = false;

  constructor(options: McpOptions, report: (type: McpEvent["type"], message: string) => void) {
    this.#options = options;
    this.#report = report;
  }

  /** How errors call the server. */
  get label(): string {
    const { name, command, url } = this.#options;
    return (
      name ?? (url === undefined ? [command, ...(this.#options.args ?? [])].join(" ") : new URL(url).host)
    );
  }

  /** Connects once. Rejects with an error that says what to do. */
  connect(): Promise<Live> {
    if (this.#closed)
      throw new AgentError("tool/failed", `The connection to the MCP server '${this.label}' is closed.`);
    this.#live ??= this.#open().catch((error: unknown) => {
      this.#live = undefined;
      throw error;
    });
    return this.#live;
  }

  async tools(): Promise<readonly Tool[]> {
    const { client } = await this.connect();
    this.isStale = false;
    if (!client.getServerCapabilities()?.tools) return [];
    const timeout = this.#options.initTimeoutMs ?? 30_000;
    return (await client.listTools(undefined, { timeout, cacheMode: "refresh" })).tools;
  }

  async call(name: string, input: JsonObject, how: CallWith): Promise<CallToolResult> {
    const live = await this.#reconnect(how.signal);
    try {
      return await this.#send(live, name, input, how);
    } catch (error) {
      if (!isUnknownSession(error)) throw error;
      await this.#drop(live); // the server has started anew, and has not run the call
      return this.#send(await this.#reconnect(how.signal), name, input, how);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const live = await this.#live?.catch(() => undefined);
    this.#live = undefined;
    await live?.client.close();
  }

  async #send(
    { client, lost }: Live,
    name: string,
    input: JsonObject,
    how: CallWith,
  ): Promise<CallToolResult> {
    const { signal, timeoutMs, onProgress } = how;
    const call = client.callTool(
      { name, arguments: input },
      {
        signal,
        timeout: timeoutMs,
        onprogress: ({ message, progress, total }) =>
          onProgress(message ?? (total === undefined ? `${progress}` : `${progress}/${total}`)),
      },
    );
    return Promise.race([call, lost]);
  }

  /** Connects if the connection was lost, in at most three further attempts. */
  async #reconnect(signal: AbortSignal): Promise<Live> {
    for (const [at, pause] of PAUSES_MS.entries()) {
      if (pause > 0) await sleep(pause, undefined, { signal });
      try {
        return await this.connect();
      } catch (error) {
        if (this.#closed || at === PAUSES_MS.length - 1) throw error;
      }
    }
    throw new AgentError("tool/failed", `The MCP server '${this.label}' cannot be reached.`);
  }

  async #drop(live: Live): Promise<void> {
    if ((await this.#live) === live) this.#live = undefined;
    await live.client.close().catch(() => {});
  }

  async #open(): Promise<Live> {
    const loaded = await loadClient();
    const {
      command,
      initTimeoutMs: timeout = 30_000,
      era = command === undefined ? "auto" : "legacy",
    } = this.#options;
    const client = new loaded.Client(
      { name: "agentchart", version: "1" },
      {
        jsonSchemaValidator: acceptAll,
        listMaxPages: MAX_PAGES,
        versionNegotiation: { mode: era },
        listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => this.#toolsChanged() } },
      },
    );
    client.setNotificationHandler("notifications/message", ({ params }) =>
      this.#report("log", typeof params.data === "string" ? params.data : JSON.stringify(params.data)),
    );
    const { promise: lost, reject } = Promise.withResolvers<never>();
    lost.catch(() => {}); // without a call in flight nobody waits for it
    const live = { client, lost };
    try {
      this.#stderr = "";
      await client.connect(this.#transport(loaded), { timeout });
    } catch (error) {
      await client.close().catch(() => {});
      throw this.#unreachable(error);
    }
    const end = (reason: string) => {
      if (this.#closed) return reject(new Error("closed"));
      reject(new Error(`Connection lost: ${reason}`));
      this.#live = undefined;
      this.#report("disconnected", reason);
    };
    Object.assign(client, {
      onclose: () => end("the server ended it"),
      onerror: (error: Error) => {
        if (!/Maximum reconnection attempts/.test(error.message)) return;
        end(error.message);
        void client.close().catch(() => {});
      },
    } satisfies Pick<Client, "onclose" | "onerror">);
    return live;
  }

  #toolsChanged(): void {
    this.isStale = true;
    this.#report("tools-changed", "The server has other tools now.");
  }

  #transport(loaded: Loaded): Transport {
    const { command, args = [], env, cwd, url, headers, transport, maxResultBytes } = this.#options;
    if (url !== undefined) {
      const Kind = transport === "sse" ? loaded.SSEClientTransport : loaded.StreamableHTTPClientTransport;
      return new Kind(new URL(url), { requestInit: { headers: { ...headers } } });
    }
    const child = new loaded.StdioClientTransport({
      command: command!,
      args: [...args],
      env: { ...loaded.getDefaultEnvironment(), ...env },
      stderr: "pipe",
      ...(cwd !== undefined && { cwd }),
      ...(maxResultBytes !== undefined && { maxBufferSize: maxResultBytes }),
    });
    let rest = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split("\n");
      rest = lines.pop()!.slice(-STDERR_TAIL);
      this.#stderr = (this.#stderr + chunk.toString()).slice(-STDERR_TAIL);
      for (const line of lines) this.#options.stderr?.(line);
    });
    return child;
  }

  #unreachable(cause: unknown): AgentError {
    const { command, url } = this.#options;
    const said = this.#stderr.trim() === "" ? "" : ` It wrote: ${this.#stderr.trim()}`;
    const advice =
      command === undefined
        ? `Is a server running at ${url}, and are its \`headers\` right?`
        : `Does the command run in a terminal: ${[command, ...(this.#options.args ?? [])].join(" ")}?`;
    const message = `The MCP server '${this.label}' cannot be connected to: ${messageOf(cause)}. ${advice}${said}`;
    return new AgentError("tool/failed", message, { cause, isRetryable: true });
  }
}

/** Returns the error of a call that was thrown: whether it may have taken effect, and whether it may be repeated. */
export function callError(server: string, error: unknown, { signal, isIdempotent }: CallWith): unknown {
  if (signal.aborted || AgentError.is(error)) return error;
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  const message = `MCP tool error: ${messageOf(error)}`;
  if (isRefused(error))
    return new AgentError("tool/failed", `${message} (the server '${server}' is not there)`, {
      cause: error,
      isRetryable: true,
    });
  if (code === "REQUEST_TIMEOUT")
    return new AgentError("tool/timeout", message, { cause: error, isRetryable: isIdempotent });
  const isLost = code === "CONNECTION_CLOSED" || /^Connection lost|^Not connected/.test(messageOf(error));
  if (!isLost) return new AgentError("tool/failed", message, { cause: error });
  if (isIdempotent) return new AgentError("tool/failed", message, { cause: error, isRetryable: true });
  const unknown = `${message}. The server '${server}' was lost while the call ran: it may have taken effect.`;
  return new AgentError("tool/outcome-unknown", unknown, { cause: error });
}
