import { setTimeout as sleep } from "node:timers/promises";
import { createAgent, defineTool } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { openStore, type StoreSpec } from "../support/open-store.ts";

/** How the process ends. */
export type Ending =
  | "nothing left"
  | "exit 0"
  | "exit 1"
  | "exit 0 in a turn"
  | "exit 1 in a turn"
  | "throw in a turn";

const [spec, ending] = JSON.parse(process.argv[2]!) as [StoreSpec, Ending];
const store = await openStore(spec);
const end = defineTool({
  name: "end",
  description: "Ends the process.",
  input: { type: "object" },
  execute: async () => {
    if (ending.startsWith("exit")) process.exit(Number(ending.split(" ")[1]));
    setTimeout(() => {
      throw new Error("It failed.");
    });
    await sleep(60_000);
    return "Never.";
  },
});
const inTurn = ending.endsWith("in a turn");
const model = scriptedModel([inTurn ? { calls: [{ name: "end" }] } : "Hi"]);
const agent = createAgent({ name: "leaver", model, tools: [end], store, sessionId: "s" });
await agent.call("Hello");
if (ending.startsWith("exit")) process.exit(Number(ending.split(" ")[1]));
