import { createInterface } from "node:readline/promises";
import { textOf } from "agentchart";
import { folderWorkspace } from "agentchart/workspace";
import { coder } from "./agent.ts";
import { chooseModel } from "./model.ts";
import { nextOf } from "./script.ts";

const flags = process.argv.slice(2);
const [task = "Make the test pass.", root = "playground"] = flags.filter((each) => !each.startsWith("--"));
// Commands run in a sandbox, which needs Linux and bubblewrap; --no-sandbox runs them as you, without any protection.
const sandbox = flags.includes("--no-sandbox") ? "none" : "bubblewrap";
const workspace = await folderWorkspace({ root, sandbox });
const agent = coder(chooseModel(nextOf), workspace);
agent.subscribe((event) => {
  if (event.type === "message" && event.message.role === "assistant") console.log(textOf(event.message));
  if (event.type === "tool.start") console.log(`→ ${event.call.name} ${JSON.stringify(event.call.input)}`);
  if (event.type === "tool.delta") process.stdout.write(event.delta);
});

const terminal = createInterface({ input: process.stdin, output: process.stdout });
let reply = await agent.call(task);
while (reply.pending.length > 0) {
  for (const { callId, name, input } of reply.pending) {
    const said = await terminal.question(`${name} ${JSON.stringify(input)}\ny, or why not: `);
    await agent.decide(callId, said === "y" ? "approve" : { deny: said || "No." });
  }
  reply = await agent.call();
}
terminal.close();
await agent.close();
await workspace.close();
