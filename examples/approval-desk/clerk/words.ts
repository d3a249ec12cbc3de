import { eurosText, type Order } from "../tools/orders.ts";
import type { Language } from "./language.ts";

const STATUS = {
  delivered: "已送达",
  "on its way": "运送中",
  cancelled: "已取消",
} as const satisfies { readonly [S in Order["status"]]: string };

/** An order with what of its price was paid back. */
export type KnownOrder = Order & { readonly refundedCents: number };

/** What the clerk says in a language. */
export type Words = {
  /** What stands between two sentences. */
  readonly gap: string;
  readonly whichOrder: string;
  readonly whichOrderTitle: string;
  readonly unanswered: string;
  readonly readsCase: (orderId: string) => string;
  readonly plansCase: (orderId: string) => string;
  readonly looksUp: (orderId: string) => string;
  readonly plan: (orderId: string) => {
    readonly name: string;
    readonly description: string;
    readonly outcome: string;
    readonly steps: readonly [string, string, string];
  };
  readonly status: (order: KnownOrder) => string;
  readonly investigates: string;
  readonly weighs: (left: string) => string;
  readonly asks: (amount: string) => string;
  readonly refuses: (amount: string) => string;
  readonly refunded: (amount: string) => string;
  readonly notRefunded: string;
  readonly paid: (amount: string, orderId: string) => string;
  readonly unpaid: (why: string) => string;
  readonly compares: string;
  readonly report: (facts: {
    readonly deliveredOn: string | null;
    readonly note: string;
    readonly claims: number;
  }) => string;
};

const dayText = (locale: string, day: string): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone: "UTC" }).format(new Date(day));

const en: Words = {
  gap: " ",
  whichOrder: "Which order is it?",
  whichOrderTitle: "Order",
  unanswered: "Without the number of the order I cannot help. Please write again when you have found it.",
  readsCase: (orderId) => `The customer asks about order ${orderId}. First I look at the facts.`,
  plansCase: (orderId) =>
    `A damage claim for order ${orderId}. I should see the order, have the delivery checked, and only then ask for money.`,
  looksUp: (orderId) => `I look up order ${orderId}.`,
  plan: (orderId) => ({
    name: `Damage claim for order ${orderId}`,
    description: "Find out whether the claim is right, and pay back what is due.",
    outcome: "The customer knows what was decided.",
    steps: ["Look up the order", "Have the delivery checked", "Get a refund approved"],
  }),
  status: ({ id, item, status, totalCents, refundedCents }) => {
    const refunded = refundedCents > 0 ? `, of which ${eurosText(refundedCents)} was refunded` : "";
    return `Order ${id} (${item.en}) is ${status} and cost ${eurosText(totalCents)}${refunded}.`;
  },
  investigates: "I have the delivery checked.",
  weighs: (left) => `What is left of the order is ${left}. A colleague has to approve it.`,
  asks: (amount) => `I ask a colleague to approve a refund of ${amount}.`,
  refuses: (amount) => `So I cannot refund ${amount}.`,
  refunded: (amount) => `${amount} was refunded.`,
  notRefunded: "The refund was not approved.",
  paid: (amount, orderId) => `${amount} for order ${orderId} is on its way back to you.`,
  unpaid: (why) => `The refund was not made: ${why}`,
  compares: "I compare the tracking of the parcel with earlier claims.",
  report: ({ deliveredOn, note, claims }) =>
    [
      deliveredOn === null
        ? "The parcel has not been delivered yet."
        : `The parcel was delivered on ${dayText("en-GB", deliveredOn)}.`,
      `The carrier says: ${note}`,
      claims === 0
        ? "The customer has made no claim in the last year, so the claim is plausible."
        : `The customer has made ${claims} claim${claims === 1 ? "" : "s"} in the last year: look closely.`,
    ].join(" "),
};

const zh: Words = {
  gap: "",
  whichOrder: "是哪一个订单？",
  whichOrderTitle: "订单",
  unanswered: "没有订单号，我无法处理。找到后请再写信给我们。",
  readsCase: (orderId) => `客户询问订单 ${orderId}。先看事实。`,
  plansCase: (orderId) => `订单 ${orderId} 的破损投诉。应先查看订单，再核实配送，最后才申请退款。`,
  looksUp: (orderId) => `我来查询订单 ${orderId}。`,
  plan: (orderId) => ({
    name: `订单 ${orderId} 的破损投诉`,
    description: "核实投诉是否属实，并退还应退的金额。",
    outcome: "客户知道处理结果。",
    steps: ["查询订单", "核实配送情况", "申请退款审批"],
  }),
  status: ({ id, item, status, totalCents, refundedCents }) => {
    const refunded = refundedCents > 0 ? `，其中已退款 ${eurosText(refundedCents)}` : "";
    return `订单 ${id}（${item.zh}）${STATUS[status]}，金额 ${eurosText(totalCents)}${refunded}。`;
  },
  investigates: "我请调查员核实配送情况。",
  weighs: (left) => `该订单还可退 ${left}，需要同事批准。`,
  asks: (amount) => `我请同事批准退款 ${amount}。`,
  refuses: (amount) => `因此无法退款 ${amount}。`,
  refunded: (amount) => `已退款 ${amount}。`,
  notRefunded: "退款未获批准。",
  paid: (amount, orderId) => `订单 ${orderId} 的退款 ${amount} 已发出，将原路退回给您。`,
  unpaid: (why) => `退款未完成：${why}`,
  compares: "我把物流记录与以往的投诉对照。",
  report: ({ deliveredOn, note, claims }) =>
    [
      deliveredOn === null ? "包裹尚未送达。" : `包裹已于 ${dayText("zh-CN", deliveredOn)}送达。`,
      `承运商备注：${note}`,
      claims === 0
        ? "该客户过去一年没有投诉记录，此次投诉可信。"
        : `该客户过去一年有 ${claims} 次投诉，请仔细核实。`,
    ].join(""),
};

export const WORDS: { readonly [L in Language]: Words } = { en, zh };
