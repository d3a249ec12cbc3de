// Typed errors: codes, causes, stacks, and when a retry makes sense.
import { inspect } from "node:util";
import { expect, test } from "vitest";
import { AgentError, endingError } from "../../src/core/base/error.ts";

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
