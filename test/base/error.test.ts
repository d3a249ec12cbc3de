// Typed errors: codes, causes, stacks, and when a retry makes sense.
import { inspect } from "node:util";
import { expect, test } from "vitest";
import { AgentError, endingError, messageOf } from "../../src/core/base/error.ts";
import { failureCode } from "../../src/core/base/failure-code.ts";

test("an error that says how something ended has no stack, and those after it have one", () => {
  const ending = endingError("run/closed", "Agent 'a' is closed.");
  expect(ending).toBeInstanceOf(AgentError);
  expect(ending.toJSON()).toEqual({ code: "run/closed", message: "Agent 'a' is closed." });
  expect(ending.stack).not.toContain("\n    at ");
  expect(new AgentError("run/closed", "").stack).toContain("\n    at ");
});

test("an error that says when a retry makes sense is retryable, unless it says otherwise", () => {
  expect(new AgentError("session/conflict", "Held.", { retryAt: 5 }).toJSON()).toMatchObject({
    isRetryable: true,
    retryAt: 5,
  });
  expect(new AgentError("tool/failed", "No.", { retryAt: 5, isRetryable: false }).isRetryable).toBe(false);
  expect(new AgentError("tool/failed", "No.").isRetryable).toBe(false);
});

test("an error that is printed names the page that explains it, and one that is stored does not", () => {
  const error = new AgentError("run/busy", "A turn is running.");
  expect(inspect(error)).toContain("docs: 'agentchart/docs/guide/errors.md#run-busy'");
  expect(JSON.stringify(error)).toBe('{"code":"run/busy","message":"A turn is running."}');
});

test("whatever was thrown has a message, which is a text", () => {
  const circle: { self?: unknown } = {};
  circle.self = circle;
  const trap = new Proxy(circle, {
    get() {
      throw new Error("no");
    },
  });
  const withMessage = (message: unknown) => Object.assign(new Error("x"), { message });
  const none = "An object was thrown that has no JSON.";
  const thrown: readonly (readonly [value: unknown, message: string])[] = [
    ["text", "text"],
    ["", ""],
    [undefined, "undefined"],
    [null, "null"],
    [Number.NaN, "null"],
    [10n, "10"],
    [Symbol("s"), "Symbol(s)"],
    [{ code: 1 }, '{"code":1}'],
    [circle, none],
    [trap, none],
    [new Error("said"), "said"],
    [new RangeError(""), "RangeError"],
    [withMessage(undefined), "Error"],
    [withMessage({ status: 500 }), '{"status":500}'],
    [withMessage(circle), none],
  ];
  for (const [value, message] of thrown) expect(messageOf(value)).toBe(message);
});

test("a failed connection says its code and its address, and no words that may hold a secret", () => {
  const refused = (more: object) => Object.assign(new Error("postgres://me:hunter2@db"), more);
  const connect = { code: "ECONNREFUSED", syscall: "connect" };
  const thrown: readonly (readonly [value: unknown, said: string | undefined])[] = [
    [refused({ ...connect, address: "127.0.0.1", port: 6379 }), "ECONNREFUSED 127.0.0.1:6379"],
    [refused({ code: "ENOTFOUND", syscall: "getaddrinfo", hostname: "db" }), "ENOTFOUND db"],
    [refused({ ...connect, address: "/run/pg.sock" }), "ECONNREFUSED /run/pg.sock"],
    [refused({ code: "28P01" }), "28P01"],
    [refused({ code: "of hunter2" }), undefined],
    [refused({}), undefined],
    [undefined, undefined],
    ["ECONNREFUSED", undefined],
  ];
  for (const [value, said] of thrown) expect(failureCode(value)).toBe(said);
});
