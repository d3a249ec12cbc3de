import type { OpenAPIHono } from "@hono/zod-openapi";
import type { MemoryStore } from "../kit/memory/port.ts";
import type { ServerEnv } from "./authenticate.ts";
import * as routes from "./memory-routes.ts";

/** Adds the routes under `/v1/memories`. What a tenant calls the scope `ada` is `<tenant>/ada` in the store, and a tenant has no slash:
 *  no path reaches the memories of another one. */
export function addMemoryRoutes(app: OpenAPIHono<ServerEnv>, memory: MemoryStore): void {
  app.openapi(routes.listMemories, async (c) => {
    const { scope } = c.req.valid("param");
    return c.json(await memory.list(`${c.get("access").tenant}/${scope}`, c.req.valid("query")), 200);
  });
  app.openapi(routes.deleteMemories, async (c) => {
    const { scope } = c.req.valid("param");
    return c.json({ removed: await memory.remove(`${c.get("access").tenant}/${scope}`) }, 200);
  });
  app.openapi(routes.deleteMemory, async (c) => {
    const { scope, memory: id } = c.req.valid("param");
    return c.json({ removed: await memory.remove(`${c.get("access").tenant}/${scope}`, [id]) }, 200);
  });
}
