// An approval brings data along. Does the tool of a durable agent get them, as that of an agent does?
import { join } from "node:path";
import { Mastra } from "@mastra/core";
import { Agent } from "@mastra/core/agent";
import { createDurableAgent } from "@mastra/core/agent/durable";
import { createTool } from "@mastra/core/tools";
import { LibSQLStore } from "@mastra/libsql";
import { mockModel } from "../systems/mock-model.mjs";
import { schemaOf } from "../systems/schemas.mjs";
import { describe } from "../world.mjs";

const APPROVAL = { approved: true, note: "goodwill" };

export async function isMended(folder) {
  const notes = [];
  const refund = createTool({
    id: "refund",
    description: "Refunds an order.",
    inputSchema: schemaOf(describe().refund.fields),
    requireApproval: true,
    execute: async (_, context) => {
      notes.push(context?.agent?.resumeData?.note);
      return "refund is done.";
    },
  });
  const desk = (id) =>
    new Agent({ id, name: id, instructions: "You help.", model: mockModel(id), tools: { refund } });
  const mastra = new Mastra({
    agents: { plain: desk("plain"), durable: createDurableAgent({ agent: desk("durable") }) },
    storage: new LibSQLStore({ id: "storage", url: `file:${join(folder, "mastra.db")}` }),
    logger: false,
  });
  const [plain, durable] = [mastra.getAgent("plain"), mastra.getAgent("durable")];
  const first = await plain.stream("Refund order 17.");
  await end(first);
  await end(await plain.resumeStream(APPROVAL, { runId: first.runId }));
  const { output, runId } = await durable.stream("Refund order 17.", { closeOnSuspend: true });
  await end(output);
  await end((await durable.resume(runId, APPROVAL, { closeOnSuspend: true })).output);
  const [wanted, got, ...more] = notes;
  if (wanted !== APPROVAL.note || notes.length !== 2 || more.length > 0)
    throw new Error(
      `Each tool was to run once, and the first to get the note; got ${JSON.stringify(notes)}.`,
    );
  return got === APPROVAL.note;
}

async function end({ fullStream }) {
  for await (const _ of fullStream);
}
