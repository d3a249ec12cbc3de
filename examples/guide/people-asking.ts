import { scriptedModel } from "agentchart/testing";

const model = scriptedModel([
  { calls: [{ name: "book_room", input: { city: "Rome" } }] },
  "The room in Rome is booked.",
]);

// #region ask
import { createAgent, defineTool, suspend } from "agentchart";
import { z } from "zod";

const bookRoom = defineTool({
  name: "book_room",
  description: "Books a room.",
  input: z.object({ city: z.string() }),
  execute: ({ city }, { resumed }) => {
    if (!resumed)
      return suspend("The stay is not known yet.", {
        then: "resume",
        state: { price: 120 }, // what the next run needs
        asks: [
          { id: "nights", kind: "form", message: "How many nights?", schema: z.int().min(1) },
          { id: "terms", kind: "approval", message: "120 euros a night?" },
        ],
      });
    const { nights, terms } = resumed.answers;
    if (terms !== "approve") return "The customer does not agree to the price.";
    return `Booked in ${city}: ${JSON.stringify(nights)}, ${JSON.stringify(resumed.state)}.`;
  },
});
const agent = createAgent({ name: "desk", model, tools: [bookRoom] });

let reply = await agent.call("I need a room in Rome.");
for (const { callId, reason, waitsFor } of reply.pending) console.log(callId, waitsFor, reason);
// #endregion

// #region answer
await agent.decide("call_1/terms", "approve");
await agent.decide("call_1/nights", { respond: 0 }).catch((error: unknown) => console.log(String(error)));
await agent.decide("call_1/nights", { respond: 2 });
reply = await agent.call(); // no input: the tool runs again
console.log(reply.text);
// #endregion
