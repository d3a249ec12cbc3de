import assert from "node:assert/strict";
import test from "node:test";
import { scriptedModel } from "agentchart/testing";
import { memoryWorkspace } from "agentchart/workspace";
import { coder } from "./agent.ts";

test("edits a file only after an approval", async () => {
  const workspace = memoryWorkspace({ files: { "sum.mjs": "all - each\n" } });
  const content = async (): Promise<string> => new TextDecoder().decode(await workspace.read("sum.mjs"));
  const edit = { path: "sum.mjs", old_string: "all - each", new_string: "all + each" };
  const model = scriptedModel([
    { calls: [{ name: "read_file", input: { path: "sum.mjs" } }] },
    { calls: [{ name: "edit_file", input: edit }] },
    "It adds now.",
  ]);
  const agent = coder(model, workspace);

  const asked = await agent.call("Mend sum.");
  assert.equal(asked.reason, "APPROVAL_REQUIRED");
  assert.equal(await content(), "all - each\n");
  for (const { callId } of asked.pending) await agent.decide(callId, "approve");
  assert.equal((await agent.call()).text, "It adds now.");
  assert.equal(await content(), "all + each\n");
});
