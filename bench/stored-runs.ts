import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent, type JsonObject } from "agentchart";
import { startHub } from "agentchart/inspect";
import type { JournalEntry, SessionStore } from "agentchart/session";
import { fileStore } from "agentchart/store/file";
import { postgresStore } from "agentchart/store/postgres";
import { sqliteStore } from "agentchart/store/sqlite";
import { scriptedModel } from "agentchart/testing";
import { startPostgres } from "../test/support/postgres.ts";
import { median } from "./cpu.ts";

const [LEASE_MS, TIMES] = [60_000, 15];
const CITIES = ["Berlin", "Lisbon", "Nairobi", "Oslo", "Quito", "Seoul", "Tunis", "Vienna"];

/** How long the inspector's hub takes to answer, ms: medians by what it is asked. */
export type StoredRuns = { readonly [asked: string]: number };

/** What the hub is asked. Every run has the common word, an eighth has a city, one has its number. */
const ASKED: { readonly [asked: string]: string } = {
  "the newest 100 runs": "limit=100",
  "a word of one run": "limit=100&q=order-4321",
  "a word of an eighth of all runs": "limit=100&q=Nairobi",
  "a word of all runs": "limit=100&q=delivered",
  "a filter without a word": "limit=100&outcome=answered&agent=clerk",
};

/** Stores so many sessions, each of one turn and with texts of its own, and asks a hub for them. */
async function measure(store: SessionStore, runs: number): Promise<StoredRuns> {
  const agent = createAgent({
    name: "clerk",
    model: scriptedModel(["It was delivered."]),
    store,
    sessionId: "s",
  });
  await agent.call("Where is ORDER to CITY?");
  await agent.close();
  const entries: JournalEntry[] = [];
  for await (const entry of store.read("s")) entries.push(entry);
  const { position } = (await store.load("s"))!;
  const text = JSON.stringify(entries);
  for (let index = 0; index < runs; index++) {
    const own = text.replaceAll("ORDER", `order-${index}`).replaceAll("CITY", CITIES[index % CITIES.length]!);
    const sessionId = `run-${index}`;
    const lease = (await store.acquire(sessionId, { owner: "bench", ttlMs: LEASE_MS }))!;
    await store.append(sessionId, {
      expectedSeq: 0,
      fence: lease.fence,
      entries: JSON.parse(own) as JournalEntry[],
      position,
    });
    await store.release(lease);
  }
  const home = mkdtempSync(join(tmpdir(), "agentchart-bench-"));
  const hub = await startHub({ store, home });
  const ask = async (query: string): Promise<JsonObject> => {
    const answer = await fetch(`${hub.url}/api/runs?${query}`, {
      headers: { authorization: `Bearer ${hub.token}` },
    });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    return (await answer.json()) as JsonObject;
  };
  while (Number((await ask("q=delivered"))["unindexed"] ?? 0) > 0)
    await new Promise((r) => setTimeout(r, 50));
  const medians: { [asked: string]: number } = {};
  for (const [asked, query] of Object.entries(ASKED)) {
    const times: number[] = [];
    for (let round = 0; round < TIMES; round++) {
      const begun = performance.now();
      const { rows } = await ask(query);
      times.push(performance.now() - begun);
      if (!Array.isArray(rows) || rows.length === 0) throw new Error(`No runs for ${query}`);
    }
    medians[asked] = median(times);
  }
  await hub.close();
  rmSync(home, { recursive: true, force: true });
  return medians;
}

/** Measures each store that runs here with so many stored runs. */
export async function storedRuns(runs: number): Promise<{ readonly [store: string]: StoredRuns }> {
  const folder = mkdtempSync(join(tmpdir(), "agentchart-bench-"));
  const postgres = await startPostgres();
  const stores: { readonly [name: string]: () => SessionStore } = {
    SQLite: () => sqliteStore({ path: join(folder, "sessions.sqlite") }),
    files: () => fileStore({ dir: join(folder, "sessions") }),
    ...(postgres && { Postgres: () => postgresStore({ connectionString: postgres.connectionString }) }),
  };
  const measured: { [store: string]: StoredRuns } = {};
  for (const [name, open] of Object.entries(stores)) {
    const store = open();
    measured[name] = await measure(store, runs);
    await store.close();
  }
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
  return measured;
}
