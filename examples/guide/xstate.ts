// #region xstate
import { assistantMsg, userMsg } from "agentchart";
import { agentMachine, type ModelInput, type ModelOutcome } from "agentchart/machines";
import { createActor, fromPromise, waitFor } from "xstate";

const machine = agentMachine.provide({
  actors: {
    callModel: fromPromise<ModelOutcome, ModelInput>(async ({ input }) => ({
      at: 1,
      message: assistantMsg(`It is noon, in turn ${input.turn}.`),
      finishReason: "stop",
      delivered: true,
    })),
  },
  guards: { maxIters: ({ context }) => context.progress.iteration >= 2 },
});
// #endregion

// #region persist
const actor = createActor(machine).start();
console.log(actor.getSnapshot().can({ type: "run.shutdown", at: 0 }));
actor.send({ type: "call", input: [userMsg("How late is it?")], at: 0, hasOutput: false });
await waitFor(actor, (snapshot) => snapshot.matches({ stopped: "idle" }));

const json = JSON.stringify(actor.getPersistedSnapshot());
const restored = createActor(machine, { snapshot: JSON.parse(json) }).start();
console.log(restored.getSnapshot().context.transcript.length, "messages");
// #endregion

// #region look
import { getMicrosteps, getNextTransitions } from "xstate";

const idle = machine.resolveState({ value: { stopped: "idle" }, context: restored.getSnapshot().context });
for (const { eventType, guard } of getNextTransitions(idle).slice(1, 4)) console.log(eventType, guard);
const call = { type: "call", input: [userMsg("And now?")], at: 2, hasOutput: false } as const;
for (const [{ value, tags }] of getMicrosteps(machine, idle, call)) console.log(value, ...tags);
// #endregion
