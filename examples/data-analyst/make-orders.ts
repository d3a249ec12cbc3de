/** Makes the orders of the demo: the first half of a year of a shop that does not exist, the same on every machine. */

const CITIES = [
  ["Shanghai", "APAC"],
  ["Singapore", "APAC"],
  ["Berlin", "EMEA"],
  ["London", "EMEA"],
  ["New York", "AMER"],
  ["São Paulo", "AMER"],
] as const;
const PRODUCTS = [
  ["Laptop 14", "Electronics", 1149],
  ["Headphones", "Electronics", 89.9],
  ["Desk Lamp", "Home", 39.9],
  ["Espresso Maker", "Home", 219],
  ["Office Chair", "Furniture", 279],
  ["Notebook Set", "Stationery", 12.5],
  ["City Backpack", "Outdoor", 79],
] as const;
const STATUSES = ["completed", "completed", "completed", "shipped", "cancelled"] as const;
const ORDERS_PER_MONTH = [128, 117, 145, 152, 168, 190];
const DAYS = 28;
const CUSTOMERS = 120;

/** Numbers between 0 and 1 that follow from a seed. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The orders as the text of a CSV file. */
export function makeOrders(): string {
  const random = createRandom(20240101);
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() ** 1.5 * choices.length)]!;
  const homes = Array.from({ length: CUSTOMERS }, () => pick(CITIES));
  const rows = ORDERS_PER_MONTH.flatMap((orders, month) =>
    Array.from({ length: orders }, (_, index) => {
      const day = String(1 + Math.floor((index * DAYS) / orders)).padStart(2, "0");
      const customer = Math.floor(random() ** 2 * CUSTOMERS);
      const [product, category, price] = pick(PRODUCTS);
      const quantity = 1 + Math.floor(random() ** 2 * 6);
      const cents = Math.round(price * (1 + 0.02 * month) * (0.9 + 0.1 * random()) * 100);
      const who = [`C-${String(customer + 1).padStart(3, "0")}`, ...homes[customer]!];
      const what = [category, product, quantity, (cents / 100).toFixed(2)];
      return [
        `2024-0${month + 1}-${day}`,
        ...who,
        ...what,
        ((cents * quantity) / 100).toFixed(2),
        pick(STATUSES),
      ].join(",");
    }),
  );
  const header =
    "order_id,order_date,customer,city,region,category,product,quantity,unit_price,amount,status";
  return `${[header, ...rows.map((row, index) => `SO-${10001 + index},${row}`)].join("\n")}\n`;
}
