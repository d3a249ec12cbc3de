import { setTimeout as sleep } from "node:timers/promises";
import { createAgent, defineTool } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { openStore, type StoreSpec } from "../support/open-store.ts";

// Opens session `s` with a lease that lasts for an hour, tells it from within a tool, and stays there.
const store = await openStore(JSON.parse(process.argv[2]!) as StoreSpec);
const wait = defineTool({
  name: "wait",
  description: "Waits.",
  input: { type: "object" },
  execute: async () => {
    process.send!("in the tool");
    await sleep(3_600_000);
    return "Never.";
  },
});
const model = scriptedModel([{ calls: [{ name: "wait" }] }]);
const agent = createAgent({
  name: "first",
  model,
  tools: [wait],
  store,
  sessionId: "s",
  sessionOptions: { leaseMs: 3_600_000 },
});
await agent.call("Hello");
