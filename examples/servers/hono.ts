// #region hono
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { Chats } from "./chats.ts";

/** The chats as routes of Hono, on Node, Bun or Deno. */
export function honoApp(chats: Chats): Hono {
  const app = new Hono();
  app.use(bodyLimit({ maxSize: 1_000_000 }));
  app.post("/chat/:id", async (c) =>
    chats.post(c.req.param("id"), await c.req.json().catch(() => undefined)),
  );
  app.get("/chat/:id", (c) => chats.get(c.req.param("id")));
  return app;
}
// #endregion
