import { once } from "node:events";
import { Writable } from "node:stream";
import { loadMcpServer, mcpServers, type McpToolOptions } from "./mcp-tools.ts";
import { SCOPES } from "./tokens.ts";

/** Serves agents as MCP tools over the standard input of this process and `output`, to the person who started it. */
export async function mcpStdio(
  options: McpToolOptions,
  output: (text: string) => void,
): Promise<{
  /** Resolves when the host closes the input. */
  readonly ended: Promise<string>;
  readonly close: () => Promise<void>;
}> {
  const serverFor = mcpServers(await loadMcpServer(), options);
  const { serveStdio, StdioServerTransport } = await import("@modelcontextprotocol/server/stdio");
  const ended = once(process.stdin, "end").then(() => "end of input");
  const stdout = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      output(text);
      done();
    },
  });
  const access = { tenant: "local", scopes: SCOPES, name: "local" };
  const transport = new StdioServerTransport(process.stdin, stdout);
  const { close } = serveStdio(() => serverFor(access), { transport });
  return { ended, close };
}
