import assert from "node:assert/strict";
import test from "node:test";
import { scriptedModel } from "agentchart/testing";
import { run } from "./run.ts";

test("nothing is published before it was approved", async () => {
  const researcher = scriptedModel(["Sales rose."]);
  const writer = scriptedModel([
    { calls: [{ name: "publish", input: { text: "Sales rose." } }] },
    "Published.",
  ]);
  const approved: unknown[] = [];
  assert.equal(await run({ researcher, writer }, (_, input) => approved.push(input)), "published");
  assert.deepEqual(approved, [{ text: "Sales rose." }]);
});

test("a model that fails ends the machine in a state of its own", async () => {
  assert.equal(await run({ researcher: scriptedModel([]), writer: scriptedModel([]) }, () => {}), "failed");
});
