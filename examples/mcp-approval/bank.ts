// An MCP server over HTTP that asks a person before it pays: npx node --conditions=agentchart-source examples/mcp-approval/bank.ts
import { appendFileSync } from "node:fs";
import {
  acceptedContent,
  createMcpHandler,
  createRequestStateCodec,
  inputRequired,
  McpServer,
} from "@modelcontextprotocol/server";
import { serve } from "agentchart/server";
import { z } from "zod";

const { BANK_KEY = "a key of at least 32 characters, for this example only", BANK_PORT = "8795" } =
  process.env;
const [ledger = "ledger.txt"] = process.argv.slice(2);

/** What a payment waits with. The client keeps it, signed, while a person decides. */
type Payment = { readonly to: string; readonly cents: number };
const codec = createRequestStateCodec<Payment>({ key: BANK_KEY, ttlSeconds: 7 * 24 * 3600 });
const confirmation = z.object({ pay: z.boolean(), note: z.string().max(100).optional() });

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: "bank", version: "1" }, { requestState: { verify: codec.verify } });
  server.registerTool(
    "pay",
    {
      description: "Pays money to somebody.",
      inputSchema: z.object({ to: z.string(), cents: z.int().min(1) }),
    },
    async ({ to, cents }, { mcpReq, ...ctx }) => {
      const asked = mcpReq.requestState<Payment>();
      if (!asked || asked.to !== to || asked.cents !== cents)
        return inputRequired({
          requestState: await codec.mint({ to, cents }, { mcpReq, ...ctx }),
          inputRequests: {
            confirm: inputRequired.elicit({
              message: `Pay ${cents} cents to ${to}?`,
              requestedSchema: confirmation,
            }),
          },
        });
      const answer = acceptedContent(mcpReq.inputResponses, "confirm", confirmation);
      if (!answer?.pay) return { content: [{ type: "text", text: "Nothing was paid: a person said no." }] };
      appendFileSync(ledger, `${cents} cents to ${to}. ${answer.note ?? ""}\n`);
      return { content: [{ type: "text", text: `Paid ${cents} cents to ${to}.` }] };
    },
  );
  return server;
});

const { url } = await serve({ fetch: (request) => handler.fetch(request) }, { port: Number(BANK_PORT) });
console.log(`The bank is at ${url}`);
