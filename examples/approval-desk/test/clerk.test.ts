import { describe, expect, test } from "vitest";
import { decide } from "../clerk/decide.ts";
import { investigate } from "../clerk/investigate.ts";
import type { Move, Step } from "../clerk/move.ts";
import { readWish, readWishes } from "../clerk/wishes.ts";

const looked = (order: object): Step => ({
  tool: "look_up_order",
  input: { orderId: "1001" },
  isDone: true,
  text: JSON.stringify({
    id: "1001",
    item: { en: "Desk lamp", zh: "台灯" },
    status: "delivered",
    totalCents: 4_900,
    refundedCents: 0,
    ...order,
  }),
});
const step = (tool: string, text = "", input = {}): Step => ({ tool, input, isDone: true, text });
const move = (said: string, ...steps: readonly Step[]): Move => decide({ before: [], said: [said], steps });
const callsOf = ({ calls = [] }: Move): readonly string[] => calls.map(({ tool }) => tool);

test.for([
  [
    "Order 1001 arrived broken, I want my money back.",
    { orderId: "1001", wantsMoney: true, isDamaged: true },
  ],
  ["refund €12.50 for #1002 please", { orderId: "1002", wantsMoney: true, isDamaged: false, cents: 1_250 }],
  [
    "Please return 20 euros of order no. 1003",
    { orderId: "1003", wantsMoney: true, isDamaged: false, cents: 2_000 },
  ],
  ["Where is order number 1004?", { orderId: "1004", wantsMoney: false, isDamaged: false }],
  [
    "订单 1002 的椅子有划痕，请退给我 40 欧元。",
    { orderId: "1002", wantsMoney: true, isDamaged: true, cents: 4_000 },
  ],
  ["订单1003到哪里了？", { orderId: "1003", wantsMoney: false, isDamaged: false }],
  ["Hello", { wantsMoney: false, isDamaged: false }],
] as const)("%j is read as %j", ([text, wish]) => {
  expect(readWish(text)).toEqual(wish);
});

test("What was said last counts", () => {
  const wish = { orderId: "1001", wantsMoney: true, isDamaged: false, cents: 500 };
  expect(readWishes(["Refund €9 for order 1001", "No, only €5"])).toEqual(wish);
});

describe("The clerk", () => {
  test("asks which order it is, and remembers it", () => {
    const [question] = move("I want a refund").calls!;
    expect(question).toMatchObject({ tool: "ask_user", input: { question: "Which order is it?" } });
    expect(move("我要退款").calls![0]!.input["question"]).toBe("是哪一个订单？");
    const answer = step("ask_user", '{"order":"1004"}');
    expect(move("I want a refund", answer).calls).toEqual([
      { tool: "look_up_order", input: { orderId: "1004" } },
    ]);
    expect(move("I want a refund", { ...answer, isDone: false }).say).toContain("cannot help");
    const later = decide({ before: ["Order 1001"], said: ["I want a refund"], steps: [] });
    expect(later.calls).toEqual([{ tool: "look_up_order", input: { orderId: "1001" } }]);
  });

  test("asks for what is left of an order, and for no more", () => {
    const refund = (text: string, order: object) => move(text, looked(order)).calls?.[0]?.input;
    expect(refund("refund order 1001", {})).toMatchObject({ cents: 4_900 });
    expect(refund("refund order 1001", { refundedCents: 4_000 })).toMatchObject({ cents: 900 });
    expect(refund("refund €5 for order 1001", {})).toMatchObject({ cents: 500 });
    expect(refund("refund €50 for order 1001", {})).toBeUndefined();
    expect(refund("refund order 1001", { refundedCents: 4_900 })).toBeUndefined();
    expect(refund("Where is order 1001?", {})).toBeUndefined();
  });

  test("makes a plan for a damage, follows it, and ends it, in the customer's language", () => {
    const said = "订单 1001 收到时已经损坏，我要求退款。";
    const steps: Step[] = [];
    const next = (...results: readonly Step[]): Move => {
      steps.push(...results);
      return move(said, ...steps);
    };
    expect(callsOf(next())).toEqual(["create_plan", "update_subtask_state", "look_up_order"]);
    const check = next(step("create_plan"), step("update_subtask_state"), looked({}));
    expect(callsOf(check)).toEqual(["finish_subtask", "investigate"]);
    expect(check.say).toBe("订单 1001（台灯）已送达，金额 €49.00。我请调查员核实配送情况。");
    const first = step("finish_subtask", "", { subtask_idx: 0 });
    expect(callsOf(next(first, step("investigate", "此次投诉可信。")))).toEqual(["finish_subtask"]);
    expect(callsOf(next(step("finish_subtask", "", { subtask_idx: 1 })))).toEqual(["refund"]);
    expect(callsOf(next(step("refund", '{"orderId":"1001","cents":4900}')))).toEqual([
      "finish_subtask",
      "finish_plan",
    ]);
    const end = next(step("finish_subtask", "", { subtask_idx: 2 }), step("finish_plan"));
    expect(end).toEqual({ say: "订单 1001 的退款 €49.00 已发出，将原路退回给您。" });
  });

  test("gives a plan up that leads to nothing", () => {
    const steps = [step("create_plan"), looked({ refundedCents: 4_900 })];
    const said = "Order 1001 is broken, refund it";
    const [call] = move(said, ...steps).calls!;
    expect(call).toMatchObject({ tool: "finish_plan", input: { state: "abandoned" } });
    expect(move(said, ...steps, step("finish_plan"))).toEqual({ say: call!.input["outcome"] });
  });

  test("says what came of it, and calls nothing twice", () => {
    const done = step("refund", '{"orderId":"1001","cents":4900}');
    const denied: Step = { ...done, isDone: false, text: "Too much." };
    expect(move("refund order 1001", looked({}), done)).toEqual({
      say: "€49.00 for order 1001 is on its way back to you.",
    });
    expect(move("refund order 1001", looked({}), denied).say).toContain("not made: Too much.");
    const unknown: Step = { ...looked({}), isDone: false, text: "There is no order 9999." };
    expect(move("refund order 9999", unknown)).toEqual({ say: "There is no order 9999." });
  });
});

test("The investigator looks at the parcel and at earlier claims, then reports", () => {
  const said = ["Order 1002: It is scratched."];
  const looks = investigate({ before: [], said, steps: [] });
  expect(looks.calls).toEqual(
    ["track_parcel", "count_claims"].map((tool) => ({ tool, input: { orderId: "1002" } })),
  );
  const parcel = {
    shippedOn: "2026-11-02",
    deliveredOn: "2026-11-05",
    note: { en: "Dented.", zh: "凹陷。" },
  };
  const steps = [step("track_parcel", JSON.stringify(parcel)), step("count_claims", '{"claims":3}')];
  expect(investigate({ before: [], said, steps }).say).toBe(
    "The parcel was delivered on 5 November 2026. The carrier says: Dented. The customer has made 3 claims in the last year: look closely.",
  );
  expect(investigate({ before: [], said: ["Order 1002: 有划痕"], steps }).say).toContain("3 次投诉");
});
