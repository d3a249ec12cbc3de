import {
  createMcpHandler,
  createRequestStateCodec,
  inputRequired,
  McpServer,
} from "@modelcontextprotocol/server";
import { serve } from "agentchart/server";
import { z } from "zod";

/** What a booking remembers between its questions. */
type Stay = { readonly city: string; readonly nights?: number };

/** A server of the revision 2026-07-28 on this machine. Its tool `book` asks twice, and `bookings` counts what it did. */
export async function bookingServer() {
  const bookings: string[] = [];
  let waits = 0;
  const codec = createRequestStateCodec<Stay>({ key: "k".repeat(32) });
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "hotel", version: "1" }, { requestState: { verify: codec.verify } });
    server.registerTool(
      "book",
      { description: "Books a room.", inputSchema: z.object({ city: z.string() }) },
      async ({ city }, ctx) => {
        const stay = ctx.mcpReq.requestState<Stay>();
        const answer = (key: string) =>
          ctx.mcpReq.inputResponses?.[key] as
            | { readonly action: string; readonly content?: { readonly [key: string]: unknown } }
            | undefined;
        const nights = answer("nights");
        if (!stay || !(nights || stay.nights))
          return inputRequired({
            requestState: await codec.mint({ city }, ctx),
            inputRequests: {
              nights: inputRequired.elicit({
                message: `How many nights in ${city}?`,
                requestedSchema: z.object({ nights: z.int().min(1) }),
              }),
            },
          });
        if (nights && nights.action !== "accept")
          return { content: [{ type: "text", text: `Not booked: ${nights.action}.` }] };
        if (nights)
          return inputRequired({
            requestState: await codec.mint({ city, nights: Number(nights.content?.["nights"]) }, ctx),
            inputRequests: {
              "pay/here": inputRequired.elicitUrl({ message: "Pay here.", url: "https://bank.example/pay" }),
            },
          });
        bookings.push(`${stay.nights} nights in ${stay.city}, paid: ${answer("pay/here")?.action}`);
        return { content: [{ type: "text", text: `Booked ${stay.nights} nights in ${stay.city}.` }] };
      },
    );
    server.registerTool("wait", { inputSchema: z.object({}) }, async (_, ctx) => {
      if (waits++ < 2) return inputRequired({ requestState: await codec.mint({ city: "" }, ctx) });
      return { content: [{ type: "text", text: `answered at request ${waits}` }] };
    });
    return server;
  });
  const { url, close } = await serve({ fetch: (request) => handler.fetch(request) });
  return { url, close, bookings };
}
