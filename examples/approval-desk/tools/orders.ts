import type { Language } from "../clerk/language.ts";

/** A text in each language of the desk. */
type Text = { readonly [L in Language]: string };

/** What the carrier says of a parcel. */
export type Parcel = { readonly shippedOn: string; readonly deliveredOn: string | null; readonly note: Text };

/** An order of the shop. Amounts are in cents, so that sums are exact. */
export type Order = {
  readonly id: string;
  readonly customer: string;
  readonly item: Text;
  readonly totalCents: number;
  readonly status: "delivered" | "on its way" | "cancelled";
};

type Case = Order & {
  readonly parcel: Parcel;
  /** How often the customer has asked for money back in the last year. */
  readonly claims: number;
};

const QUIET: Text = { en: "No remarks.", zh: "无异常。" };
const DENTED: Text = { en: "The carton was dented on one side.", zh: "外箱一侧有凹陷。" };

/** The shop's orders, all fictitious. */
const CASES: readonly Case[] = [
  {
    id: "1001",
    customer: "Mira Sand",
    item: { en: "Desk lamp", zh: "台灯" },
    totalCents: 4_900,
    status: "delivered",
    parcel: { shippedOn: "2026-11-09", deliveredOn: "2026-11-12", note: DENTED },
    claims: 0,
  },
  {
    id: "1002",
    customer: "Jon Abel",
    item: { en: "Office chair", zh: "办公椅" },
    totalCents: 28_950,
    status: "delivered",
    parcel: { shippedOn: "2026-11-02", deliveredOn: "2026-11-05", note: QUIET },
    claims: 3,
  },
  {
    id: "1003",
    customer: "Ada Lund",
    item: { en: "Monitor arm", zh: "显示器支架" },
    totalCents: 11_900,
    status: "on its way",
    parcel: { shippedOn: "2026-11-20", deliveredOn: null, note: QUIET },
    claims: 1,
  },
  {
    id: "1004",
    customer: "Tom Reyes",
    item: { en: "Keyboard", zh: "键盘" },
    totalCents: 8_925,
    status: "delivered",
    parcel: { shippedOn: "2026-11-13", deliveredOn: "2026-11-16", note: QUIET },
    claims: 0,
  },
  {
    id: "1005",
    customer: "Eva Holm",
    item: { en: "Notebook, 3 pieces", zh: "笔记本（3 本）" },
    totalCents: 1_470,
    status: "cancelled",
    parcel: { shippedOn: "2026-11-18", deliveredOn: null, note: QUIET },
    claims: 0,
  },
];

/** The ids of all orders. */
export const ORDER_IDS: readonly string[] = CASES.map(({ id }) => id);

export function findOrder(id: string): Order | undefined {
  const found = CASES.find((order) => order.id === id);
  if (!found) return undefined;
  const { parcel: _, claims: __, ...order } = found;
  return order;
}

export function findParcel(id: string): Parcel | undefined {
  return CASES.find((order) => order.id === id)?.parcel;
}

/** How often the customer of an order has asked for money back in the last year. */
export function claimsOf(id: string): number | undefined {
  return CASES.find((order) => order.id === id)?.claims;
}

/** "€49.00" */
export function eurosText(cents: number): string {
  return `€${(cents / 100).toFixed(2)}`;
}
