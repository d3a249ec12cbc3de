// An MCP server over standard input and output that answers each method with the JSON of its argument, and as the protocol wants otherwise.
import { createInterface } from "node:readline";

const answers = JSON.parse(process.argv[2] ?? "{}");
const RESULTS = {
  initialize: {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "raw", version: "1" },
  },
  "tools/list": { tools: [{ name: "t", inputSchema: { type: "object" } }] },
  "tools/call": { content: [{ type: "text", text: "fine" }] },
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method] ?? { result: RESULTS[method] };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
});
