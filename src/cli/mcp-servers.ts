import type { McpOptions, McpServer } from "../kit/mcp/types.ts";
import type { Tool } from "../core/tool/types.ts";
import type { CliIo } from "./cli-io.ts";
import type { Values } from "./define-command.ts";
import { readMcpConfig } from "./mcp-config.ts";
import { askPerson } from "./person.ts";
import { confirmServers, type Confirmation } from "./mcp-trust.ts";
import type { AGENT } from "./shared-flags.ts";
import { UsageError } from "./usage-error.ts";

type McpFlags = Pick<Values<typeof AGENT>, "mcp" | "mcpUrl" | "mcpConfig" | "mcpTrust">;

/** The tools of connected MCP servers. */
export type McpTools = { readonly tools: readonly Tool[]; readonly close: () => Promise<void> };

/** The servers that the flags name. Rejects if those of a file are not confirmed. */
async function serversOf(flags: McpFlags, confirmation: Confirmation): Promise<readonly McpOptions[]> {
  const programs = flags.mcp.map((line): McpOptions => {
    const [command, ...args] = splitWords(line);
    if (!command) throw new UsageError("'--mcp' needs a command, such as --mcp \"npx -y SERVER\".");
    return { command, args };
  });
  const files = await Promise.all(flags.mcpConfig.map(readMcpConfig));
  for (const file of files) await confirmServers(file, confirmation);
  return [...programs, ...flags.mcpUrl.map((url) => ({ url })), ...files.flatMap(({ servers }) => servers)];
}

/** Connects to the MCP servers of the flags. If one cannot be reached, none stays open. */
export async function openMcpServers(
  flags: McpFlags,
  { terminal }: Pick<CliIo, "terminal">,
  folder?: string,
): Promise<McpTools> {
  const confirmation = { terminal, trusted: flags.mcpTrust, ask: askPerson(), ...(folder && { folder }) };
  return connectServers(await serversOf(flags, confirmation), terminal);
}

/** Connects to MCP servers. If one cannot be reached, none stays open. */
export async function connectServers(
  wanted: readonly McpOptions[],
  terminal: CliIo["terminal"],
): Promise<McpTools> {
  if (wanted.length === 0) return { tools: [], close: async () => {} };
  const { mcp } = await import("../kit/mcp/index.ts");
  const onEvent: McpOptions["onEvent"] = ({ type, server, tool, message }) => {
    if (type === "log") return;
    terminal.note(`MCP ${server}${tool === undefined ? "" : `, ${tool}`}: ${message}`);
  };
  const opened = await Promise.allSettled(wanted.map((options) => mcp({ ...options, onEvent })));
  const servers = opened.flatMap((each): McpServer[] => (each.status === "fulfilled" ? [each.value] : []));
  const close = async (): Promise<void> => {
    await Promise.allSettled(servers.map((server) => server.close()));
  };
  const failed = opened.find(({ status }) => status === "rejected") as PromiseRejectedResult | undefined;
  if (!failed) return { tools: servers.flatMap((server) => server.tools()), close };
  await close();
  throw failed.reason;
}

/** The words of a command line, with the quotes of a POSIX shell; nothing is expanded. Throws a {@link UsageError} for an open quote. */
export function splitWords(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  const pieces = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|(\s+)|([^\s'"\\]+)|(.)/gsu;
  for (const [, single, double, escaped, space, plain, open] of line.matchAll(pieces)) {
    if (open !== undefined) throw new UsageError(`The command has an open quote or backslash: ${line}`);
    if (space !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + (single ?? double?.replace(/\\(["\\$`])/g, "$1") ?? escaped ?? plain);
  }
  return word === undefined ? words : [...words, word];
}
