// The agent suite, on each store by turns.
import { expect, inject, test } from "vitest";
import { createAgent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { NOT_STORED } from "../../support/agentchart-stored.ts";
import { goneFrom } from "../../support/listed.ts";

test("in the stored mode an agent without a store of its own has one, of each kind by turns", async () => {
  const kinds = inject("storedPostgres") === undefined ? 3 : 4;
  for (let kind = 0; kind < kinds; kind++) {
    const agent = createAgent({ name: "bot", model: scriptedModel(["done"]) });
    await agent.call("go");
    expect(agent.status().seq).toBeGreaterThan(0);
    await agent.close();
  }
});

test("what is not stored is a test of the agent suite", () => {
  expect(goneFrom(NOT_STORED)).toEqual([]);
});
