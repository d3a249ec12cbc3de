import { scriptedModel } from "agentchart/testing";
// #region tools
import { createAgent } from "agentchart";
import { codingPermissions, codingTools, memoryWorkspace } from "agentchart/workspace";

const workspace = memoryWorkspace({ files: { "sum.ts": "export const sum = (a, b) => a - b;\n" } });
// for a folder, with commands in a sandbox: await folderWorkspace({ root: "/srv/project" })
// #endregion

const edit = { path: "sum.ts", old_string: "a - b", new_string: "a + b" };
const model = scriptedModel([
  { calls: [{ name: "edit_file", input: edit }] },
  { calls: [{ name: "read_file", input: { path: "sum.ts" } }] },
  { calls: [{ name: "edit_file", input: edit }] },
  "It adds now.",
]);

// #region use
const agent = createAgent({
  name: "coder",
  model,
  tools: codingTools({ workspace }),
  permissions: codingPermissions({ workspace, mode: "acceptEdits", allow: ["npm test*", "git status"] }),
});
const reply = await agent.call("Mend sum.");

for (const { content } of await agent.messages())
  for (const block of content) {
    if (block.type !== "tool_result") continue;
    const [text] = block.output;
    console.log(`${block.name}: ${text?.type === "text" ? text.text : ""}`);
    if (block.metadata?.["diff"]) console.log(JSON.stringify(block.metadata["diff"]));
  }
console.log(reply.text);
// #endregion
