// OPENAI_API_KEY=… npx node --conditions=agentchart-source examples/mcp.ts "What is in this folder?"
import { createAgent } from "agentchart";
import { mcp } from "agentchart/mcp";
import { openaiModel } from "agentchart/openai";
import { scriptedModel } from "agentchart/testing";

const [question = "What is in this folder?"] = process.argv.slice(2);
const files = await mcp({
  name: "files",
  command: "npx",
  args: ["-y", "@modelcontextprotocol/server-filesystem", "."],
});
const { OPENAI_API_KEY: apiKey } = process.env; // without a key the model is a script
const list = { name: "files__list_directory", input: { path: "." } };
const model = apiKey
  ? openaiModel({ model: "gpt-4.1-mini", apiKey })
  : scriptedModel([{ calls: [list] }, "That is all of it."]);

// The model can look at files, and change none.
const tools = files.tools({ only: ["list_directory", "read_text_file", "search_files"] });
const agent = createAgent({ name: "clerk", model, tools });
agent.subscribe((event) => {
  if (event.type === "tool.end") console.log(event.result.name, event.result.output);
});
console.log((await agent.call(question)).text);
await agent.close();
await files.close();
