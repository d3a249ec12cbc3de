// Checked by `npm run typecheck`, never run.
import { createActor, sendTo, setup } from "xstate";
import { expectTypeOf } from "vitest";
import { z } from "zod";
import type { PendingCall } from "agentchart";
import { agentLogic } from "agentchart/team";
import { scriptedModel } from "agentchart/testing";

const model = scriptedModel([]);
const setUp = setup({
  actors: {
    researcher: agentLogic({ name: "researcher", model }),
    counter: agentLogic({ name: "counter", model }, { output: z.object({ found: z.number() }) }),
  },
});

const machine = setUp.createMachine({
  invoke: [
    {
      id: "counter",
      src: "counter",
      input: { message: "go", key: "k", sessionId: "s" },
      onDone: {
        actions: ({ event }) => {
          expectTypeOf(event.output.output).toEqualTypeOf<{ found: number }>();
          expectTypeOf(event.output.text).toEqualTypeOf<string>();
        },
      },
      onSnapshot: {
        actions: ({ event }) => {
          expectTypeOf(event.snapshot.pending).toEqualTypeOf<readonly PendingCall[]>();
          expectTypeOf(event.snapshot.phase).toEqualTypeOf<"opening" | "running" | "suspended" | "stopped">();
        },
      },
    },
  ],
  entry: sendTo("counter", { type: "decide", callId: "call_1", decision: "approve" }),
});
createActor(machine);

// @ts-expect-error: there is no such actor
setUp.createMachine({ invoke: { src: "reseacher" } });
// @ts-expect-error: the key of an input is a text
setUp.createMachine({ invoke: { src: "researcher", input: { message: "go", key: 7 } } });
const actor = createActor(agentLogic({ name: "researcher", model }), { input: { message: "go" } });
// @ts-expect-error: an agent's actor takes no such event
actor.send({ type: "approve" });
actor.send({ type: "steer", message: "Hurry." });
// @ts-expect-error: the input of the actor says where it works
agentLogic({ name: "researcher", model, sessionId: "s" });
