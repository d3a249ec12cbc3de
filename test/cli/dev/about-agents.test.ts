// Words and samples about agents in the page of `dev`.
import { expect, test } from "vitest";
import { aboutAgents } from "../../../src/cli/dev/about-agents.ts";

const of = (about: unknown) => aboutAgents(about, ["desk", "clerk"], "agents.ts");

test("words about agents are optional, for each agent and in each part", () => {
  expect(of(undefined)).toEqual({});
  const about = { desk: { description: "Pays.", prompts: ["Pay.", "Ask."] }, clerk: {} };
  expect(of(about)).toEqual(about);
});

test.each([
  ["a list", [], "expected { agent: { description, prompts } }"],
  ["a text", "desk", "expected { agent: { description, prompts } }"],
  ["an unknown agent", { dsk: {} }, '"dsk" is not an agent of the file. Its agents: desk, clerk.'],
  ["a text for an agent", { desk: "Pays." }, '"desk": expected'],
  ["an unknown field", { desk: { promts: [] } }, 'unknown field "promts"'],
  ["a description that is not text", { desk: { description: 1 } }, "`description` must be a text"],
  ["an empty prompt", { desk: { prompts: [" "] } }, "`prompts` must be at most 6 texts"],
  ["too many prompts", { desk: { prompts: Array(7).fill("a") } }, "`prompts` must be at most 6 texts"],
  ["a long prompt", { desk: { prompts: ["a".repeat(501)] } }, "of at most 500 characters"],
])("%s is refused with what was expected", (_, about, message) => {
  expect(() => of(about)).toThrow(
    expect.objectContaining({ code: "config/invalid", message: expect.stringContaining(message) }),
  );
});
