import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { DatabaseSync } from "node:sqlite";
import { defineTool, type Tool } from "agentchart";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { planAnswer } from "../planner/planner.ts";
import { converse } from "./converse.ts";
import { csvFixture, sqlFixture } from "./fixture.ts";

vi.mock("../sql/ask-child.ts", () => import("./sql-in-process.ts"));

const PLANNER = fileURLToPath(new URL("../planner/", import.meta.url));

describe("the planner's modules", () => {
  test("import nothing but each other", () => {
    const imports = readdirSync(PLANNER).flatMap((file) => {
      const source = readFileSync(`${PLANNER}${file}`, "utf8");
      const importing = /(?:^import\b[^;]*?|^} from |\b(?:import|require)\()["']([^"']+)["']/gm;
      return [...source.matchAll(importing)].map(([, from]) => from!);
    });
    expect(imports.length).toBeGreaterThan(30);
    expect(imports.filter((from) => !/^\.\/[a-z-]+\.ts$/.test(from))).toEqual([]);
  });

  test("use no clock, no chance and no process", () => {
    for (const file of readdirSync(PLANNER)) {
      expect(readFileSync(`${PLANNER}${file}`, "utf8")).not.toMatch(
        /\b(Date\.now|new Date\(\)|Math\.random|process\.|globalThis|fetch\()/,
      );
    }
  });
});

describe("asked something else", () => {
  test.each([
    ["What's the weather like tomorrow?", "These are the tables I see:", "You could ask:"],
    ["hello", "These are the tables I see:", "You could ask:"],
    ["What is the average airspeed velocity of an unladen swallow?", "airspeed velocity", "You could ask:"],
    ["median amount", "These are the tables I see:", "You could ask:"],
    ["sales compared to last month", "I cannot follow", "You could ask:"],
    ["total amount in Atlantis", 'no column that holds "Atlantis"', "You could ask:"],
    ["total amount by colour", 'no column that fits "colour"', "You could ask:"],
    ["total amount where city is Berlin or status is completed", 'I cannot follow "or"', "You could ask:"],
    ["今天天气怎么样？", "我看到的表有：", "您可以这样问："],
    ["你好", "我看到的表有：", "您可以这样问："],
    ["在亚特兰蒂斯的销售额", "亚特兰蒂斯", "您可以这样问："],
  ])("%s", async (question, says, offers) => {
    const { answer, exchanges } = await converse(question, csvFixture().tools);
    expect(answer).toContain(says);
    expect(answer).toContain(offers);
    expect(answer).toContain("orders");
    expect(exchanges.map(({ tool }) => tool).filter((tool) => tool !== "query_database")).toEqual([
      "describe_database",
    ]);
  });

  const odd = (database: DatabaseSync) =>
    database.exec(`CREATE TABLE "Odd ""Names" ("select" TEXT, "total by" REAL, "it""s" TEXT, "金额" INTEGER);
      INSERT INTO "Odd ""Names" VALUES ('a', 1.5, 'x', 1), ('a', 2, 'y', 2), ('b', 3, 'y', 3)`);
  const texts = (database: DatabaseSync) =>
    database.exec(
      "CREATE TABLE notes (topic TEXT, body TEXT); INSERT INTO notes VALUES ('a', 'x'), ('a', 'y'), ('b', 'z')",
    );
  const bare = (database: DatabaseSync) => database.exec("CREATE TABLE empty_one (a)");

  test.each([
    ["the orders", undefined],
    ["odd names", odd],
    ["texts only", texts],
    ["an empty table", bare],
  ])("on %s it offers three questions that it can answer, in both languages", async (_, fill) => {
    const { tools } = fill ? sqlFixture(fill) : csvFixture();
    for (const question of ["hello", "你好"]) {
      const { answer } = await converse(question, tools);
      const offered = answer.slice(answer.search(/You could ask|您可以这样问/)).match(/(?<=^- ).*$/gm) ?? [];
      expect(offered).toHaveLength(3);
      for (const one of offered) {
        const talk = await converse(one, tools);
        expect(talk.answer).not.toMatch(/You could ask|您可以这样问/);
      }
    }
  });

  test("on a database without tables it says so", async () => {
    const { tools } = sqlFixture((database) => database.exec("PRAGMA user_version = 1"));
    expect((await converse("total amount", tools)).answer).toBe("The database has no tables.");
  });
});

describe("what could change the answer it says", () => {
  test.each(["total glorious amount by city", "total amount by city of the customers who are glorious"])(
    "words that it does not know: %s",
    async (question) => {
      const { answer } = await converse(question, csvFixture().tools);
      expect(answer).toMatch(/^I do not know what "glorious[a-z ]*" means here/);
    },
  );

  test("columns that it cannot use", async () => {
    const { answer } = await converse("total amount of unit price", csvFixture().tools);
    expect(answer).toMatch(/^I do not know what "unit price" means here/);
  });

  test("the answer says that rows of every status are counted, unless the question names a status", async () => {
    const { tools } = csvFixture();
    expect((await converse("total amount", tools)).answer).toContain("Rows of every status are counted");
    expect((await converse("total amount where status = completed", tools)).answer).not.toContain(
      "Rows of every status",
    );
  });

  test("a value that no sample shows is looked for first", async () => {
    const rows = Array.from(
      { length: 60 },
      (_, index) => `Ville${String.fromCharCode(97 + (index % 26), 97 + Math.floor(index / 26))},${index}`,
    ).join("\n");
    const { tools } = csvFixture(`town,paid\n${rows}\n`);
    const { answer, exchanges } = await converse("total paid in villevb", tools);
    expect(exchanges.map(({ tool }) => tool).slice(0, 2)).toEqual(["describe_database", "query_database"]);
    expect(answer).toContain("Total paid: 47");
  });
});

describe("when a tool fails", () => {
  function failing(tools: readonly Tool[], name: string, message: string): Tool[] {
    return tools.map((tool) =>
      tool.name === name
        ? defineTool({
            name,
            description: tool.description,
            input: z.looseObject({}),
            execute: () => {
              throw new Error(message);
            },
          })
        : tool,
    );
  }

  test.each([
    ["describe_database", "I could not read the database: disk is gone", ""],
    ["query_database", "I could not run the query: disk is gone", ""],
    ["calculate_statistics", "I could not compute the statistics: disk is gone", "Total amount: 363527.68"],
    ["generate_chart", "I could not draw the chart: disk is gone", "Total amount: 363527.68"],
    ["create_report", "I could not write the report: disk is gone", "Total amount: 363527.68"],
  ])("%s, it says which and goes on with the rest", async (name, says, rest) => {
    const { tools } = csvFixture();
    const { answer, exchanges } = await converse(
      "total amount by city",
      failing(tools, name, "disk is gone"),
    );
    expect(answer).toContain(says);
    expect(answer).toContain(rest);
    expect(exchanges.filter(({ tool }) => tool === name).length).toBe(name === "query_database" ? 2 : 1);
  });

  test("for a reason that may pass, it tries once more and no more", async () => {
    const { tools } = csvFixture();
    const { answer, exchanges } = await converse(
      "total amount",
      failing(tools, "query_database", "database is locked"),
    );
    expect(exchanges.filter(({ tool }) => tool === "query_database")).toHaveLength(2);
    expect(answer).toContain("I could not run the query: database is locked");
  });

  test("or is missing, the answer says so", async () => {
    const { tools } = csvFixture();
    const { answer } = await converse(
      "total amount by city",
      tools.filter(({ name }) => name !== "generate_chart"),
    );
    expect(answer).toContain("I would need the tool generate_chart");
    expect(answer).toContain("Report: ");
  });
});

test("the same request gets the same answer", async () => {
  const { messages } = await converse("total amount by city", csvFixture().tools);
  const request = { messages: messages.slice(0, 4), tools: [{ function: { name: "query_database" } }] };
  expect(planAnswer(request)).toEqual(planAnswer(structuredClone(request)));
});

test("asked to sum up without tools, it tells what it has found so far", async () => {
  const { messages } = await converse("total amount by city", csvFixture().tools);
  const cut = messages.slice(
    0,
    messages.findLastIndex(({ role }) => role === "tool"),
  );
  const open = cut.findLastIndex(({ role }) => role === "assistant");
  const answer = planAnswer({
    messages: [...cut.slice(0, open), { role: "user", content: "Sum up what you have." }],
  });
  expect(answer.tool_calls).toBeUndefined();
  expect(answer.content).toContain("I had to stop before I was done");
  expect(answer.content).toContain("Total amount: 363527.68");
});

test("a second question in the same conversation is answered on its own", async () => {
  const { tools } = csvFixture();
  const { messages } = await converse("total amount", tools);
  const { tool_calls: calls } = planAnswer({
    messages: [...messages, { role: "user", content: [{ type: "text", text: "average amount" }] }],
    tools: tools.map(({ name }) => ({ function: { name } })),
  });
  expect(calls?.map((call) => call.function.name)).toEqual(["describe_database"]);
  const ids = messages.flatMap(({ tool_calls: made = [] }) => made.map(({ id }) => id));
  expect(ids).not.toContain(calls![0]!.id);
});

describe("foreign columns", () => {
  const rows = (line: (index: number) => string): string =>
    Array.from({ length: 12 }, (_, index) => line(index + 1)).join("\n");

  test.each(["#", "Nr", "序号", "place"])(
    "a column '%s' that numbers the rows is no measure",
    async (name) => {
      const { tools } = csvFixture(
        `${name},town\n${rows((index) => `${index},${index % 2 ? "Bonn" : "Kiel"}`)}`,
      );
      const { answer } = await converse("hello", tools);
      const proposed = answer.slice(answer.indexOf("You could ask:")).split("\n- ").slice(1);
      expect(proposed).toContain("number of data by town");
      expect(proposed.filter((question) => /total|average|top|maximum/.test(question))).toEqual([]);
      expect((await converse("total", tools)).answer).toMatch(/^I could not tell which number is meant/);
    },
  );

  test.each([
    ["as text", (index: number) => `'${String(index + 10)}.0${(index % 3) + 1}.2024'`],
    ["with a time", (index: number) => `'${String(index + 10)}.0${(index % 3) + 1}.2024 10:00'`],
  ])("dates written day.month.year %s are read", async (_, written) => {
    const { tools } = sqlFixture((database) =>
      database.exec(
        `CREATE TABLE sales (sold_on TEXT, amount INTEGER);
         INSERT INTO sales VALUES ${rows((index) => `(${written(index)}, ${index})`).replaceAll("\n", ",")}`,
      ),
    );
    const figure = async (question: string): Promise<string | undefined> =>
      /^Total amount: (\d+)$/m.exec((await converse(question, tools)).answer)?.[1];
    expect(await figure("total amount in February 2024")).toBe(String(1 + 4 + 7 + 10));
    expect(await figure("total amount since 20.01.2024")).toBe(String((12 * 13) / 2 - (3 + 6 + 9)));
    expect(await figure("total amount on 11.02.2024")).toBe("1");
  });

  test.each(["orders", "orders_2024", "2024 Web Orders"])(
    "orders are the rows of the table '%s'",
    async (name) => {
      const { tools } = sqlFixture((database) =>
        database.exec(
          `CREATE TABLE "${name}" (customer TEXT, amount INTEGER);
         INSERT INTO "${name}" VALUES ${rows((index) => `('c${index % 2}', ${index})`).replaceAll("\n", ",")}`,
        ),
      );
      expect((await converse("How many orders are there?", tools)).answer).toMatch(/: 12$/m);
      expect((await converse("How many orders have customer c1?", tools)).answer).toMatch(/: 6$/m);
    },
  );

  test.each([
    ["How many seats were sold to guests?", "12"],
    ["How many seats were sold to non-guests?", "6"],
    ["How many seats were sold to people who are not guests?", undefined],
    ["How many guests are there?", undefined],
    ["total seats of guests and non-guests", undefined],
    ["How many Bonn?", undefined],
    ["total seats by guest", "18"],
  ])("a column of yes and no says which rows are meant: %s", async (question, figure) => {
    const { tools } = csvFixture(`town,seats,guest\nBonn,5,yes\nKiel,6,no\nBonn,7,yes\n`);
    const { answer } = await converse(question, tools);
    expect(/^Total seats: (\d+)$/m.exec(answer)?.[1]).toBe(figure);
    expect(answer.includes("These are the tables I see:")).toBe(figure === undefined);
  });
});
