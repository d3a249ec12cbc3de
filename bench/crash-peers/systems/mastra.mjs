import { Mastra } from "@mastra/core";
import { deskOf, read, storageOf, suspended } from "./mastra-parts.mjs";

export function open(orders, world) {
  const mastra = new Mastra({
    agents: { desk: deskOf(orders, world) },
    storage: storageOf(orders.folder),
    logger: false,
  });
  const agent = mastra.getAgent("desk");
  return {
    async start(input) {
      const stream = await agent.stream(input);
      return await read(stream.runId, stream.fullStream);
    },
    pending: () => suspended(agent),
    async approve({ runId, id }) {
      const stream = await agent.approveToolCall({ runId, toolCallId: id });
      return await read(runId, stream.fullStream);
    },
    recover: () => suspended(agent),
  };
}
