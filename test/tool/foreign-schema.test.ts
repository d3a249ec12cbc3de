// Schemas of others that cost any time.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Json, JsonObject } from "agentchart";
import { boundedSchema } from "../../src/core/tool/bounded-schema.ts";
import { CheckThread } from "../../src/core/tool/check-thread.ts";
import { checkForeign } from "../../src/core/tool/foreign-schema.ts";
import { validateInput } from "../../src/core/tool/validate-input.ts";
import fc from "../support/fast-check.ts";
import { watchMainThread } from "../support/main-thread.ts";

const MAX_LAG_MS = 100;
const LIMIT_MS = 300;

const field = (a: JsonObject): JsonObject => ({ type: "object", properties: { a } });
const many = (count: number, of: (index: number) => Json): Json[] =>
  Array.from({ length: count }, (_, i) => of(i));
/** A chain of definitions in which each refers `times` times to the next. */
const chain = (keyword: string, length: number, times: number): JsonObject => ({
  ...field({ $ref: "#/$defs/d0" }),
  $defs: Object.fromEntries(
    many(length, (i) => i).map((i) => {
      const next = { $ref: `#/$defs/d${Number(i) + 1}` };
      return [
        `d${String(i)}`,
        Number(i) === length - 1 ? { type: "string" } : { [keyword]: many(times, () => next) },
      ];
    }),
  ),
});
const nested = (depth: number): Json => {
  let value: Json = null;
  for (let i = 0; i < depth; i++) value = { a: value };
  return value;
};

/** Small schemas and values that cost any time, by the way in which they do. */
const BOMBS: { readonly [way: string]: readonly [JsonObject, Json] } = {
  "an expression": [field({ pattern: "^(a+)+$" }), { a: `${"a".repeat(40)}!` }],
  "an expression with a choice": [field({ pattern: "^(a|aa)+$" }), { a: `${"a".repeat(60)}!` }],
  "an expression with a look-ahead": [field({ pattern: "^(?=(a+)+$)" }), { a: `${"a".repeat(40)}!` }],
  "a polynomial expression": [field({ pattern: "a*a*a*a*a*b" }), { a: "a".repeat(3_000) }],
  "an expression for names": [{ propertyNames: { pattern: "^([a-z]+)*X$" } }, { ["a".repeat(40)]: 1 }],
  "names by expressions": [{ patternProperties: { "^(a|aa)+$": {} } }, { [`${"a".repeat(60)}!`]: 1 }],
  "an expression for items": [
    field({ items: { pattern: "^(a+)+$" } }),
    { a: many(50, () => `${"a".repeat(24)}!`) },
  ],
  "references in allOf": [chain("allOf", 27, 2), { a: "x" }],
  "references in anyOf": [chain("anyOf", 27, 2), { a: 1 }],
  "references in oneOf": [chain("oneOf", 27, 2), { a: "x" }],
  "references that hold themselves": [
    {
      $ref: "#/$defs/x",
      $defs: { x: { properties: { a: { allOf: [{ $ref: "#/$defs/x" }, { $ref: "#/$defs/x" }] } } } },
    },
    nested(60),
  ],
  "a reference to itself": [{ $ref: "#" }, {}],
  "items that must differ": [field({ uniqueItems: true }), { a: many(60_000, (i) => ({ i, b: { c: i } })) }],
  "many choices of many items": [
    field({ items: { anyOf: many(3_000, (i) => ({ const: `v${String(i)}` })) } }),
    { a: many(50_000, () => "w") },
  ],
  "nulls of many choices": [
    { ...chain("anyOf", 20, 2), properties: { a: { $ref: "#/$defs/d0" }, n: { type: "string" } } },
    { a: { x: null }, n: null },
  ],
  "much memory": [
    field({ items: { allOf: many(100, () => ({ type: "number" })) } }),
    { a: many(300_000, () => "x") },
  ],
};

describe("a schema of others that costs any time is given up, and the main thread turns meanwhile", () => {
  beforeAll(async () => void (await checkForeign({}, 1)));
  test.each(Object.entries(BOMBS))("%s", async (_, [schema, value]) => {
    const watch = watchMainThread();
    onTestFinished(watch.stop);
    const started = performance.now();
    const checked = await checkForeign(schema, value, LIMIT_MS);
    expect(watch.worst).toBeLessThan(MAX_LAG_MS);
    expect(performance.now() - started).toBeLessThan(20 * LIMIT_MS + 10_000);
    if ("problems" in checked) expect(checked.problems.length).toBeLessThan(3_000);
    expect(await checkForeign(field({ type: "string" }), { a: "x" })).toEqual({ value: { a: "x" } });
  });
});

