/** An order of the shop. Amounts are in cents, so that sums are exact. */
export type Order = {
  readonly id: string;
  readonly customer: string;
  readonly item: string;
  readonly totalCents: number;
  readonly status: "delivered" | "on its way" | "cancelled";
};

/** The shop's orders, all fictitious. */
const ORDERS: readonly Order[] = [
  { id: "1001", customer: "Mira Sand", item: "Desk lamp", totalCents: 4_900, status: "delivered" },
  { id: "1002", customer: "Jon Abel", item: "Office chair", totalCents: 28_950, status: "delivered" },
  { id: "1003", customer: "Ada Lund", item: "Monitor arm", totalCents: 11_900, status: "on its way" },
  { id: "1004", customer: "Tom Reyes", item: "Keyboard", totalCents: 8_925, status: "delivered" },
  { id: "1005", customer: "Eva Holm", item: "Notebook, 3 pieces", totalCents: 1_470, status: "cancelled" },
];

export function findOrder(id: string): Order | undefined {
  return ORDERS.find((order) => order.id === id);
}

/** "€49.00" */
export function eurosText(cents: number): string {
  return `€${(cents / 100).toFixed(2)}`;
}
