// What a process gives back when it ends.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createAgent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { NO_POSTGRES, startPostgres } from "../support/postgres.ts";
import { openStore, type StoreSpec } from "../support/open-store.ts";
import { scratch } from "../store/scratch.ts";
import type { Ending } from "./leaver.ts";

const postgres = await startPostgres();
const { dir, remove } = scratch();
afterAll(async () => {
  await postgres?.stop();
  remove();
});

let count = 0;
const SPECS: { readonly [name: string]: () => StoreSpec } = {
  files: () => ({ kind: "file", dir: join(dir, `${++count}`) }),
  SQLite: () => ({ kind: "sqlite", path: join(dir, `${++count}.db`) }),
  ...(postgres && {
    Postgres: () => ({
      kind: "postgres",
      connectionString: postgres.connectionString,
      schema: `leave_${++count}`,
    }),
  }),
};

/** Runs a program that opens session `s` and ends in this way; returns how many holders before the next one did not release it. */
async function takeoversAfter(spec: StoreSpec, ending: Ending): Promise<number | undefined> {
  const program = join(import.meta.dirname, "leaver.ts");
  const args = ["--conditions=agentchart-source", program, JSON.stringify([spec, ending])];
  const child = spawn(process.execPath, args, { stdio: "ignore" });
  const [code] = (await once(child, "exit")) as [number];
  expect(code).toBe(ending.includes("0") || ending === "nothing left" ? 0 : 1);
  const store = await openStore(spec);
  try {
    expect((await store.load("s"))?.seq).toBeGreaterThan(0);
    return (await store.acquire("s", { owner: "next", ttlMs: 0 }))?.takeovers;
  } finally {
    await store.close();
  }
}

describe.each(Object.entries(SPECS))("a process that ends, with a session in %s", (name, spec) => {
  test("gives its session back when it has nothing left to do", async () => {
    const used = spec();
    expect(await takeoversAfter(used, "nothing left")).toBe(0);
    const store = await openStore(used);
    const agent = createAgent({ name: "next", model: scriptedModel(["There"]), store, sessionId: "s" });
    expect((await agent.call("Again")).text).toBe("There");
    expect(await agent.messages()).toHaveLength(4);
    await agent.close();
    await store.close();
  });

  // A store behind a network has no time to answer between `process.exit()` and the end.
  test.skipIf(name === "Postgres").each(["exit 0", "exit 1", "exit 0 in a turn"] satisfies Ending[])(
    "gives its session back at %s",
    async (ending) => expect(await takeoversAfter(spec(), ending)).toBe(0),
  );

  test.each(["exit 1 in a turn", "throw in a turn"] satisfies Ending[])(
    "does not release its lease at %s, so that the turn counts as one that a process died of",
    async (ending) => expect(await takeoversAfter(spec(), ending)).toBe(1),
  );
});

// oxlint-disable-next-line vitest/expect-expect -- says in the report what this machine cannot test
test.skipIf(postgres)(NO_POSTGRES, () => {});
