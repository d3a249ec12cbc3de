// One worker of `npm run demo -- --workers N`. Its parent tells it what to work on, and lives longer.
import { once } from "node:events";
import type { Tool } from "agentchart";
import { sqliteStore } from "agentchart/store/sqlite";
import { createWorker, inProcessQueue } from "agentchart/worker";
import { analystTools } from "../tools/analyst-tools.ts";
import { repeatable } from "./crash.ts";
import type { WorkerTask } from "./hand-over.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import { openModel } from "./open-model.ts";
import { NOTEBOOK } from "./show-plan.ts";

/** Each query waits for the parent's word, which kills the first process that asks for it. */
function asking(tool: Tool): Tool {
  const { execute } = tool;
  if (tool.name !== "query_database" || !execute) return tool;
  return {
    ...tool,
    async execute(input, ctx) {
      process.send!({ type: "query" });
      await once(process, "message");
      return execute(input, ctx);
    },
  };
}

const { choice, database, outDir, path } = JSON.parse(process.argv[2]!) as WorkerTask;
const { model } = await openModel(choice, 0);
process.once("disconnect", () => process.exit(0));
process.on("SIGINT", () => {}); // the parent's affair
const worker = createWorker({
  // Nobody else hears of this queue: the worker finds its work by looking into the store.
  queue: inProcessQueue(),
  store: sqliteStore({ path }),
  sweepMs: 200,
  leaseMs: 2_000,
  agents: {
    analyst: () => {
      const tools = repeatable(analystTools({ database, outDir })).map(asking);
      return {
        name: "analyst",
        sysPrompt: INSTRUCTIONS,
        model,
        tools: tools as never,
        hooks: [NOTEBOOK.hook],
        maxIters: 20,
      };
    },
  },
});
worker.subscribe((event) => {
  if (event.type === "session.start") process.send!({ type: "took", isTakeover: event.isTakeover });
});
await worker.start();
