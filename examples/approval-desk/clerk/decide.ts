import type { JsonObject } from "agentchart";
import { eurosText, type Order } from "../tools/orders.ts";
import { readWish } from "./wishes.ts";

/** A tool call of this turn and its result. */
export type Step = {
  readonly tool: string;
  readonly input: JsonObject;
  readonly isDone: boolean;
  /** The text of the result: JSON on success, else the error. */
  readonly text: string;
};

/** The text of the answer, and the tool call in it. */
export type Move = {
  readonly say: string;
  readonly call?: { readonly tool: string; readonly input: JsonObject };
};

type Known = Order & { readonly refundedCents: number };

/**
 * Returns the next answer by rules: look up the order, then request the refund, then report the outcome to the customer. Every
 * amount in it comes from a tool or from the customer, and a call that has a result is never repeated.
 */
export function decide(customer: readonly string[], steps: readonly Step[]): Move {
  const wish = readWish(customer.at(-1) ?? "");
  const orderId = wish.orderId ?? customer.map((text) => readWish(text).orderId).findLast(Boolean);
  if (orderId === undefined) return { say: "Gladly. Which order is it? Please tell me its number." };

  const refund = steps.find(({ tool }) => tool === "refund");
  if (refund) return { say: refund.isDone ? paid(refund) : `The refund was not made: ${refund.text}` };

  const lookUp = steps.find(({ tool }) => tool === "look_up_order");
  if (!lookUp) {
    return { say: `I look up order ${orderId}.`, call: { tool: "look_up_order", input: { orderId } } };
  }
  if (!lookUp.isDone) return { say: lookUp.text };
  const order = JSON.parse(lookUp.text) as Known;
  const left = order.totalCents - order.refundedCents;
  if (!wish.wantsMoney) return { say: orderStatus(order) };
  const cents = wish.cents ?? left;
  if (left <= 0 || cents > left) {
    return { say: `${orderStatus(order)} So I cannot refund ${eurosText(cents || order.totalCents)}.` };
  }
  const reason = (customer.at(-1) ?? "").slice(0, 500);
  return {
    say: `${orderStatus(order)} I ask a colleague to approve a refund of ${eurosText(cents)}.`,
    call: { tool: "refund", input: { orderId, cents, reason } },
  };
}

function orderStatus({ id, item, status, totalCents, refundedCents }: Known): string {
  const refunded = refundedCents > 0 ? `, of which ${eurosText(refundedCents)} was refunded` : "";
  return `Order ${id} (${item}) is ${status} and cost ${eurosText(totalCents)}${refunded}.`;
}

function paid({ text }: Step): string {
  const { orderId, cents } = JSON.parse(text) as { readonly orderId: string; readonly cents: number };
  return `${eurosText(cents)} for order ${orderId} is on its way back to you.`;
}
