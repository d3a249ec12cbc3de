import { defineTool, toolError, type Tool } from "agentchart";
import { z } from "zod";
import { eurosText, findOrder } from "./orders.ts";
import type { RefundLedger } from "./refund-ledger.ts";

const orderId = z.string().describe("The number of the order, such as 1001");

/** The tools of the desk. */
export function deskTools(ledger: RefundLedger): readonly Tool[] {
  const lookUpOrder = defineTool({
    name: "look_up_order",
    description: "Looks up an order: what it was, what it cost, where it is, what has been refunded.",
    input: z.object({ orderId }),
    idempotent: true,
    async execute(input) {
      const order = findOrder(input.orderId);
      if (!order) return toolError(`There is no order ${input.orderId}.`);
      const refundedCents = await ledger.refundedCents(order.id);
      return { ...order, refundedCents };
    },
  });

  const refund = defineTool({
    name: "refund",
    description: "Pays money back for an order. A person has to approve it.",
    input: z.object({ orderId, cents: z.number().int().positive(), reason: z.string().min(1).max(500) }),
    permission: "ask",
    // The ledger pays each key once, so a call that was cut off by a crash may be repeated.
    idempotent: true,
    async execute(input, { idempotencyKey }) {
      const order = findOrder(input.orderId);
      if (!order) return toolError(`There is no order ${input.orderId}.`);
      const made = await ledger.refund({ key: idempotencyKey, ...input }, order.totalCents);
      if (!made)
        return toolError(`Order ${order.id} has less than ${eurosText(input.cents)} left to refund.`);
      return { refundId: made.key, orderId: made.orderId, cents: made.cents };
    },
  });

  return [lookUpOrder, refund];
}
