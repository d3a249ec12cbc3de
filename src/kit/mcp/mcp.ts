import { delayOf } from "../../core/base/time.ts";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client, Tool as Listed } from "@modelcontextprotocol/client";
import { AgentError, configError, messageOf } from "../../core/base/error.ts";
import { check } from "../../core/base/options.ts";
import { refreshTools } from "../../core/tool/toolkit.ts";
import type { Tool, ToolSource } from "../../core/tool/types.ts";
import { Connection } from "./connection.ts";
import { MAX_TOOLS, type Fault, type ToolList } from "./listed-tools.ts";
import { checkMcp, mcpToolsSchema } from "./options.ts";
import { listPrompts, listResources, readResource, resourceTools } from "./resources.ts";
import { isUnauthorized } from "./sign-in.ts";
import { withoutSecrets } from "./transport.ts";
import { signInTool } from "./with-sign-in.ts";
import { toolName } from "./tool-name.ts";
import { toTool, type Source } from "./to-tool.ts";
import type { McpEvent, McpOptions, McpServer, McpStatus, McpToolOptions } from "./types.ts";

export type {
  McpElicitation,
  McpEvent,
  McpPrompt,
  McpResource,
  McpOptions,
  McpServer,
  McpStatus,
  McpToolOptions,
} from "./types.ts";

/** The pause between two readings of a list that goes on changing. */
const LIST_PAUSE_MS = 1_000;
const INIT_TIMEOUT_MS = 30_000;
const CALL_TIMEOUT_MS = 120_000;

