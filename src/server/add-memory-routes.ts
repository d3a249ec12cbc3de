import { type OpenAPIHono, createRoute, z } from "@hono/zod-openapi";
import type { MemoryStore } from "../kit/memory/port.ts";
import type { ServerEnv } from "./authenticate.ts";
import { allowed, ERRORS, reply } from "./routes.ts";
import { idText, inPath, jsonObject, optional, shortText } from "./shared-schemas.ts";

const TAG = { tags: ["memories"] };

const scopeParams = z.object({
  scope: inPath(idText, "scope", {
    description: "Whose memories: the agent's scope without the tenant and the slash before it",
    example: "ada",
  }),
});

const memoryParams = scopeParams.extend({ memory: inPath(shortText(64), "memory") });

const page = z.object({
  cursor: optional(z.string().max(200)),
  limit: optional(z.coerce.number().int().min(1).max(1_000), { description: "Default 100" }),
});

const memories = z
  .object({
    memories: z
      .array(
        z.object({
          id: z.string(),
          text: z.string(),
          at: z.number().openapi({ description: "When it was kept last, epoch ms" }),
          meta: jsonObject,
          expiresAt: optional(z.number(), { description: "Epoch ms" }),
        }),
      )
      .readonly(),
    cursor: optional(z.string(), { description: "Absent on the last page" }),
  })
  .openapi("MemoryPage");

const removed = reply("How many there were", z.object({ removed: z.number().int() }).openapi("Removed"));

const listMemories = createRoute({
  method: "get",
  path: "/v1/memories/{scope}",
  summary: "List what is remembered, newest first",
  ...allowed("read"),
  ...TAG,
  request: { params: scopeParams, query: page },
  responses: { 200: reply("A page of memories", memories), ...ERRORS },
});

const deleteMemories = createRoute({
  method: "delete",
  path: "/v1/memories/{scope}",
  summary: "Delete all that is remembered of a scope",
  ...allowed("write"),
  ...TAG,
  request: { params: scopeParams },
  responses: { 200: removed, ...ERRORS },
});

const deleteMemory = createRoute({
  method: "delete",
  path: "/v1/memories/{scope}/{memory}",
  summary: "Delete a memory",
  ...allowed("write"),
  ...TAG,
  request: { params: memoryParams },
  responses: { 200: removed, ...ERRORS },
});

/** Adds the routes under `/v1/memories`. What a tenant calls the scope `ada` is `<tenant>/ada` in the store, and a tenant has no slash:
 *  no path reaches the memories of another one. */
export function addMemoryRoutes(app: OpenAPIHono<ServerEnv>, memory: MemoryStore): void {
  app.openapi(listMemories, async (c) => {
    const { scope } = c.req.valid("param");
    return c.json(await memory.list(`${c.get("access").tenant}/${scope}`, c.req.valid("query")), 200);
  });
  app.openapi(deleteMemories, async (c) => {
    const { scope } = c.req.valid("param");
    return c.json({ removed: await memory.remove(`${c.get("access").tenant}/${scope}`) }, 200);
  });
  app.openapi(deleteMemory, async (c) => {
    const { scope, memory: id } = c.req.valid("param");
    return c.json({ removed: await memory.remove(`${c.get("access").tenant}/${scope}`, [id]) }, 200);
  });
}
