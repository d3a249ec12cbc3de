// The search among tools.
import { describe, expect, test } from "vitest";
import { rank, wordsOf } from "../../src/core/tool/rank.ts";
import { findTools } from "../../src/core/tool/tool-search.ts";

const spec = (name: string, description: string, parameters: readonly string[] = []) => ({
  name,
  description,
  inputSchema: {
    type: "object",
    properties: Object.fromEntries(parameters.map((each) => [each, { type: "string" }])),
  },
});
const specs = [
  spec("list_orders", "Lists what a customer has bought.", ["customer"]),
  spec("refundPayment", "Pays money back.", ["payment", "cents"]),
  spec("send_mail", "Sends a letter to a customer about a refund.", ["to", "subject"]),
  spec("weather", "Says how the weather is.", ["city"]),
];
const found = (query: string, limit?: number) => findTools(query, specs, limit).map(({ name }) => name);

test.each([
  ["listOrders2", ["list", "orders2"]],
  ["search_companies", ["search", "company"]],
  ["the boss's glasses", ["the", "boss", "s", "glasse"]],
  ["订单 status", ["订", "单", "statu"]],
  ["", []],
])("the words of %j are %j", (text, words) => {
  expect(wordsOf(text)).toEqual(words);
});

describe("a search finds", () => {
  test("a tool by its name before one by its description", () => {
    expect(found("refund")).toEqual(["refundPayment", "send_mail"]);
  });

  test("a tool by its description, and by the name of a parameter", () => {
    expect(found("what was bought")).toEqual(["list_orders"]);
    expect(found("city")).toEqual(["weather"]);
    expect(found("SUBJECT of cents")).toEqual(["refundPayment", "send_mail"]);
  });

  test("a parameter of a nested object", () => {
    const nested = {
      ...specs[3]!,
      inputSchema: { type: "object", properties: { at: specs[1]!.inputSchema } },
    };
    expect(findTools("cents", [nested])).toEqual([nested]);
  });

  test("exactly the tool that is named, and nothing for words that no tool has", () => {
    expect(found(" send_mail ")).toEqual(["send_mail"]);
    expect(found("unicorn")).toEqual([]);
    expect(found("")).toEqual([]);
    expect(findTools("anything", [])).toEqual([]);
  });

  test("at most as many as asked for, best first", () => {
    expect(found("customer")).toEqual(["list_orders", "send_mail"]);
    expect(found("customer", 1)).toEqual(["list_orders"]);
  });
});

test("items that match equally well stay in their order", () => {
  const items = Array.from({ length: 50 }, (_, item) => ({ item, words: ["same"] }));
  expect(rank("same", items)).toEqual(items.map(({ item }) => item));
});