/** Does work that may take this long, and no longer. Rejects with `late`, and aborts the signal, when the time is over. */
async function within<T>(
  ms: number,
  late: () => AgentError,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const { promise: isOver, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(late());
    stop.abort();
  }, delayOf(ms));
  try {
    return await Promise.race([work(stop.signal), isOver]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the tools that can be offered, and says which cannot, and why, unless that is known. */
function offered(
  source: Source,
  { tools, faults }: ToolList,
  known: readonly Fault[] = [],
): readonly Listed[] {
  const isKnown = (fault: Fault): boolean =>
    known.some(({ message, tool }) => message === fault.message && tool === fault.tool);
  for (const fault of faults) if (!isKnown(fault)) source.report(fault.type, fault.message, fault.tool);
  if (tools.length > MAX_TOOLS)
    source.report("left-out", `The server has more than ${MAX_TOOLS} tools; the first are offered.`);
  return tools.slice(0, MAX_TOOLS);
}

/** The tools that the options choose. */
function chosen(
  server: string,
  tools: readonly Listed[],
  faults: readonly Fault[],
  { only, except = [], rename, preset }: McpToolOptions,
): readonly Listed[] {
  const names = new Set(tools.map(({ name }) => name));
  const wanted = [only ?? [], except, Object.keys(rename ?? {}), Object.keys(preset ?? {})].flat();
  const unknown = wanted.find((name) => !names.has(name));
  if (unknown !== undefined) {
    const fault = faults.find(({ type, tool }) => type === "left-out" && tool === unknown);
    const reason = fault?.message ?? `It has: ${[...names].join(", ") || "none"}.`;
    throw configError(`The MCP server '${server}' has no tool '${unknown}'. ${reason}`);
  }
  return tools.filter(({ name }) => (only?.includes(name) ?? true) && !except.includes(name));
}

/** Throws `tool/failed` if a server has tools and none of them can be offered. */
function checkUsable(server: string, { tools, faults }: ToolList): void {
  const fault = faults.find(({ type }) => type === "left-out");
  if (tools.length > 0 || !fault) return;
  const which = fault.tool === undefined ? "" : ` '${fault.tool}'`;
  throw new AgentError(
    "tool/failed",
    `The MCP server '${server}' has no tool that can be offered. Of its tool${which} it is said: ${fault.message} Correct the server, or leave it out with \`optional: true\`.`,
  );
}

/** The options without the names of tools that are not there any more. */
function presentOnly(given: McpToolOptions, listed: readonly Listed[]): McpToolOptions {
  const names = new Set(listed.map(({ name }) => name));
  const those = <T>(of: { readonly [tool: string]: T }): { readonly [tool: string]: T } =>
    Object.fromEntries(Object.entries(of).filter(([name]) => names.has(name)));
  return {
    ...given,
    ...(given.only && { only: given.only.filter((name) => names.has(name)) }),
    ...(given.except && { except: given.except.filter((name) => names.has(name)) }),
    ...(given.rename && { rename: those(given.rename) }),
    ...(given.preset && { preset: those(given.preset) }),
  };
}

/** Makes tools, and has `failed` decide about each that cannot be made. */
function makeAll(
  source: Source,
  listed: readonly Listed[],
  given: McpToolOptions,
  failed: (tool: string, error: unknown) => void,
): Tool[] {
  const made = new Map<string, Tool>();
  for (const each of listed)
    try {
      const tool = toTool(source, each, given);
      if (made.has(tool.name))
        throw new AgentError(
          "tool/duplicate",
          `Two tools of the MCP server '${source.server}' are called '${tool.name}' here.`,
        );
      made.set(tool.name, tool);
    } catch (error) {
      failed(each.name, error);
    }
  return [...made.values()];
}

/**
 * Connects to an MCP server, and makes tools of its tools. Needs the package `@modelcontextprotocol/client`. One connection serves all
 * agents of a process; after a loss it is made again before the next call. Rejects `config/invalid` for wrong options and for the
 * missing package, and `tool/failed` if the server cannot be reached.
 *
 * @example
 * ```ts
 * import { createAgent } from "agentchart";
 * import { mcp } from "agentchart/mcp";
 * import { scriptedModel } from "agentchart/testing";
 *
 * async function makeAgent() {
 *   const files = await mcp({ name: "files", command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "."] });
 *   return createAgent({ name: "clerk", model: scriptedModel(["Done."]), tools: files.tools() });
 * }
 * ```
 */
export async function mcp(options: McpOptions): Promise<McpServer> {
  checkMcp(options);
  const connection = new Connection(options, (type, message) => {
    report(type, message);
    if (type === "tools-changed" && isStarted && options.toolsChanged !== "ignore") follow();
  });
  let server = connection.label;
  const report = (type: McpEvent["type"], message: string, tool?: string): void =>
    options.onEvent?.({
      type,
      server,
      message: withoutSecrets(message, options),
      ...(tool !== undefined && { tool }),
    });
  let instructions: string | undefined;
  let listed: readonly Listed[] = [];
  let faults: readonly Fault[] = [];
  let version = 0;
  const sourceOf = (): Source => {
    const prefix = options.prefix === false ? "" : (options.prefix ?? `${server}__`);
    return { connection, server, prefix, options, report };
  };
  let isSignedOut = false;
  let isStarted = false;
  let readAt = 0;
  let reading: Promise<void> = Promise.resolve();
  /** Reads the list again if it may have changed. */
  const refresh = (): Promise<void> => {
    const read = async (): Promise<void> => {
      if (!connection.isStale) return;
      const rest = Math.min(readAt + LIST_PAUSE_MS - Date.now(), LIST_PAUSE_MS);
      if (rest > 0) await sleep(rest, undefined, { ref: false });
      if (connection.isClosed) return;
      readAt = Date.now();
      const list = await connection.tools();
      const now = offered(sourceOf(), list, faults);
      ({ faults } = list);
      if (JSON.stringify(now) === JSON.stringify(listed)) return;
      listed = now;
      version++;
    };
    return (reading = reading.catch(() => {}).then(read));
  };
  const follow = (): void => void refresh().catch((error: unknown) => report("warning", messageOf(error)));
  const timeout = delayOf(options.initTimeoutMs ?? INIT_TIMEOUT_MS);
  /** Connects and reads the list for the first time, all of it within the time for that. */
  const start = (): Promise<void> =>
    within(
      timeout,
      () => connection.lateError(),
      async (signal) => {
        const { client } = await connection.connect();
        const list = await connection.tools(signal);
        if (!signal.aborted) take(client, list);
      },
    );
  const take = (client: Client, list: ToolList): void => {
    server = options.name ?? client.getServerVersion()?.name ?? server;
    instructions = client.getInstructions();
    listed = offered(sourceOf(), list);
    ({ faults } = list);
    checkUsable(server, list);
    isStarted = true;
    follow(); // of what changed meanwhile
  };
  const signIn = (): Tool =>
    signInTool(toolName(sourceOf().prefix, "sign_in"), connection, async () => {
      if (!isSignedOut) return;
      await start();
      isSignedOut = false;
      version++;
    });
  const startedAt = performance.now();
  try {
    await start();
  } catch (error) {
    isSignedOut = isUnauthorized(error) && connection.signInPage !== undefined;
    const isSkipped =
      isSignedOut ||
      (options.optional === true && !(AgentError.is(error) && error.code === "config/invalid"));
    if (!isSkipped) {
      const rest = Math.max(0, startedAt + timeout - performance.now());
      await within(
        rest,
        () => connection.lateError(),
        () => connection.close(),
      ).catch(() => {});
      throw error;
    }
    if (!isSignedOut) {
      report("left-out", messageOf(error));
      void connection.abandon();
    }
  }
  const make = (
    given: McpToolOptions,
    source: ToolSource,
    failed: (tool: string, error: unknown) => void,
  ): Tool[] => {
    if (!isStarted && !isSignedOut) return []; // it was left out
    const made = isSignedOut
      ? [signIn()]
      : makeAll(sourceOf(), chosen(server, listed, faults, given), given, failed);
    return made.map((tool) => ({ ...tool, source }));
  };
  const tools = (given: McpToolOptions = {}): Tool[] => {
    check(mcpToolsSchema(), given, `tools of the MCP server '${server}'`);
    const source: ToolSource = {
      since: version,
      get version() {
        return version;
      },
      tools: () =>
        make(presentOnly(given, listed), source, (tool, error) =>
          report("left-out", `The tool is not offered: ${messageOf(error)}`, tool),
        ),
      refused: (name, reason) => report("warning", `The tool '${name}' is not offered: ${reason}.`),
    };
    return make(given, source, (_, error) => {
      throw error;
    });
  };
  const readResourceOf = (uri: string, signal?: AbortSignal) =>
    connection.use((client) =>
      readResource(client, uri, {
        timeout: delayOf(options.timeoutMs ?? CALL_TIMEOUT_MS),
        ...(options.maxResultBytes !== undefined && { maxBytes: options.maxResultBytes }),
        ...(signal && { signal }),
      }),
    );
  const resources = () => connection.use((client) => listResources(client, timeout));
  return {
    get name() {
      return server;
    },
    get instructions() {
      return instructions;
    },
    get status(): McpStatus {
      if (connection.isClosed) return "closed";
      if (isSignedOut) return "signed-out";
      if (!isStarted) return "left-out";
      return connection.isConnected ? "connected" : "disconnected";
    },
    tools,
    async updateTools(toolkit) {
      await refresh();
      return refreshTools(toolkit);
    },
    resources,
    readResource: (uri) => readResourceOf(uri),
    resourceTools: () => resourceTools(sourceOf().prefix, connection, resources, readResourceOf),
    prompts: () => connection.use((client) => listPrompts(client, timeout)),
    close: () => connection.close(),
  };
}
