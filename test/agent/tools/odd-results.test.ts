// Results that resemble something else are stored as data.
import { expect, test } from "vitest";
import { suspend } from "agentchart";
import { outputOf, resultsOf, scripted, toolOf } from "../../support/agents.ts";

const asks = { calls: [{ name: "look" }] };

test.each([
  [{ user: "Ada", suspended: true }],
  [{ suspended: true, reason: "spam", since: 5 }],
  [{ output: [], rows: 0 }],
])("data that resembles a suspension or an outcome is stored as JSON: %j", async (data) => {
  const { agent } = scripted([asks, "end"], { tools: [toolOf("look", () => data)] });
  expect((await agent.call("go")).reason).toBe("MODEL_STOP");
  expect(outputOf(resultsOf(await agent.messages())[0])).toBe(JSON.stringify(data));
});

test.each([[suspend()], [suspend("wait", { answerSchema: { type: "string" } })]])(
  "a tool that returns suspend() suspends: %j",
  async (suspension) => {
    const { agent } = scripted([asks], { tools: [toolOf("look", () => suspension)] });
    expect((await agent.call("go")).reason).toBe("TOOL_SUSPENDED");
  },
);

interface Order {
  readonly id: string;
  readonly at: Date;
}
class Cents {
  readonly #value: number;
  constructor(value: number) {
    this.#value = value;
  }
  toJSON(): string {
    return `${this.#value} cents`;
  }
}
const order: Order = { id: "17", at: new Date(0) };

test.each<[string, object, string]>([
  ["an interface with a Date", order, '{"id":"17","at":"1970-01-01T00:00:00.000Z"}'],
  ["a Date", order.at, '"1970-01-01T00:00:00.000Z"'],
  ["a class with toJSON", { price: new Cents(5) }, '{"price":"5 cents"}'],
  [
    "errors in its parts",
    [{ status: "rejected", reason: new RangeError("too far") }],
    '[{"status":"rejected","reason":{"name":"RangeError","message":"too far"}}]',
  ],
])("a tool that returns %s has its JSON as the result", async (_, returned, stored) => {
  const { agent } = scripted([asks, "end"], { tools: [toolOf("look", () => returned)] });
  await agent.call("go");
  expect(outputOf(resultsOf(await agent.messages())[0])).toBe(stored);
});

const circle: { self?: unknown } = {};
circle.self = circle;

test.each([
  ["a bigint", 1n],
  ["an object that contains itself", circle],
])("a tool that throws %s has failed, and the turn goes on", async (_, thrown) => {
  const look = toolOf("look", () => {
    throw thrown;
  });
  const { agent } = scripted([asks, "end"], { tools: [look] });
  expect((await agent.call("go")).text).toBe("end");
  expect(resultsOf(await agent.messages())[0]).toMatchObject({ state: "error", code: "tool/failed" });
});

test.each<[string, unknown, string]>([
  ["a bigint", 1n, "BigInt"],
  ["a function", () => 1, "a function has no JSON"],
  ["an object that contains itself", circle, "circular"],
  ["a Map", new Map([["a", 1]]), "a Map has no JSON"],
  ["a Set in a part", { ids: new Set([1]) }, "a Set has no JSON"],
  ["a promise in a part", [Promise.resolve(1)], "a Promise has no JSON"],
])("a tool that returns %s has an error result that says why", async (_, returned, problem) => {
  const { agent } = scripted([asks, "end"], { tools: [toolOf("look", () => returned as never)] });
  expect((await agent.call("go")).text).toBe("end");
  const [result] = resultsOf(await agent.messages());
  expect(result).toMatchObject({ state: "error", code: "tool/failed" });
  expect(outputOf(result)).toContain(problem);
  expect(outputOf(result)).toContain("It may have taken effect");
});

test("a tool that returns an error has failed with what it says", async () => {
  const { agent } = scripted([asks, "end"], {
    tools: [toolOf("look", () => new Error("no such order") as never)],
  });
  await agent.call("go");
  const [result] = resultsOf(await agent.messages());
  expect(result).toMatchObject({ state: "error", code: "tool/failed" });
  expect(outputOf(result)).toContain("it returned an error: no such order");
});
