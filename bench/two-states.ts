import { assign, createActor, fromPromise, setup, waitFor } from "xstate";
import { cpuMicros } from "./cpu.ts";

const ROUNDS = 200;

/** The least machine that goes round as an agent does: two states, each with one invoked promise. */
const machine = setup({
  types: { context: {} as { readonly round: number } },
  actors: { model: fromPromise(async () => {}), tool: fromPromise(async () => {}) },
  actions: { count: assign(({ context }) => ({ round: context.round + 1 })) },
  guards: { isOver: ({ context }) => context.round >= ROUNDS },
}).createMachine({
  context: { round: 0 },
  initial: "reasoning",
  states: {
    reasoning: {
      invoke: { src: "model", onDone: [{ guard: "isOver", target: "over" }, { target: "acting" }] },
    },
    acting: { invoke: { src: "tool", onDone: { target: "reasoning", actions: "count" } } },
    over: { type: "final" },
  },
});

/** Samples CPU µs of one round of the bare machine. */
export async function bareRounds(): Promise<number> {
  const micros = await cpuMicros(async () => {
    const actor = createActor(machine).start();
    await waitFor(actor, ({ status }) => status === "done");
  });
  return micros / ROUNDS;
}