test("checks of others do not wait for a schema that was too slow before", async () => {
  const [schema, value] = BOMBS["an expression"]!;
  expect(await checkForeign(schema, value, LIMIT_MS)).toMatchObject({
    problems: expect.stringContaining("longer than 300 ms"),
  });
  const order: string[] = [];
  const slow = many(3, () => 0).map(() =>
    checkForeign(schema, value, LIMIT_MS).then(() => order.push("slow")),
  );
  const others = many(5, () => 0).map(() =>
    checkForeign({ type: "number" }, 1).then(() => order.push("other")),
  );
  await Promise.all([...slow, ...others]);
  expect(order).toEqual(["slow", ...many(5, () => "other"), "slow", "slow"]);
});

test("what a thread says of a schema is what the validator says, and nulls that it refuses are taken out", async () => {
  const schema: JsonObject = { ...field({ type: "string", pattern: "^x" }), required: ["b"] };
  expect(await checkForeign(schema, { a: "x", b: 1 })).toEqual({ value: { a: "x", b: 1 } });
  expect(await checkForeign(schema, { a: null, b: null })).toEqual({ value: { b: null } });
  for (const value of [{ a: "y", b: 1 }, {}, [], { a: 1 }] as const)
    expect(await checkForeign(schema, value as Json)).toEqual({ problems: validateInput(schema, value) });
});

test("what is checked without a thread refuses nothing that the whole schema accepts", () => {
  const leaf = fc.constantFrom<JsonObject>(
    { type: "string", pattern: "^x" },
    { type: "array", uniqueItems: true },
    { format: "email" },
    { type: ["number", "null"], minimum: 1 },
    { $ref: "#" },
    { not: { pattern: "x" } },
    { anyOf: [{ uniqueItems: true }, { type: "string" }] },
    { items: { pattern: "x" }, minItems: 1 },
    { properties: { b: { pattern: "x" } }, required: ["b"], additionalProperties: false },
    { propertyNames: { pattern: "x" }, minProperties: 1 },
  );
  const value = fc.constantFrom<Json>("x", "y", 1, 0, null, [1, 1], [], ["x"], { b: "x" }, { b: 1 }, {});
  fc.assert(
    fc.property(leaf, leaf, value, value, (a, b, x, y) => {
      const schema = { properties: { a, b }, anyOf: [{ properties: { a: b } }, true] };
      const given = { a: x, b: y };
      if (validateInput(schema, given) === null)
        expect(validateInput(boundedSchema(schema) as JsonObject, given)).toBeNull();
    }),
    { numRuns: 2_000 },
  );
});

const RUN = (check: string): string => `
  import { createAgent, defineTool } from "agentchart";
  import { scriptedModel } from "agentchart/testing";
  ${check}
  const tool = defineTool({ name: "t", description: "", input: { type: "object" }, execute: () => "ok" });
  const model = scriptedModel([{ calls: [{ name: "t", input: {} }] }, "done"]);
  await createAgent({ name: "a", model, tools: [tool] }).call("go");
  console.log(process.getActiveResourcesInfo().filter((each) => /Worker|MessagePort/.test(each)).length);
`;

test("an agent without tools of others starts no thread, and an idle thread does not keep a process alive", () => {
  const source = join(import.meta.dirname, "../../src/core/tool/foreign-schema.ts");
  const used = `import { checkForeign } from ${JSON.stringify(source)}; console.log(JSON.stringify(await checkForeign({ type: "string" }, 1)));`;
  const run = (code: string): string[] =>
    execFileSync(
      process.execPath,
      ["--conditions=agentchart-source", "--input-type=module", "--eval", code],
      {
        encoding: "utf8",
        cwd: join(import.meta.dirname, "../.."),
        timeout: 600_000,
      },
    )
      .trim()
      .split("\n");
  expect(run(RUN(""))).toEqual(["0"]);
  expect(run(RUN(used))[0]).toContain("problems");
});

test("where no thread can be started each check says so, and none waits for another", async () => {
  const thread = new CheckThread(new URL("https://localhost/no-file.mjs"));
  const job = { schema: "{}", value: "1" };
  const all = await Promise.all([thread.check(job, LIMIT_MS), thread.check(job, LIMIT_MS)]);
  for (const { problems } of [...all, await thread.check(job, LIMIT_MS)])
    expect(problems).toMatch(/^it cannot be checked: .*scheme/u);
});

test("a thread that fails says why", async () => {
  const thread = new CheckThread(new URL("no-such-file.mjs", import.meta.url));
  const { problems } = await thread.check({ schema: "{}", value: "1" }, LIMIT_MS);
  expect(problems).toContain("no-such-file.mjs");
});
