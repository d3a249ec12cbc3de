import type { OpenAPIHono } from "@hono/zod-openapi";
import type { ServerEnv } from "./authenticate.ts";
import { loadMcpServer, mcpServers } from "./mcp-tools.ts";
import type { ServerOptions } from "./options.ts";
import type { Access } from "./tokens.ts";

/** Adds `/mcp`, at which the agents are tools of an MCP server. */
export function addMcpRoute(app: OpenAPIHono<ServerEnv>, options: ServerOptions): void {
  const { mcp } = options;
  if (!mcp) return;
  const load = async () => {
    const loaded = await loadMcpServer();
    const serverFor = mcpServers(loaded, { ...options, mcp });
    return loaded.createMcpHandler(({ authInfo }) => serverFor(authInfo!.extra!["access"] as Access));
  };
  let handler: ReturnType<typeof load> | undefined;
  app.all("/mcp", async (c) => {
    const access = c.get("access");
    const authInfo = { token: "", clientId: access.tenant, scopes: [...access.scopes], extra: { access } };
    return (await (handler ??= load())).fetch(c.req.raw, { authInfo });
  });
}
