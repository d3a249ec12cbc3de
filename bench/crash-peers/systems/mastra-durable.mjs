import { Mastra } from "@mastra/core";
import { createDurableAgent } from "@mastra/core/agent/durable";
import { deskOf, read, storageOf, suspended } from "./mastra-parts.mjs";

export function open(orders, world) {
  const agent = createDurableAgent({ agent: deskOf(orders, world) });
  const mastra = new Mastra({
    agents: { desk: agent },
    storage: storageOf(orders.folder),
    logger: false,
    recovery: { durableAgents: "auto" },
  });
  return {
    async start(input) {
      const { output, runId } = await agent.stream(input, { closeOnSuspend: true });
      return await read(runId, output.fullStream);
    },
    pending: () => suspended(agent),
    async approve({ runId }) {
      const { output } = await agent.resume(runId, { approved: true }, { closeOnSuspend: true });
      return await read(runId, output.fullStream);
    },
    // What the generated server does when it starts.
    async recover() {
      const { recovered, succeeded, failed } = await mastra.recoverAllDurableAgents();
      const waits = await suspended(agent);
      const text = `${recovered} taken up, ${succeeded} succeeded, ${failed} failed`;
      return waits.state === "waiting" ? waits : { state: succeeded > 0 ? "done" : "lost", text };
    },
  };
}
