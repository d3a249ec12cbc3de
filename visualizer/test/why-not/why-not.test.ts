// Why a state was not entered, or an edge not taken.
import { describe, expect, test } from "vitest";
import { createAgent, defineTool } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { memoryStore } from "agentchart/store/memory";
import { z } from "zod";
import { RunData } from "../../src/store/run-data.ts";
import { encodeStep } from "../../src/wire/step.ts";
import { choicesAt } from "../../src/store/run-queries.ts";
import { readGuard } from "../../src/why-not/guard-reads.ts";
import { edgesInto, edgeText, verdictText, whyNot, type Verdict } from "../../src/why-not/why-not.ts";
import { stored } from "../logic/told-run.ts";
import { index, observed, runOf } from "../map/mapped.ts";

const look = defineTool({
  name: "look",
  description: "Looks.",
  input: z.object({ n: z.number() }),
  execute: () => "seen",
});
const pay = defineTool({
  name: "pay",
  description: "Pays.",
  input: z.object({ n: z.number() }),
  permission: "ask",
  execute: () => "paid",
});
const looks = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ calls: [{ id: `look${n}`, name: "look", input: { n } }] }));

const agentOf = (more: object = {}) =>
  createAgent({
    name: "looker",
    sessionId: "s",
    maxIters: 7,
    tools: [look, pay],
    model: scriptedModel([...looks(3), { calls: [{ id: "p", name: "pay", input: { n: 1 } }] }, "Done."]),
    ...more,
  });
const run = () => observed(agentOf(), (agent) => agent.call("Look."));

const into = (all: RunData, state: string, step = all.last): readonly Verdict[] =>
  whyNot(all, index, edgesInto(index, state), step, readGuard);

describe("Why not a state", () => {
  test("says that the limit of iterations was not reached, with the values that the guard read, first", async () => {
    const [nearest] = into(await run(), "agent.summarizing");
    expect(nearest).toMatchObject({
      kind: "false",
      edge: { guard: { name: expect.stringMatching(/^maxIters\b/) } },
    });
    const reads =
      nearest?.kind === "false"
        ? Object.fromEntries(nearest.reads.map(({ path, value }) => [path, value]))
        : {};
    expect(reads).toMatchObject({ "settings.maxIters": "7" });
    expect(Number(reads["progress.iteration"])).toBeLessThan(7);
    expect(verdictText(nearest!)).toMatch(/^In step \d+ its guard maxIters\b.* was false\.$/);
    expect(edgeText(nearest!.edge)).toMatch(/^reasoning\.checkingLimits: \[maxIters\b.*\] → summarizing/);
  });

  test("says which guard held before it, or that the run was never there", async () => {
    const all = await run();
    const verdicts = into(all, "agent.acting.executing");
    const last = verdicts.find(({ edge }) => edge.source === "agent.acting.authorizing");
    expect(last).toMatchObject({ kind: "later", before: { guard: { name: "needsApproval" } } });
    expect(last && verdictText(last)).toContain("needsApproval held, which is asked before it");
    const [never] = into(all, "agent.reasoning.compacting.calling.aborting");
    expect(verdictText(never!)).toMatch(/has not been in reasoning\.compacting/);
  });

  test("does not say of steps that are not loaded that the run was not there", async () => {
    const all = await run();
    const late = new RunData();
    const items = [all.last - 1, all.last].map((step) => encodeStep(all.at(step)!));
    late.add({ runId: "r", states: all.states, items, total: all.last, first: 1 });
    const [never] = into(late, "agent.reasoning.compacting.calling.aborting");
    expect(verdictText(never!)).toContain(
      `since step ${all.last - 1}; the steps before it were not searched.`,
    );
  });

  test("judges the newest decision up to the displayed step, and none that comes later", async () => {
    const all = await run();
    const late = Array.from({ length: all.last }, (_, at) => at + 1).flatMap((step) =>
      into(all, "agent.suspended", step).filter((verdict) => "step" in verdict && verdict.step > step),
    );
    expect(late).toEqual([]);
  });
});

describe("Why not an edge", () => {
  test("agrees with every decision of a run: what was taken, what was false before it, and what was not asked", async () => {
    const all = await run();
    let read = 0;
    for (let step = all.first; step <= all.last; step++) {
      for (const { edges } of choicesAt(all, index, step).choices) {
        const taken = edges.at(-1)!.edge;
        const notTaken = edges.slice(0, -1).map(({ edge }) => edge);
        if (edges.at(-1)!.is !== "taken") continue; // a state inside of the one that took an edge
        const isNewest =
          all
            .at(step)!
            .edges.findLast(
              (id) =>
                index.edges.get(id)?.source === taken.source && index.edges.get(id)?.event === taken.event,
            ) === taken.id;
        if (!isNewest) continue; // the same decision was passed twice in the step
        const verdicts = whyNot(all, index, [taken, ...notTaken], step, readGuard);
        expect(verdicts.map(({ kind }) => kind)).toEqual([...notTaken.map(() => "false"), "taken"]);
        read += verdicts.filter((verdict) => verdict.kind === "false" && verdict.reads.length > 0).length;
      }
    }
    expect(read).toBeGreaterThan(10);
  });

  test("shows no value of a stored run's settings, which are not stored", async () => {
    const store = memoryStore();
    await observed(agentOf({ store }), (agent) => agent.call("Look."));
    const [nearest] = into(runOf((await stored(store, "s")).log), "agent.summarizing");
    expect(nearest).toMatchObject({
      kind: "false",
      edge: { guard: { name: expect.stringMatching(/^maxIters\b/) } },
      reads: [],
    });
  });
});
