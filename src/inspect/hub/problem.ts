import type { Context } from "hono";

/** The answer to a request that cannot be answered otherwise: `{ error: { message } }`. */
export function problem(
  c: Context,
  status: 400 | 401 | 403 | 404 | 409 | 413 | 429 | 500,
  message: string,
): Response {
  return c.json({ error: { message } }, status);
}
