import { scriptedModel } from "agentchart/testing";
import { z } from "zod";

const model = scriptedModel([
  { calls: [{ name: "search_tools", input: { query: "cancel a parcel", limit: 1 } }] },
  { calls: [{ name: "cancel_parcel", input: { id: "17" } }] },
  "Parcel 17 is cancelled.",
]);

// #region defer
import { createAgent, defineTool } from "agentchart";

const parcelTools = ["track", "cancel", "insure"].map((verb) =>
  defineTool({
    name: `${verb}_parcel`,
    description: `Can ${verb} a parcel.`,
    input: z.object({ id: z.string() }),
    deferred: true, // not offered until the model has found it
    execute: ({ id }) => `${verb}: ${id}`,
  }),
);
const agent = createAgent({ name: "post", model, tools: parcelTools });
const reply = await agent.call("Cancel parcel 17.");
console.log(reply.text);
for (const { tools } of model.requests) console.log(tools.map(({ name }) => name).join(", "));
// #endregion
