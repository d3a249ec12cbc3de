import { createInterface } from "node:readline";
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
  if (event.type === "message" && event.message.role === "assistant" && textOf(event.message))
    console.log(textOf(event.message));
  if (event.type === "tool.start") console.log(`→ ${event.call.name} ${JSON.stringify(event.call.input)}`);
  if (event.type === "tool.delta") process.stdout.write(event.delta);
});

const terminal = createInterface({ input: process.stdin });
const lines = terminal[Symbol.asyncIterator]();
let reply = await agent.call(task);
while (reply.pending.length > 0) {
  for (const { callId, name, input } of reply.pending) {
    process.stdout.write(`${name} ${JSON.stringify(input)}\ny, or why not: `);
    const { value = "Nobody is there." } = (await lines.next()) as { readonly value?: string };
    await agent.decide(callId, value === "y" ? "approve" : { deny: value || "No." });
  }
  reply = await agent.call();
}
terminal.close();
await agent.close();
await workspace.close();
