import { type Execution } from "agentchart";
import { mergeExecution, mergeOptions } from "../../src/model/execution.ts";
import { expect, test } from "vitest";

test("what is said wins field by field; null, undefined and nothing say nothing", () => {
  const fallback: Execution = { timeoutMs: 10, maxAttempts: 3 };
  const said = { timeoutMs: null, maxAttempts: 5, initialBackoffMs: undefined, maxBackoffMs: null };
  expect(mergeExecution(said as never, fallback)).toStrictEqual({ timeoutMs: 10, maxAttempts: 5 });
  expect(mergeExecution(null, fallback)).toStrictEqual(fallback);
  expect(mergeExecution(fallback, undefined)).toStrictEqual(fallback);
  expect(mergeExecution()).toStrictEqual({});
  expect(fallback).toStrictEqual({ timeoutMs: 10, maxAttempts: 3 });
});

test("extra fields of the body and headers are merged one by one", () => {
  const merged = mergeOptions(
    { temperature: 0, extraBody: { a: 1 }, extraHeaders: { x: "1" } },
    { temperature: 1, maxTokens: 7, extraBody: { a: 0, b: 2 }, extraHeaders: { y: "2" } },
  );
  expect(merged).toStrictEqual({
    temperature: 0,
    maxTokens: 7,
    extraBody: { a: 1, b: 2 },
    extraHeaders: { x: "1", y: "2" },
  });
});

test("options that carry a key named __proto__ have no other prototype afterwards", () => {
  const merged = mergeOptions(JSON.parse('{"__proto__":{"temperature":2}}') as object, { maxTokens: 1 });
  expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
  expect(merged.temperature).toBeUndefined();
});
