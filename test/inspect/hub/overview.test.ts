// Many runs at once: the figures of an overview, the runs behind each, and that each session is read once.
import { createAgent, type SessionStore } from "agentchart";
import { overviewOf, type Overview } from "agentchart/inspect";
import { addLabel } from "agentchart/evals";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { expect, test } from "vitest";
import { LiveRuns } from "../../../src/inspect/hub/live-runs.ts";
import { Overviews } from "../../../src/inspect/hub/overviews.ts";
import { RunSuspicions } from "../../../src/inspect/hub/run-suspicions.ts";
import { Runs } from "../../../src/inspect/hub/runs.ts";
import { StoreRuns } from "../../../src/inspect/hub/store-runs.ts";
import type { OverviewFigure } from "../../../src/inspect/protocol/overview.ts";
import type { RunRow } from "../../../src/inspect/protocol/protocol.ts";
import { toolOf } from "../../support/agents.ts";
import { ask, testHome, testHub } from "../../support/hub-page.ts";
import { get } from "../../support/stored-runs.ts";

const PRICES = { scripted: { input: 1_000_000, output: 0 } };
const USAGE = { inputTokens: 10, outputTokens: 5 };

/** A stored session of a clerk: `slow` takes 40 ms of its clock, `bad` fails. */
async function play(store: SessionStore, sessionId: string, turns: readonly ScriptedTurn[]): Promise<void> {
  const agent = createAgent({
    name: "clerk",
    store,
    sessionId,
    model: scriptedModel(
      turns.map((turn) => (typeof turn === "string" ? { text: turn, usage: USAGE } : turn)),
    ),
    tools: [
      toolOf("slow", () => "ok"),
      toolOf("bad", () => {
        throw new Error("No.");
      }),
    ],
    modelOptions: { prices: PRICES },
  });
  await agent.call("Do it.").catch(() => {});
  await agent.close();
}

const call = (...names: readonly string[]): ScriptedTurn => ({
  calls: names.map((name) => ({ name, input: {} })),
  usage: USAGE,
});

/** Three sessions that are answered, of which two call tools, and one whose model fails. */
async function threeAndOne(store: SessionStore): Promise<void> {
  await play(store, "plain", ["Done."]);
  await play(store, "tools", [call("slow", "bad"), "Done."]);
  await play(store, "loop", [call("bad"), call("bad"), call("bad"), "Done."]);
  await play(store, "broken", []);
}

test("an overview has outcomes, tools, edges, usage and suspicions, and each figure leads to its runs", async () => {
  const store = memoryStore();
  await threeAndOne(store);
  await addLabel(store, { sessionId: "loop", label: "wrong", by: "ada", note: "It asks again and again." });
  const hub = await testHub({ home: testHome(), store });
  const read = () => get<Overview>(hub, "/api/overview");
  await expect.poll(read).toMatchObject({ left: 0 }); // a slow machine reads them in more than one request
  const overview = await read();
  expect(overview).toMatchObject({ runs: 4, left: 0, omitted: 0, labels: [{ label: "wrong", runs: 1 }] });
  expect(overview).toEqual(await overviewOf(store));
  expect(overview.outcomes).toEqual([
    { outcome: "answered", runs: 3 },
    { outcome: "failed", runs: 1 },
  ]);
  const [bad, slow] = overview.tools;
  expect(bad).toMatchObject({ tool: "bad", runs: 2, calls: 4, failed: 4, failedRuns: 2 });
  expect(slow).toMatchObject({ tool: "slow", runs: 1, calls: 1, failed: 0, failedRuns: 0 });
  expect(slow!.p50).toBeGreaterThanOrEqual(0);
  expect(slow!.p95).toBe(slow!.p50);
  expect(overview.suspicions).toContainEqual({ kind: "repeated-call", runs: 1 });
  // plain: 1 answer; tools: 2; loop: 4; broken: none, so nothing is known of it
  expect(overview.usage).toMatchObject({ inputTokens: 70, outputTokens: 35 });
  expect(overview.usage.cost).toBeCloseTo(70);
  expect(overview.periods.reduce((sum, { runs }) => sum + runs, 0)).toBe(4);
  const begun = overview.edges.find(({ runs, times }) => runs === 4 && times === 4);
  expect(begun).toBeDefined();

  const behind = async (figure: OverviewFigure): Promise<readonly string[]> => {
    const [[by, value] = ["", ""]] = Object.entries(figure);
    const path = `/api/overview/runs?by=${by}&value=${encodeURIComponent(value)}`;
    const { rows } = await get<{ readonly rows: readonly RunRow[] }>(hub, path);
    return rows.map(({ runId }) => runId).toSorted();
  };
  expect(await behind({ outcome: "failed" })).toEqual(["broken"]);
  expect(await behind({ tool: "slow" })).toEqual(["tools"]);
  expect(await behind({ failed: "bad" })).toEqual(["loop", "tools"]);
  expect(await behind({ suspicion: "repeated-call" })).toEqual(["loop"]);
  expect(await behind({ label: "wrong" })).toEqual(["loop"]);
  expect(await behind({ edge: begun!.edge })).toEqual(["broken", "loop", "plain", "tools"]);
  const inPeriods = await Promise.all(overview.periods.map(({ at }) => behind({ period: at })));
  expect(inPeriods.flat().toSorted()).toEqual(["broken", "loop", "plain", "tools"]);

  const found = await get<Overview>(hub, "/api/overview?outcome=answered&tool=bad");
  expect(found).toMatchObject({ runs: 2, outcomes: [{ outcome: "answered", runs: 2 }] });
  for (const wrong of [
    "/api/overview?since=x",
    "/api/overview/runs?by=colour&value=red",
    "/api/overview/runs?by=tool",
  ])
    expect((await ask(hub, wrong)).status, wrong).toBe(400);
});

test("a session is read once for each state of it, in as much time as is given, and the rest is told", async () => {
  const inner = memoryStore();
  const read: string[] = [];
  const store: SessionStore = {
    ...inner,
    read: (sessionId, options) => {
      if (!options?.after) read.push(sessionId);
      return inner.read(sessionId, options);
    },
  };
  await threeAndOne(inner);
  await overviewOf(inner); // the search index reads too
  const suspicions = new RunSuspicions();
  const stored = new StoreRuns(store);
  const runs = new Runs(new LiveRuns(() => {}), new Map(), { stored, suspicions });
  const overviews = new Overviews(runs, suspicions);
  const digested = (): readonly string[] => read.splice(0).toSorted();
  expect(await overviews.overview({}, 0)).toMatchObject({ runs: 0, left: 4 });
  digested();
  expect(await overviews.overview({}, 60_000)).toMatchObject({ runs: 4, left: 0 });
  expect(digested()).toEqual(["broken", "loop", "plain", "tools"]);
  await play(inner, "plain", ["Again."]);
  expect(await overviews.overview({ agent: "clerk" }, 60_000)).toMatchObject({ runs: 4, left: 0 });
  expect(digested()).toEqual(["plain"]);
  expect(await overviews.overview({ agent: "clerk" }, 0)).toMatchObject({ runs: 4, left: 0 });
  expect(digested()).toEqual([]);
});
