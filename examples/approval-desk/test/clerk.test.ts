import { describe, expect, test } from "vitest";
import { decide, type Step } from "../clerk/decide.ts";
import { readWish } from "../clerk/wishes.ts";

const looked = (order: object): Step => ({
  tool: "look_up_order",
  input: { orderId: "1001" },
  isDone: true,
  text: JSON.stringify({
    id: "1001",
    item: "Desk lamp",
    status: "delivered",
    totalCents: 4_900,
    refundedCents: 0,
    ...order,
  }),
});

test.for([
  ["Order 1001 arrived broken, I want my money back.", { orderId: "1001", wantsMoney: true }],
  ["refund €12.50 for #1002 please", { orderId: "1002", wantsMoney: true, cents: 1_250 }],
  ["Please return 20 euros of order no. 1003", { orderId: "1003", wantsMoney: true, cents: 2_000 }],
  ["Where is order number 1004?", { orderId: "1004", wantsMoney: false }],
  ["Hello", { wantsMoney: false }],
] as const)("%j is read as %j", ([text, wish]) => {
  expect(readWish(text)).toEqual(wish);
});

describe("The clerk", () => {
  test("asks for the order, and remembers it", () => {
    expect(decide(["I want a refund"], []).say).toContain("Which order");
    expect(decide(["Order 1001", "I want a refund"], []).call).toEqual({
      tool: "look_up_order",
      input: { orderId: "1001" },
    });
  });

  test("asks for what is left of an order, and for no more", () => {
    const refund = (text: string, order: object) => decide([text], [looked(order)]).call?.input;
    expect(refund("refund order 1001", {})).toMatchObject({ cents: 4_900 });
    expect(refund("refund order 1001", { refundedCents: 4_000 })).toMatchObject({ cents: 900 });
    expect(refund("refund €5 for order 1001", {})).toMatchObject({ cents: 500 });
    expect(refund("refund €50 for order 1001", {})).toBeUndefined();
    expect(refund("refund order 1001", { refundedCents: 4_900 })).toBeUndefined();
    expect(refund("Where is order 1001?", {})).toBeUndefined();
  });

  test("says what came of it, and calls nothing twice", () => {
    const done: Step = { tool: "refund", input: {}, isDone: true, text: '{"orderId":"1001","cents":4900}' };
    const denied: Step = { ...done, isDone: false, text: "Too much." };
    expect(decide(["refund order 1001"], [looked({}), done])).toEqual({
      say: "€49.00 for order 1001 is on its way back to you.",
    });
    expect(decide(["refund order 1001"], [looked({}), denied]).say).toContain("not made: Too much.");
    const unknown: Step = { ...looked({}), isDone: false, text: "There is no order 9999." };
    expect(decide(["refund order 9999"], [unknown])).toEqual({ say: "There is no order 9999." });
  });
});
