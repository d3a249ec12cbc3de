import { defineTool, toolError, type ChatModel, type Tool } from "agentchart";
import { agentTool } from "agentchart/team";
import { z } from "zod";
import { claimsOf, findParcel } from "./orders.ts";

const INSTRUCTIONS = `You check claims about parcels. Track the parcel, look at earlier claims of the customer, and report in
two or three sentences, without Markdown and in the language of the claim, whether the claim is plausible. You decide nothing.`;

const input = z.object({ orderId: z.string().describe("The number of the order, such as 1001") });

const trackParcel = defineTool({
  name: "track_parcel",
  description: "Says when the parcel of an order was shipped and delivered, and what the carrier has noted.",
  input,
  idempotent: true,
  execute: ({ orderId }) => findParcel(orderId) ?? toolError(`There is no order ${orderId}.`),
});

const countClaims = defineTool({
  name: "count_claims",
  description: "Says how often the customer of an order has asked for money back in the last year.",
  input,
  idempotent: true,
  execute({ orderId }) {
    const claims = claimsOf(orderId);
    return claims === undefined ? toolError(`There is no order ${orderId}.`) : { claims };
  },
});

/** A tool that is an agent: it finds out whether what a customer says about a parcel is plausible. */
export function investigator(
  model: ChatModel,
  prices: { readonly [model: string]: { readonly input: number; readonly output: number } },
): Tool {
  return agentTool({
    agent: {
      name: "investigator",
      sysPrompt: INSTRUCTIONS,
      model,
      tools: [trackParcel, countClaims],
      modelOptions: { prices },
    },
    name: "investigate",
    description: "Has an investigator check what a customer says about a parcel. It takes some seconds.",
    input: input.extend({ claim: z.string().min(1).max(2_000).describe("What the customer says") }),
    prompt: ({ orderId, claim }) => `Order ${orderId}: ${claim}`,
  });
}
