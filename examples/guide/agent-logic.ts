import { scriptedModel } from "agentchart/testing";

const model = scriptedModel(["Sales rose by 4 %."]);
const writerModel = scriptedModel([
  { calls: [{ id: "call_1", name: "publish", input: { text: "Sales rose by 4 %." } }] },
  "It is published.",
]);

// #region machine
import { defineTool } from "agentchart";
import { agentLogic } from "agentchart/team";
import { assign, createActor, sendTo, setup, toPromise, waitFor } from "xstate";
import { z } from "zod";

const publish = defineTool({
  name: "publish",
  description: "Publishes a text.",
  input: z.object({ text: z.string() }),
  permission: "ask",
  execute: ({ text }) => `Published: ${text}`,
});
const machine = setup({
  types: { context: {} as { found: string }, events: {} as { type: "APPROVE"; callId: string } },
  actors: {
    researcher: agentLogic({ name: "researcher", model }),
    writer: agentLogic({ name: "writer", model: writerModel, tools: [publish] }),
  },
}).createMachine({
  context: { found: "" },
  initial: "researching",
  states: {
    researching: {
      invoke: {
        src: "researcher",
        input: { message: "How are sales?" },
        onDone: { target: "writing", actions: assign({ found: ({ event }) => event.output.text }) },
        onError: "failed",
      },
    },
    writing: {
      invoke: {
        id: "writer",
        src: "writer",
        input: ({ context }) => ({ message: `Publish this: ${context.found}` }),
        onSnapshot: {}, // a step of the machine for each of the agent
        onDone: "published",
        onError: "failed",
      },
      on: {
        APPROVE: {
          actions: sendTo("writer", ({ event }) => ({
            type: "decide",
            callId: event.callId,
            decision: "approve",
          })),
        },
      },
    },
    published: { type: "final" },
    failed: { type: "final" },
  },
});

const actor = createActor(machine).start();
const { children } = await waitFor(
  actor,
  (snapshot) => snapshot.children["writer"]?.getSnapshot().pending.length === 1,
);
for (const { callId, name } of children["writer"]!.getSnapshot().pending) {
  console.log(`May it ${name}?`);
  actor.send({ type: "APPROVE", callId });
}
await toPromise(actor);
console.log(actor.getSnapshot().value);
// #endregion
