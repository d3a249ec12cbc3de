import { configError } from "../core/base/error.ts";
import * as s from "../core/base/option-schema.ts";
import { check } from "../core/base/options.ts";
import type { McpHeaders, McpOptions } from "../kit/mcp/types.ts";
import { parseJson, readText } from "./read-json.ts";

/** The bytes of a file that names MCP servers, and the servers. */
export type McpConfig = {
  readonly file: string;
  readonly content: string;
  readonly servers: readonly McpOptions[];
};

type Entry = Pick<McpOptions, "command" | "args" | "env" | "cwd" | "url"> & {
  readonly headers?: McpHeaders;
  readonly type?: string;
};
type Config = { readonly mcpServers: { readonly [name: string]: Entry } };

/** The form that many hosts use. What else they put into it is passed over. */
const configSchema = s.lazily(() =>
  s.openOptions<Config>({
    mcpServers: s.recordOf(
      s.openOptions<Entry>({
        command: s.optional(s.nonEmpty()),
        args: s.optional(s.listOf(s.string())),
        env: s.optional(s.recordOf(s.secret())),
        cwd: s.optional(s.nonEmpty()),
        url: s.optional(s.nonEmpty()),
        headers: s.optional(s.recordOf(s.secret())),
        type: s.optional(s.string()),
      }),
    ),
  }),
);

/** Reads a file of MCP servers, `{ "mcpServers": { "name": { "command", "args", "env", "cwd" } or { "url", "headers" } } }`. Throws
 *  `config/invalid` with a line that names the file. */
export async function readMcpConfig(file: string): Promise<McpConfig> {
  const what = `--mcp-config ${file}`;
  const content = await readText(file, what);
  const config = parseJson(content, what) as Config;
  check(configSchema(), config, what);
  const servers = Object.entries(config.mcpServers).map(([name, { type, ...entry }]): McpOptions => {
    if ((entry.command === undefined) === (entry.url === undefined))
      throw configError(`${what}: the server '${name}' needs a \`command\` or a \`url\`, and not both.`);
    const { command, args, env, cwd, url, headers } = entry;
    return {
      name: name.replace(/[^\w-]/g, "_").slice(0, 40) || "server",
      ...(command !== undefined && {
        command,
        ...(args && { args }),
        ...(env && { env }),
        ...(cwd && { cwd }),
      }),
      ...(url !== undefined && {
        url,
        ...(headers && { headers }),
        ...(type === "sse" && { transport: "sse" }),
      }),
    };
  });
  return { file, content, servers };
}
