/**
 * Makes orders.csv: a year's first half of a shop that does not exist, the same on every machine. Run it with
 * `node examples/data-analyst/make-orders.ts`; a test compares the file with what it makes.
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const CITIES = [
  ["Shanghai", "APAC", 20],
  ["Singapore", "APAC", 12],
  ["Tokyo", "APAC", 10],
  ["Berlin", "EMEA", 16],
  ["London", "EMEA", 14],
  ["Paris", "EMEA", 10],
  ["New York", "AMER", 16],
  ["Toronto", "AMER", 8],
  ["São Paulo", "AMER", 6],
] as const;
const PRODUCTS = [
  ["Laptop 14", "Electronics", 1149.0, 7],
  ["Monitor 27", "Electronics", 329.5, 10],
  ["Headphones", "Electronics", 89.9, 16],
  ["Keyboard", "Electronics", 64.95, 14],
  ["Desk Lamp", "Home", 39.9, 12],
  ["Espresso Maker", "Home", 219.0, 8],
  ["Office Chair", "Furniture", 279.0, 7],
  ["Standing Desk", "Furniture", 549.0, 4],
  ["Notebook Set", "Stationery", 12.5, 18],
  ["Fountain Pen", "Stationery", 34.75, 9],
  ["City Backpack", "Outdoor", 79.0, 11],
  ["Water Bottle", "Outdoor", 18.9, 13],
] as const;
const STATUSES = [
  ["completed", 86],
  ["shipped", 7],
  ["cancelled", 4],
  ["refunded", 3],
] as const;
const CUSTOMERS = 240;
const ORDERS_PER_MONTH = [138, 121, 159, 148, 171, 163];
const MONTH_LENGTHS = [31, 29, 31, 30, 31, 30];

/** Marsaglia's xorshift32: small, and the same numbers everywhere. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** The text of orders.csv. */
export function makeOrders(seed = 20240101): string {
  const random = createRandom(seed);
  const pick = <T extends readonly [...unknown[], number]>(choices: readonly T[]): T => {
    let at = random() * choices.reduce((sum, choice) => sum + (choice.at(-1) as number), 0);
    return choices.find((choice) => (at -= choice.at(-1) as number) < 0) ?? choices[0]!;
  };
  const homes = Array.from({ length: CUSTOMERS }, () => pick(CITIES));
  const lines = [
    "order_id,order_date,customer,city,region,category,product,quantity,unit_price,amount,status",
  ];
  ORDERS_PER_MONTH.forEach((orders, month) => {
    const days = Array.from({ length: orders }, () => 1 + Math.floor(random() * MONTH_LENGTHS[month]!));
    for (const day of days.toSorted((a, b) => a - b)) {
      // The square makes some customers order often and most of them seldom.
      const customer = Math.floor(random() ** 2 * CUSTOMERS);
      const [city, region] = homes[customer]!;
      const [product, category, price] = pick(PRODUCTS);
      const quantity = 1 + Math.floor(random() ** 2 * 6);
      const cents = Math.round(price * (1 + 0.02 * month) * (0.9 + 0.1 * random()) * 100);
      lines.push(
        [
          `SO-${10001 + lines.length - 1}`,
          `2024-${String(month + 1).padStart(2, "0")}-${String(day).padStart(2, "0")}`,
          `C-${String(customer + 1).padStart(3, "0")}`,
          city,
          region,
          category,
          product,
          quantity,
          (cents / 100).toFixed(2),
          ((cents * quantity) / 100).toFixed(2),
          pick(STATUSES)[0],
        ].join(","),
      );
    }
  });
  return `${lines.join("\n")}\n`;
}

if (import.meta.main) writeFileSync(fileURLToPath(new URL("orders.csv", import.meta.url)), makeOrders());
