import { defineTool, type ChatModel } from "agentchart";
import { agentLogic } from "agentchart/team";
import { assign, sendTo, setup } from "xstate";
import { z } from "zod";

const publish = defineTool({
  name: "publish",
  description: "Publishes a text.",
  input: z.object({ text: z.string() }),
  permission: "ask",
  execute: ({ text }) => `Published: ${text}`,
});

/** A newsroom: one agent researches, another one writes and asks before it publishes. The chart decides who is next. */
export const newsroom = (models: { readonly researcher: ChatModel; readonly writer: ChatModel }) =>
  setup({
    types: { context: {} as { found: string }, events: {} as { type: "APPROVE"; callId: string } },
    actors: {
      researcher: agentLogic({ name: "researcher", model: models.researcher }),
      writer: agentLogic({ name: "writer", model: models.writer, tools: [publish] }),
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
