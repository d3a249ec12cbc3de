import { assign, createActor, fromPromise, setup, waitFor } from "xstate";
import { cpuMicros } from "./cpu.ts";

const ROUNDS = 200;
/** As many keys as an agent's context has. */
const KEYS = 17;

/** A machine that does nothing, in as many steps, assignments, services and levels as one iteration of an agent. */
const emptyChart = setup({
  types: { context: {} as { readonly round: number } },
  actors: { serve: fromPromise(async () => {}) },
  actions: {
    note: assign(({ context }) => ({ round: context.round })),
    count: assign(({ context }) => ({ round: context.round + 1 })),
  },
  guards: { no: () => false, isOver: ({ context }) => context.round >= ROUNDS },
}).createMachine({
  context: () => ({ ...Object.fromEntries(Array.from({ length: KEYS }, (_, i) => [`k${i}`, i])), round: 0 }),
  initial: "reasoning",
  states: {
    reasoning: {
      id: "reasoning",
      initial: "checking",
      states: {
        checking: {
          entry: "note",
          always: [
            { guard: "isOver", target: "#over" },
            { guard: "no" },
            { guard: "no" },
            { target: "calling" },
          ],
        },
        calling: {
          entry: "note",
          initial: "running",
          states: { running: {} },
          invoke: { src: "serve", onDone: { target: "judging", actions: "note" } },
        },
        judging: { always: [{ guard: "no" }, { guard: "no" }, { guard: "no" }, { target: "deciding" }] },
        deciding: { entry: "note", always: [{ guard: "no" }, { guard: "no" }, { target: "#acting" }] },
      },
    },
    acting: {
      id: "acting",
      initial: "preparing",
      states: {
        preparing: { always: [{ guard: "no" }, { target: "reviewing" }] },
        reviewing: { invoke: { src: "serve", onDone: { target: "authorizing", actions: "note" } } },
        authorizing: { always: [{ guard: "no" }, { guard: "no" }, { target: "executing" }] },
        executing: {
          initial: "starting",
          states: {
            starting: { entry: "note", always: [{ guard: "no" }, { target: "running" }] },
            running: {
              entry: "note",
              invoke: { src: "serve", onDone: { target: "#deciding", actions: "note" } },
            },
          },
        },
        deciding: {
          id: "deciding",
          entry: "note",
          always: [{ guard: "no" }, { target: "#reasoning", actions: "count" }],
        },
      },
    },
    over: { id: "over", type: "final" },
  },
});

/** Samples CPU µs of one round of the empty machine. */
export async function emptyRounds(): Promise<number> {
  const micros = await cpuMicros(async () => {
    const actor = createActor(emptyChart).start();
    await waitFor(actor, ({ status }) => status === "done");
  });
  return micros / ROUNDS;
}
