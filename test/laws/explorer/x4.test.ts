// X4 on every step of the explorer and on many random charts: a share of the steps in CI, all of them with SOAK=1.
import fc from "../../support/fast-check.ts";
import { createActor, type AnyActorRef, type AnyMachineSnapshot } from "xstate";
import { expect, test } from "vitest";
import { agentResolver } from "../../../machines/agent/agent-chart.ts";
import { agentMachine, agentSlots } from "../../../machines/agent/agent.machine.ts";
import { acceleratedMachine } from "../../../machines/chart/accelerator.ts";
import { played } from "../../machines/chart/deeds.ts";
import { randomChart, randomDeeds } from "../../machines/chart/random-chart.ts";
import { Twins } from "../../machines/chart/x4.ts";
import { Transcript } from "../../../src/core/message/transcript.ts";
import { explore } from "./explore.ts";
import { violationText } from "./report.ts";
import { BOUNDS } from "./worlds.ts";

const SOAK = process.env["SOAK"] === "1";
/** Of so many steps one is compared, and of so many worlds one is walked. */
const EACH = SOAK ? 1 : 7;
const WORLDS = SOAK ? 1 : 4;

test(
  "X4 steps of the agent's chart from reachable states are those of XState's unmodified machine",
  { timeout: 7_200_000 },
  () => {
    let [steps, compared] = [0, 0];
    const states = new Set<string>();
    const twins = new Twins(agentResolver as never, agentSlots, acceleratedMachine, agentMachine);
    const worlds = BOUNDS.small.worlds.filter((_, index) => index % WORLDS === 2 % WORLDS);
    const { violations } = explore(
      { ...BOUNDS.small, worlds },
      {
        onEvent: (snapshot, event) => {
          if (steps++ % EACH !== 0) return;
          twins.send(snapshot as never, event);
          states.add(JSON.stringify(snapshot.value));
          compared++;
        },
      },
    );
    expect(violations.map(violationText)).toEqual([]);
    expect(states.size).toBeGreaterThan(25);
    console.log(`X4: ${compared} of ${steps} explored steps compared, in ${states.size} states`);
  },
);

test("a snapshot of every explored state is persisted and restored whole", { timeout: 3_600_000 }, () => {
  const scope = { self: createActor(agentMachine), system: createActor(agentMachine).system };
  let [steps, restored] = [0, 0];
  const worlds = BOUNDS.small.worlds.filter((_, index) => SOAK || index % 8 === 2);
  explore(
    { ...BOUNDS.small, worlds },
    {
      onEvent: (snapshot) => {
        if (steps++ % (SOAK ? 11 : 97) !== 0) return;
        const json = JSON.stringify(agentMachine.getPersistedSnapshot(snapshot as never));
        const again = agentMachine.restoreSnapshot(JSON.parse(json) as never, scope as never);
        expect(whole(again)).toEqual(whole(snapshot as never));
        restored++;
      },
    },
  );
  expect(restored).toBeGreaterThan(200);
});

/** All of a snapshot that a session consists of, as JSON with every message. */
function whole({ value, context, children }: AnyMachineSnapshot): unknown {
  const inputs = Object.entries(children as { readonly [id: string]: AnyActorRef }).map(([id, child]) => [
    id,
    (child.getSnapshot() as { readonly input: object }).input,
  ]);
  const messages = (_: string, part: unknown) => (part instanceof Transcript ? part.slice() : part);
  return JSON.parse(JSON.stringify({ value, context: { ...context }, inputs }, messages));
}

test("X4 10,000 random charts take the steps of XState's unmodified machine", { timeout: 3_600_000 }, () => {
  let [steps, failed] = [0, 0];
  fc.assert(
    fc.property(randomChart, randomDeeds, (root, deeds) => {
      const told = played(root, deeds);
      steps += told.steps;
      failed += told.failed;
    }),
    { numRuns: SOAK ? 100_000 : 10_000 },
  );
  expect(steps).toBeGreaterThan(20_000);
  expect(failed).toBeGreaterThan(200);
});
