// Processes that move sessions and work on them are killed with SIGKILL. The ledger of what was acknowledged is outside of them.
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { partitionedStore } from "../../src/store/partitioned.ts";
import { openStore, type StoreSpec } from "../support/open-store.ts";
import { startPostgres } from "../support/postgres.ts";
import { partitionsOf, stayingAndMoving } from "./ledger.ts";
import { scratch } from "./scratch.ts";

const SOAK = process.env["SOAK"] === "1";
const PROGRAM = fileURLToPath(new URL("partition-process.ts", import.meta.url));
const IDS = stayingAndMoving(2, 6);
/** The operations at which a mover is killed; each mover begins where the one before has ended. */
const KILLS = SOAK ? Array.from({ length: 40 }, (_, n) => 5 + ((n * 17) % 90)) : [31];

type Told = {
  readonly put?: string;
  readonly wrote?: string;
  readonly seq?: number;
  readonly sessionId: string;
  readonly done?: true;
};

const server = await startPostgres();
const { dir, remove } = scratch();
afterAll(async () => {
  await server?.stop();
  remove();
});

type Cell = readonly [name: string, specs: readonly StoreSpec[]];
const sqlite = (): Cell => [
  "SQLite",
  ["a", "b"].map((name) => ({ kind: "sqlite", path: join(dir, `${name}.db`) })),
];
const postgres = ({ connectionString }: { readonly connectionString: string }): Cell => [
  "Postgres",
  ["a", "b"].map((schema) => ({ kind: "postgres", connectionString, schema })),
];
const cells = [...(server ? [postgres(server)] : []), ...(SOAK || !server ? [sqlite()] : [])];

test.each(cells)("movers and workers are killed in %s, and nothing is lost or doubled", async (_, specs) => {
  const [former, next] = [await openStore(specs[0]!), await openStore(specs[1]!)];
  onTestFinished(() => Promise.all([former.close(), next.close()]).then(() => {}));
  const told: Told[] = [];
  const start = (role: string, killAt: number) => {
    const args = [role, ...specs.map((spec) => JSON.stringify(spec)), String(killAt), ...IDS];
    const child = fork(PROGRAM, args, { execArgv: ["--conditions=agentchart-source"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    child.on("message", (message: Told) => told.push(message));
    return child;
  };
  const isDone = () => told.some(({ done }) => done);
  /** Waits until so many more things were acknowledged. */
  const progress = async (more: number): Promise<void> => {
    const until = told.length + more;
    await expect.poll(() => told.length, { interval: 10 }).toBeGreaterThanOrEqual(until);
  };
  let worker = start("work", 0);
  await progress(40);
  for (const killAt of KILLS) {
    await once(start("move", killAt), "exit");
    await progress(20);
    worker.kill("SIGKILL");
    await once(worker, "exit");
    worker = start("work", 0);
    await progress(10);
  }
  const moverEnded = once(start("move", 0), "exit"); // it may end before anybody looks again
  await expect.poll(isDone, { interval: 20 }).toBe(true);
  await moverEnded;
  worker.kill("SIGKILL");
  await once(worker, "exit");
  await once(start("finish", 0), "exit");

  const store = partitionedStore(partitionsOf(former, next, false));
  for (const sessionId of IDS) {
    const read: string[] = [];
    for await (const { seq, data } of store.read(sessionId)) expect(read.push(String(data["id"]))).toBe(seq);
    expect(new Set(read).size).toBe(read.length);
    for (const { wrote, seq, sessionId: of } of told)
      if (of === sessionId && wrote) expect(read[seq! - 1]).toBe(wrote);
    const waiting = (await store.takeInputs(sessionId, 100_000)).map(({ id }) => id);
    expect(waiting.filter((id) => read.includes(id))).toEqual([]);
    const put = told.flatMap((each) => (each.sessionId === sessionId && each.put ? [each.put] : []));
    for (const id of put) expect([...read, ...waiting], id).toContain(id);
    for (const id of read) expect(await store.putInput(sessionId, { id, data: {} })).toBe("duplicate");
  }
  expect((await former.list()).sessions.map(({ sessionId }) => sessionId)).toEqual(
    [...IDS.slice(0, 2)].toSorted(),
  );
});
