// Options of attempts, and the delay between them.
import { type Execution } from "agentchart";
import { mergeExecution, mergeOptions } from "../../src/core/model/execution.ts";
import { describe, expect, test } from "vitest";
import { backoffMs } from "../../src/core/model/execution.ts";

describe("mergeExecution and mergeOptions", () => {
  test("an option of the first execution wins; null, undefined and a missing option take the fallback's", () => {
    const fallback: Execution = { timeoutMs: 10, maxAttempts: 3 };
    const said = { timeoutMs: null, maxAttempts: 5, initialBackoffMs: undefined, maxBackoffMs: null };
    expect(mergeExecution(said as never, fallback)).toStrictEqual({ timeoutMs: 10, maxAttempts: 5 });
    expect(mergeExecution(null, fallback)).toStrictEqual(fallback);
    expect(mergeExecution(fallback, undefined)).toStrictEqual(fallback);
    expect(mergeExecution()).toStrictEqual({});
    expect(fallback).toStrictEqual({ timeoutMs: 10, maxAttempts: 3 });
  });

  test("extraBody and extraHeaders are merged entry by entry", () => {
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

  test("a key named __proto__ does not change the prototype of the result", () => {
    const merged = mergeOptions(JSON.parse('{"__proto__":{"temperature":2}}') as object, { maxTokens: 1 });
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(merged.temperature).toBeUndefined();
  });
});

describe("backoffMs", () => {
  const execution = { initialBackoffMs: 1_000, maxBackoffMs: 4_000, backoffMultiplier: 2 };

  test("sessions that fail in the same millisecond are spread over half of the delay", () => {
    const waits = Array.from({ length: 1_000 }, (_, i) => backoffMs(execution, 1, `session-${i}`));
    expect(new Set(waits).size).toBeGreaterThan(400);
    const tenths = Array.from({ length: 10 }, (_, tenth) => 500 + 50 * tenth);
    for (const from of tenths) {
      const share = waits.filter((wait) => wait >= from && wait <= from + 50).length;
      expect(share).toBeGreaterThan(60);
      expect(share).toBeLessThan(150);
    }
  });

  test("the delay of a session and attempt is always the same, and another one for the next attempt", () => {
    const flat = { ...execution, backoffMultiplier: 1 };
    const waits = [1, 2, 3].map((attempt) => backoffMs(flat, attempt, "session-1"));
    expect([1, 2, 3].map((attempt) => backoffMs(flat, attempt, "session-1"))).toEqual(waits);
    expect(new Set(waits).size).toBe(3);
  });

  test("the delay doubles with each attempt up to its limit, less at most one half", () => {
    [1_000, 2_000, 4_000, 4_000].forEach((full, index) => {
      const wait = backoffMs(execution, index + 1, "session-1");
      expect(wait).toBeGreaterThan(full / 2);
      expect(wait).toBeLessThanOrEqual(full);
    });
  });
});
