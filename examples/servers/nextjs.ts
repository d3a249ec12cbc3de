// #region nextjs
// app/chat/[id]/route.ts of a Next.js application. Agents need Node, not the edge runtime.
import type { Chats } from "./chats.ts";

export const runtime = "nodejs";
type Context = { readonly params: Promise<{ readonly id: string }> };

/** In the file of the route: `export const { GET, POST } = nextRoutes(chats)`. */
export function nextRoutes(chats: Chats) {
  return {
    POST: async (request: Request, { params }: Context): Promise<Response> =>
      chats.post((await params).id, await request.json().catch(() => undefined)),
    GET: async (_: Request, { params }: Context): Promise<Response> => chats.get((await params).id),
  };
}
// #endregion
