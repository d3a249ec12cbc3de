import { createAgent, defineTool, type AgentConfig, type ChatModel } from "agentchart";
import { z } from "zod";

/** What was paid, by the key of the call: a payment service that gets a key twice pays once. */
export const paid = new Map<string, number>();

const refund = defineTool({
  name: "refund",
  description: "Pays money back for an order.",
  input: z.object({ orderId: z.string(), cents: z.number().int().positive() }),
  idempotent: true,
  execute: ({ orderId, cents }, { idempotencyKey }) => {
    paid.set(idempotencyKey, cents);
    return `Paid back ${cents} cents for order ${orderId}.`;
  },
});

/** The configuration of a refunds desk that pays up to ten euros by itself, and asks a person about more. */
export const deskConfig = (model: ChatModel): AgentConfig => ({
  name: "desk",
  sysPrompt: "You work at the refunds desk. Refund what customers ask for.",
  model,
  tools: [refund],
  permissions: {
    rules: [
      {
        tool: "refund",
        action: "ask",
        when: ({ cents }) => Number(cents) > 1_000,
        reason: "more than ten euros",
      },
    ],
    expiresAfterMs: 3 * 24 * 3_600_000, // after three days the call is denied
  },
});

/** The desk in a session of a store. */
export const desk = (model: ChatModel, session: Pick<AgentConfig, "store" | "sessionId">) =>
  createAgent({ ...deskConfig(model), ...session });
