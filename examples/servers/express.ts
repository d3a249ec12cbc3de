// #region express
import { pipeline } from "node:stream/promises";
import express, { type Express, type Response as ExpressResponse } from "express";
import type { Chats } from "./chats.ts";

/** The chats as routes of Express 5. */
export function expressApp(chats: Chats): Express {
  const app = express();
  app.post("/chat/:id", express.json({ limit: "1mb" }), async (request, response) => {
    await send(await chats.post(request.params.id!, request.body), response);
  });
  app.get("/chat/:id", async (request, response) => {
    await send(await chats.get(request.params.id), response);
  });
  return app;
}

async function send(answer: Response, response: ExpressResponse): Promise<void> {
  response.status(answer.status).setHeaders(answer.headers);
  await pipeline(answer.body!, response).catch(() => {}); // the page has gone, the turn goes on
}
// #endregion
