// The overview of many runs asks its store for each session once, for the list in pages, and keeps little of each run.
import { join } from "node:path";
import { createAgent, type SessionStore } from "agentchart";
import { exportSession, importSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { sqliteStore } from "agentchart/store/sqlite";
import { scriptedModel } from "agentchart/testing";
import { expect, onTestFinished, test } from "vitest";
import { LiveRuns } from "../../../src/inspect/hub/live-runs.ts";
import { Overviews } from "../../../src/inspect/hub/overviews.ts";
import { RunSuspicions } from "../../../src/inspect/hub/run-suspicions.ts";
import { Runs } from "../../../src/inspect/hub/runs.ts";
import { StoreRuns } from "../../../src/inspect/hub/store-runs.ts";
import { toolOf } from "../../support/agents.ts";
import { heapBytes } from "../../support/heap-bytes.ts";
import { scratch } from "../../store/scratch.ts";

/** As many as an overview sums up, with SOAK=1. */
const SESSIONS = process.env["SOAK"] === "1" ? 10_000 : 300;
const ROWS_PER_PAGE = 500;
/** What a run may leave in the heap: its digest, and the row of the list while others are read. */
const MAX_BYTES_A_RUN = 8_000;

/** A session of two turns with three calls, as lines of an export. */
async function oneSession(): Promise<readonly string[]> {
  const store = memoryStore();
  const look = toolOf("look", () => "found");
  const calls = { calls: [{ name: "look", input: {} }] };
  const model = scriptedModel([calls, calls, "Done.", calls, "Done again."]);
  const agent = createAgent({ name: "clerk", store, sessionId: "one", model, tools: [look] });
  await agent.call("Look twice.");
  await agent.call("Once more.");
  await agent.close();
  const lines: string[] = [];
  for await (const line of exportSession(store, "one", { secrets: true })) lines.push(line);
  return lines;
}

test(
  `an overview of ${SESSIONS} runs reads each session once, and lists them in pages`,
  { timeout: 3_600_000 },
  async () => {
    const { dir, remove } = scratch();
    const inner = sqliteStore({ path: join(dir, "s.db") });
    onTestFinished(async () => {
      await inner.close?.();
      remove();
    });
    const lines = await oneSession();
    for (let n = 0; n < SESSIONS; n++) await importSession(inner, lines, { sessionId: `run-${n}` });
    const asked = { search: 0, read: 0, load: 0, list: 0 };
    const store: SessionStore = {
      ...inner,
      search: (query) => (asked.search++, inner.search!(query)),
      read: (id, options) => (asked.read++, inner.read(id, options)),
      load: (id) => (asked.load++, inner.load(id)),
      list: (filter) => (asked.list++, inner.list(filter)),
    };
    const suspicions = new RunSuspicions();
    const stored = new StoreRuns(store);
    const overviews = new Overviews(
      new Runs(new LiveRuns(() => {}), new Map(), { stored, suspicions }),
      suspicions,
    );
    while (((await stored.list({ except: [], limit: 1 })).unindexed ?? 0) > 0); // the index of the store reads each session too
    for (const name of ["search", "read", "load", "list"] as const) asked[name] = 0;
    const before = await heapBytes();
    const overview = await overviews.overview({}, Infinity);
    const kept = (await heapBytes()) - before;
    expect(overview).toMatchObject({ runs: SESSIONS, left: 0, omitted: 0 });
    expect(overview.tools).toMatchObject([{ tool: "look", runs: SESSIONS, calls: 3 * SESSIONS }]);
    expect(asked.read).toBe(SESSIONS);
    expect(asked.search).toBeLessThanOrEqual(Math.ceil(SESSIONS / ROWS_PER_PAGE) + 1);
    expect(asked.load + asked.list).toBeLessThanOrEqual(2);
    expect(kept / SESSIONS).toBeLessThan(MAX_BYTES_A_RUN);
    // a second look reads nothing again
    asked.read = 0;
    expect(await overviews.overview({ agent: "clerk" }, Infinity)).toMatchObject({ runs: SESSIONS, left: 0 });
    expect(asked.read).toBe(0);
  },
);
