import { DatabaseSync } from "node:sqlite";
import fc from "../../../test/support/fast-check.ts";
import { expect, test, vi } from "vitest";
import { CUES } from "../planner/lexicon.ts";
import { planAnswer } from "../planner/planner.ts";
import type { WireMessage } from "../planner/wire.ts";
import { csvFixture, sqlFixture } from "./fixture.ts";
import { converse } from "./converse.ts";

vi.mock("../sql/ask-child.ts", () => import("./sql-in-process.ts"));

const TOOLS = [
  "describe_database",
  "query_database",
  "calculate_statistics",
  "generate_chart",
  "create_report",
].map((name) => ({
  function: { name },
}));

/** Runs a turn with a database in this process and tools that only say that they were called. Returns the answer, and
 *  what SQLite said to the queries. */
function answerWith(
  question: string,
  described: string,
  database: DatabaseSync,
): { readonly answer: string; readonly errors: string[] } {
  const messages: WireMessage[] = [{ role: "user", content: question }];
  const errors: string[] = [];
  const run = (tool: string, sql: unknown): string => {
    if (tool === "describe_database") return described;
    if (tool === "generate_chart") return JSON.stringify({ chartId: `c${messages.length}` });
    if (tool === "create_report") return JSON.stringify({ path: "report.html" });
    const statistics = { count: 2, mean: 1, median: 1, min: 1, max: 1 };
    if (tool === "calculate_statistics") return JSON.stringify({ resultId: "s", statistics });
    try {
      const statement = database.prepare(String(sql));
      statement.setReturnArrays(true);
      const rows = statement.all() as unknown as unknown[][];
      const columns = statement.columns().map(({ name }) => name);
      return JSON.stringify({
        resultId: `r${messages.length}`,
        columns,
        rowCount: rows.length,
        rows: rows.slice(0, 60),
      });
    } catch (error) {
      errors.push(`${(error as Error).message} in ${String(sql)}`);
      return `Error: ${(error as Error).message}`;
    }
  };
  for (let round = 0; round < 10; round++) {
    const { content, tool_calls: calls } = planAnswer({ messages, tools: TOOLS });
    if (!calls) return { answer: content, errors };
    messages.push({ role: "assistant", content, tool_calls: calls });
    for (const { id, function: call } of calls) {
      const { sql } = JSON.parse(call.arguments) as { sql?: unknown };
      messages.push({ role: "tool", tool_call_id: id, content: run(call.name, sql) });
    }
  }
  return { answer: "", errors: [`no answer to ${question}`] };
}

const NAMES = [
  "amount",
  "city",
  "customer",
  "order date",
  "quantity",
  "unit price",
  "status",
  "orders",
  "sales",
  "金额",
  "城市",
  '"product"',
];
const VALUES = ["Berlin", "cancelled", "上海", "C-001", "'O''Brien'", '“x" y”', "1,000", "-3", "5", "Zürich"];
const TIMES = [
  "2024",
  "Q1",
  "March 2024",
  "since May 2024",
  "2024年3月",
  "between 2024-01-01 and 2024-02-01",
];

const question = fc
  .array(
    fc.oneof(
      fc.constantFrom(...CUES.map(([phrase]) => phrase)),
      fc.constantFrom(...NAMES),
      fc.constantFrom(...VALUES),
      fc.constantFrom(...TIMES),
      fc.string({ maxLength: 6 }),
    ),
    {
      minLength: 1,
      maxLength: 9,
    },
  )
  .map((pieces) => pieces.join(" "));

test("whatever is asked, an answer comes and every query is valid SQL", async () => {
  const joined = sqlFixture((database) =>
    database.exec(`CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
      CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id REFERENCES customers (id), order_date INTEGER, amount REAL, quantity INTEGER, status TEXT);
      INSERT INTO customers VALUES (1, 'Ann', 'Berlin'), (2, 'Bo', 'Paris');
      INSERT INTO orders VALUES (1, 1, 1704067200, 10.5, 1, 'new'), (2, 2, 1709251200, 20, 2, 'cancelled'), (3, 2, 1709337600, NULL, 3, 'new')`),
  );
  for (const fixture of [csvFixture(), joined]) {
    const [described] = (await converse("hello", fixture.tools)).exchanges;
    const database = new DatabaseSync(fixture.path, { readOnly: true });
    fc.assert(
      fc.property(question, (text) => {
        const { answer, errors } = answerWith(text, described!.text, database);
        expect(errors).toEqual([]);
        expect(answer).not.toBe("");
      }),
      { numRuns: 400, seed: 3 },
    );
    database.close();
  }
});
