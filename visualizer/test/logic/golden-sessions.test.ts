// Sessions of each release as runs.
import { memoryStore } from "agentchart/store/memory";
import { fileStore } from "agentchart/store/file";
import { cpSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { AgentConfig, SessionStore } from "agentchart";
import type { JournalEntry } from "agentchart/session";
import { agentChart } from "../../../machines/agent/known-chart.ts";
import { WatchedRun } from "../../../src/inspect/client/watched-run.ts";
import { JournalRun } from "../../../src/inspect/hub/journal-run.ts";
import { keptSteps } from "../../../test/inspect/client/kept-steps.ts";
import { finish, pausing, plannedAgent } from "../../../test/support/planned.ts";
import { indexChart, edgesLeaving } from "../../src/logic/chart-index.ts";
import { eventText, pathCoverage } from "../../src/logic/guards.ts";
import { titleOf } from "../../src/logic/step-title.ts";
import { workLog } from "../../src/store/work-log.ts";
import { RunData } from "../../src/store/run-data.ts";

const { chart } = agentChart();
const index = indexChart(chart);
const FIXTURES = join(import.meta.dirname, "../../../test/fixtures/sessions");

/** What the page keeps of a stored session. */
function stored(entries: Iterable<JournalEntry>): RunData {
  const journal = new JournalRun("golden", chart);
  for (const entry of entries) journal.add(entry);
  journal.settle();
  const run = new RunData();
  run.add(journal.log.page(1, journal.log.last));
  return run;
}

/** What the page keeps of a run of the planned agent. */
async function live(config: Partial<AgentConfig>): Promise<RunData> {
  const agent = plannedAgent({ sessionId: "golden", store: memoryStore(), ...config });
  const observed = new WatchedRun("golden", () => {});
  observed.attach(agent);
  await finish(agent);
  observed.write();
  const { states, last } = observed.history;
  const run = new RunData();
  run.add({ runId: "golden", states, items: keptSteps(observed.history), total: last, first: 1 });
  return run;
}

const journalOf = (name: string): readonly JournalEntry[] =>
  readFileSync(join(FIXTURES, name), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as JournalEntry);

async function entriesOf(store: SessionStore, id: string): Promise<readonly JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for await (const entry of store.read(id)) entries.push(entry);
  return entries;
}

async function storedInFiles(id: string): Promise<readonly JournalEntry[]> {
  const dir = mkdtempSync(join(tmpdir(), "agentchart-golden-"));
  cpSync(join(FIXTURES, "0.1.0/file"), dir, { recursive: true });
  const store = fileStore({ dir });
  onTestFinished(() => store.close());
  return entriesOf(store, id);
}

const sessions: { readonly [name: string]: () => Promise<readonly JournalEntry[]> } = {
  "v1.ndjson": () => Promise.resolve(journalOf("v1.ndjson")),
  idle: () => storedInFiles("idle"),
  suspended: () => storedInFiles("suspended"),
  unfinished: () => storedInFiles("unfinished"),
};

const numbersOf = (run: RunData): readonly number[] =>
  Array.from({ length: run.last }, (_, place) => place + 1);

/** The rows of decisions: those in the state of one, or without an event. */
const decisionRows = (run: RunData) =>
  numbersOf(run).flatMap((number) => {
    const event = eventText(run.at(number)!.event);
    const states = run.statesAt(number);
    const isDecision = states.some((id) => edgesLeaving(index, id) !== undefined);
    return isDecision || event === "(always)" ? [{ number, event, states }] : [];
  });

describe.each(Object.keys(sessions))("the session %s of release 0.1.0", (name) => {
  test("has no row of a decision", async () => {
    const run = stored(await sessions[name]!());
    expect(run.last).toBeGreaterThan(3);
    expect(decisionRows(run)).toEqual([]);
  });

  test("has a row for each append, which says that its steps are not known and how nothing came out", async () => {
    const run = stored(await sessions[name]!());
    const log = workLog(run, index);
    const [first, ...rows] = numbersOf(run).map((number) => {
      const step = run.at(number)!;
      return [step.event, titleOf(step, log.endedAt(number), log.begunAt(number)).title];
    });
    expect(first).toEqual(["xstate.init", "the run began"]);
    expect(rows).toEqual(rows.map(() => ["journal", "changes whose steps are not known"]));
    expect(log.works.filter(({ state }) => state === "stopped")).toEqual([]);
  });

  test("shows no edges, and the page knows of each change of state that its edges are not recorded", async () => {
    const run = stored(await sessions[name]!());
    for (const number of numbersOf(run)) {
      const [before, after] = [run.statesAt(number - 1), run.statesAt(number)];
      const { edges } = run.at(number)!;
      expect(edges).toEqual([]);
      const isSame = before.length === 0 || before.join() === after.join();
      expect(pathCoverage(index, before, edges, after)).toBe(isSame ? "full" : "none");
    }
  });
});

test("a session of this release has its edges recorded at each change of state", async () => {
  const store = memoryStore();
  await finish(plannedAgent({ sessionId: "golden", store }));
  const run = stored(await entriesOf(store, "golden"));
  expect(numbersOf(run).flatMap((number) => run.at(number)!.edges).length).toBeGreaterThan(20);
  for (const number of numbersOf(run)) {
    const [before, after] = [run.statesAt(number - 1), run.statesAt(number)];
    expect(pathCoverage(index, before, run.at(number)!.edges, after), `step ${number}`).toBe("full");
  }
});

test("a turn with calls, an approval and an external result has 26 rows, none of a decision", async () => {
  const run = await live({});
  expect(decisionRows(run)).toEqual([]);
  expect(run.last).toBe(26);
});

test("a turn with hooks at every point that reaches its limit has 17 rows, none of a decision", async () => {
  const run = await live({ hooks: [pausing], maxIters: 1 });
  expect(decisionRows(run)).toEqual([]);
  expect(run.last).toBe(17);
});
