import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Agent, SessionStore } from "agentchart";
import { agentChart } from "../../../machines/agent/known-chart.ts";
import { WatchedRun } from "../../../src/inspect/client/watched-run.ts";
import { exportRun } from "../../../src/inspect/hub/http-app.ts";
import { openFile } from "../../../src/inspect/hub/file-run.ts";
import { StoreRuns } from "../../../src/inspect/hub/store-runs.ts";
import { RunSuspicions } from "../../../src/inspect/hub/run-suspicions.ts";
import { RunLog } from "../../../src/inspect/hub/run-log.ts";
import type { RunRow } from "../../../src/inspect/protocol/protocol.ts";
import { keptSteps } from "../../../test/inspect/client/kept-steps.ts";
import { indexChart } from "../../src/logic/chart-index.ts";
import { endOfTurn, outcomeOf } from "../../src/logic/outcome.ts";
import { isFailure, usageOf } from "../../src/logic/step-notes.ts";
import { titleOf } from "../../src/logic/step-title.ts";
import { RunData } from "../../src/store/run-data.ts";
import { workLog } from "../../src/store/work-log.ts";

const own = agentChart();
const index = indexChart(own.chart);

/** What a page tells of a run: its steps in words, what took how long, and how it came out. */
export function told(log: RunLog, row: RunRow) {
  const run = new RunData();
  run.add(log.page(1, log.last));
  const works = workLog(run, index);
  const steps = Array.from({ length: run.last }, (_, place) => {
    const step = run.at(place + 1)!;
    const { number, elapsed, by, edges } = step;
    return {
      number,
      ...titleOf(step, works.endedAt(number), works.begunAt(number)),
      states: run.statesAt(number).at(-1),
      elapsed,
      by,
      edges,
      usage: usageOf(step),
      hasFailed: isFailure(step),
      end: endOfTurn(run.contextAt(number)),
    };
  });
  const took = works.works.map(({ id: _, ...work }) => work);
  const { steps: count, startedAt, updatedAt, reason, phase, error, title, state, usage } = row;
  const suspicions = new RunSuspicions().of(log);
  const end = { count, startedAt, updatedAt, reason, phase, error, title, state, usage };
  return { steps, took, suspicions, end: { ...end, outcome: outcomeOf(row).label } };
}

export type Told = ReturnType<typeof told>;

/** Watches an agent as an inspector does, and the next one of its session. */
export function watched(agent: Agent): {
  attach(next: Agent): void;
  told(): { readonly log: RunLog; readonly row: RunRow };
} {
  const run = new WatchedRun("s", () => {});
  run.attach(agent);
  return {
    attach: (next) => run.attach(next),
    told() {
      run.write();
      const log = new RunLog("s");
      const { history } = run;
      for (const ids of history.states) log.stateOf(ids);
      for (const step of keptSteps(history)) log.add(step);
      return { log, row: run.report({ id: "w", pid: 1, host: "h" } as never).row };
    },
  };
}

/** Reads a session from its store as the hub does. */
export async function stored(store: SessionStore, id: string): Promise<{ log: RunLog; row: RunRow }> {
  return (await new StoreRuns(store).open(id))!;
}

/** Exports a run to a file, and opens the file. */
export async function exported({
  log,
  row,
}: {
  log: RunLog;
  row: RunRow;
}): Promise<{ log: RunLog; row: RunRow }> {
  const dir = mkdtempSync(join(tmpdir(), "agentchart-told-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, "run.ndjson");
  const run = { row, log, pending: [], blob: () => undefined, blobs: () => [] };
  writeFileSync(path, [...exportRun(run, own.chart)].join(""));
  const { run: opened } = await openFile(path);
  return { log: opened.log, row: opened.row };
}
