// Changes of a fork that an agent cannot follow: tools and models that it lacks, options of another shape.
import { expect, test } from "vitest";
import { scriptedModel } from "agentchart/testing";
import { checkChangesOf } from "../../../src/agent/check-changes-of.ts";
import type { AnyAgentConfig } from "../../../src/agent/options/agent-config.ts";
import type { ForkChanges } from "../../../machines/agent/prompt/edits.ts";
import { toolOf } from "../../support/agents.ts";

const config = {
  name: "desk",
  model: scriptedModel(["Hello."], { name: "large" }),
  tools: [toolOf("pay", () => "paid")],
  toolOptions: { clientTools: ["map"] },
} as AnyAgentConfig;

const codeOf = (changes: ForkChanges): unknown => {
  try {
    checkChangesOf(config, changes);
  } catch (error) {
    return error;
  }
  return "followed";
};

test.each<[ForkChanges, string, string]>([
  [{ tools: ["fly"] }, "session/bad-change", "no tool 'fly'"],
  [{ tools: ["pay", "Pay"] }, "session/bad-change", "no tool 'Pay'"],
  [{ model: "small" }, "session/bad-change", "'small'"],
  [{ tools: [""] }, "config/invalid", "tools"],
  [{ sytem: "Be brief." } as ForkChanges, "config/invalid", "sytem"],
  [{ options: { temprature: 1 } } as ForkChanges, "config/invalid", "temprature"],
])("changes that an agent cannot follow are refused: %o", (changes, code, told) => {
  expect(codeOf(changes)).toMatchObject({ code, message: expect.stringContaining(told) as string });
});

test.each<[ForkChanges]>([
  [{}],
  [{ tools: [] }],
  [{ tools: ["pay", "map"] }],
  [{ tools: ["generate_response"], model: "large", system: "Be brief." }],
])("changes that an agent can follow are taken: %o", (changes) => {
  expect(codeOf(changes)).toBe("followed");
});
