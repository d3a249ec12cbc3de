import { setTimeout } from "node:timers/promises";
import { assign, createActor, setup, type InspectionEvent } from "xstate";
import { cpuMicros, IS_SMOKE } from "./cpu.ts";

/** Events of one sample, and how many come at once. */
const EVENTS = IS_SMOKE ? 20 : 1_000;
const AT_ONCE = 10;

/** A machine with two regions and ten values in its context, two of which change with each event. */
const belt = setup({
  types: {
    context: {} as { readonly count: number; readonly last: { readonly parcel: number } },
    events: {} as { type: "parcel"; parcel: number },
  },
  guards: { isHeavy: ({ event }) => event.parcel % 3 === 0 },
  actions: {
    count: assign({
      count: ({ context }) => context.count + 1,
      last: ({ event: { parcel } }) => ({ parcel }),
    }),
  },
}).createMachine({
  id: "belt",
  context: () => ({
    ...Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`setting${at}`, `value ${at}`])),
    count: 0,
    last: { parcel: 0 },
  }),
  type: "parallel",
  states: {
    lane: {
      initial: "left",
      states: { left: { on: { parcel: "right" } }, right: { on: { parcel: "left" } } },
    },
    scale: { on: { parcel: [{ guard: "isHeavy", actions: "count" }, { actions: "count" }] } },
  },
});

/** Returns what measures the CPU µs of an event, all threads, of a machine that gets 1,000 of them a second, ten at once; its process then
 *  rests for 50 ms, which counts. */
export function eventsOfMachine(inspect?: (event: InspectionEvent) => void): () => Promise<number> {
  return async () => {
    const actor = createActor(belt, inspect ? { inspect } : {}).start();
    const micros = await cpuMicros(async () => {
      const from = performance.now();
      for (let sent = 0; sent < EVENTS; sent += AT_ONCE) {
        for (let at = 0; at < AT_ONCE; at++) actor.send({ type: "parcel", parcel: sent + at });
        await setTimeout(Math.max(0, from + sent + AT_ONCE - performance.now()));
      }
      await setTimeout(50);
    });
    actor.stop();
    return micros / EVENTS;
  };
}
