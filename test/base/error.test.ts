import { expect, test } from "vitest";
import { AgentError, endingError } from "../../src/base/error.ts";

test("an error that says how something ended has no stack, and those after it have one", () => {
  const ending = endingError("run/closed", "Agent 'a' is closed.");
  expect(ending).toBeInstanceOf(AgentError);
  expect(ending.toJSON()).toEqual({ code: "run/closed", message: "Agent 'a' is closed." });
  expect(ending.stack).not.toContain("\n    at ");
  expect(new AgentError("run/closed", "").stack).toContain("\n    at ");
});
