import crypto from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { configError } from "../core/base/error.ts";
import { hideSecrets } from "../core/base/secrets.ts";
import type { McpConfig } from "./mcp-config.ts";
import { shellQuote } from "./shell-quote.ts";
import type { Terminal } from "./terminal.ts";

/** The way in which the servers of a file are confirmed. */
export type Confirmation = {
  readonly terminal: Terminal;
  /** The values of `--mcp-trust`. */
  readonly trusted: readonly string[];
  /** Asks a person; undefined if nobody is there. */
  readonly ask: ((question: string) => Promise<boolean>) | undefined;
  /** The location of the hashes of confirmed files; default `~/.agentchart/mcp-trusted`. */
  readonly folder?: string;
};

/** The hash of a file's content and of the folder that its programs start in, on which depends what a relative command is. */
export function trustHash(content: string, cwd: string = process.cwd()): string {
  return crypto.hash("sha256", JSON.stringify([cwd, content])).slice(0, 32);
}

/** The line that shows what a server is. The values of variables and headers may be secret, and so may a part of an address; a file that
 *  somebody else wrote may have texts that look like more lines. */
export function lineOf({
  name,
  command,
  args = [],
  env = {},
  cwd,
  url,
}: McpConfig["servers"][number]): string {
  if (url !== undefined) return `  ${name}: connects to ${shellQuote(hideSecrets(url))}`;
  const variables = Object.keys(env).map((key) => `${shellQuote(key)}=… `);
  const words = [command!, ...args].map(shellQuote).join(" ");
  return `  ${name}: runs ${variables.join("")}${words}${cwd === undefined ? "" : ` in ${shellQuote(cwd)}`}`;
}

/** Resolves if a person has confirmed the servers of this very file in this folder, now or before, and keeps that. Rejects with
 *  `config/invalid` otherwise; nothing of the file may be started then. */
export async function confirmServers(config: McpConfig, options: Confirmation): Promise<void> {
  const { terminal, trusted, ask, folder = join(homedir(), ".agentchart", "mcp-trusted") } = options;
  const hash = trustHash(config.content);
  if (existsSync(join(folder, hash))) return;
  if (!trusted.includes(hash)) {
    terminal.hint(`${config.file} names MCP servers that were not confirmed:`);
    for (const server of config.servers) terminal.hint(lineOf(server));
    if (!(await ask?.("Use them? [y/N] ")))
      throw configError(
        `The servers of ${config.file} were not confirmed, and nothing was started. If they are right, repeat the command with --mcp-trust ${hash}`,
      );
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, hash), "", { mode: 0o600 });
}
