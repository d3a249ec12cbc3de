// Sessions of a process that died are taken over at once where that is certain.
import { fork, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { createAgent, type SessionStore } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { newOwner } from "../../src/store/leases.ts";
import { toolOf } from "../support/agents.ts";
import { openStore, type StoreSpec } from "../support/open-store.ts";
import { NO_POSTGRES, startPostgres } from "../support/postgres.ts";
import { scratch } from "../store/scratch.ts";

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
      schema: `dead_${++count}`,
    }),
  }),
};

const LONG = 3_600_000;
const children: ChildProcess[] = [];
const stores: SessionStore[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  for (const store of stores.splice(0)) await store.close();
});

async function opened(spec: StoreSpec): Promise<SessionStore> {
  const store = await openStore(spec);
  stores.push(store);
  return store;
}

/** Starts a process that is in a tool of session `s`. */
async function startHolder(spec: StoreSpec): Promise<ChildProcess> {
  const program = join(import.meta.dirname, "dead-holder.ts");
  const execArgv = ["--conditions=agentchart-source"];
  const child = fork(program, [JSON.stringify(spec)], {
    execArgv,
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  children.push(child);
  await once(child, "message");
  return child;
}

/** Starts a shell command that prints the id of a process; returns that id. */
async function pidOf(command: string): Promise<number> {
  const child = spawn("sh", ["-c", command], { stdio: ["ignore", "pipe", "ignore"] });
  children.push(child);
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return Number(String(line));
}

const statOf = (pid: number): readonly string[] => {
  const text = readFileSync(`/proc/${pid}/stat`, "latin1");
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
};
const startOf = (pid: number): string => statOf(pid)[19]!;

/** An owner as the process `pid` would have it. */
function ownerOf(
  pid: number,
  start: string,
  change: (machine: string) => string = (machine) => machine,
): string {
  const [host, , name, id, place] = newOwner("other").split(":");
  const other = id!.replace(/^./, (first) => (first === "0" ? "1" : "0"));
  return [host, pid, name, other, `${change(place!.split(".")[0]!)}.${start}`].join(":");
}

const nextOf = (store: SessionStore) => store.acquire("s", { owner: newOwner("next"), ttlMs: 1_000 });

const NO_PROC = "the system tells no process of another";
const isLinux = process.platform === "linux";
// oxlint-disable-next-line vitest/expect-expect -- says in the report what this machine cannot test
test.skipIf(isLinux)(NO_PROC, () => {});
// oxlint-disable-next-line vitest/expect-expect -- says in the report what this machine cannot test
test.skipIf(postgres)(NO_POSTGRES, () => {});

describe.skipIf(!isLinux).each(Object.entries(SPECS))("with a session in %s", (_, spec) => {
  test("the session of a process that was killed in a tool is due and goes on at once, with a lease of an hour", async () => {
    const used = spec();
    const child = await startHolder(used);
    const store = await opened(used);
    expect(await store.listDue({ before: Date.now() })).toEqual({ sessionIds: [] });
    expect(await nextOf(store)).toBeUndefined();
    expect((await store.holder!("s"))?.owner).toContain(`:${child.pid}:first:`);

    child.kill("SIGKILL");
    await once(child, "exit");
    expect(await store.holder!("s")).toBeUndefined();
    expect(await store.listDue({ before: Date.now() })).toEqual({ sessionIds: ["s"] });
    const agent = createAgent({
      name: "first",
      model: scriptedModel(["There"]),
      tools: [toolOf("wait", () => "Waited.")],
      store,
      sessionId: "s",
    });
    await agent.open();
    expect(await agent.messages()).toMatchObject([{ role: "user" }, { role: "assistant" }]);
    await agent.shutdown();
    const lease = await nextOf(store);
    expect(lease).toMatchObject({ fence: 3, takeovers: 0 });
  });

  test("a process that was stopped, not killed, keeps its session", async () => {
    const used = spec();
    const child = await startHolder(used);
    const store = await opened(used);
    child.kill("SIGSTOP");
    await expect.poll(() => statOf(child.pid!)[0]).toBe("T");
    expect(await nextOf(store)).toBeUndefined();
    expect(await store.listDue({ before: Date.now() })).toEqual({ sessionIds: [] });
    expect(await store.holder!("s")).toBeDefined();
  });

  test("a lease is taken over at once if its process is known to be dead, and counts as one that expired", async () => {
    const store = await opened(spec());
    const gone = spawn("true", { stdio: "ignore" });
    await once(gone, "exit");
    // the child ends only after the shell has become `sleep`: a shell would wait for it
    const zombie = await pidOf("until grep -q sleep /proc/$$/comm; do :; done & echo $!; exec sleep 3600");
    await expect.poll(() => statOf(zombie)[0]).toBe("Z");
    const dead = {
      "no process has the id": ownerOf(gone.pid!, startOf(process.pid)),
      "another process has the id": ownerOf(process.pid, String(Number(startOf(process.pid)) - 1)),
      "it was not waited for": ownerOf(zombie, startOf(zombie)),
    };
    for (const [why, owner] of Object.entries(dead)) {
      const former = (await store.acquire("s", { owner, ttlMs: LONG }))!;
      const lease = await nextOf(store);
      expect(lease, why).toMatchObject({ fence: former.fence + 1, takeovers: former.takeovers + 1 });
      await expect(store.renew(former, LONG), why).rejects.toMatchObject({ code: "session/lease-lost" });
      await store.release(lease!);
    }
  });

  test("a lease lasts as long as it says if its process may live", async () => {
    const store = await opened(spec());
    const gone = spawn("true", { stdio: "ignore" });
    await once(gone, "exit");
    const [pid, start] = [gone.pid!, startOf(process.pid)];
    const unclear = {
      "another machine": ownerOf(pid, start, (machine) =>
        machine.replace(/^./, (first) => (first === "0" ? "1" : "0")),
      ),
      "a machine that is not known": ownerOf(pid, start).split(":").slice(0, 4).join(":"),
      "another form": ownerOf(pid, "soon"),
      "this process": ownerOf(process.pid, start),
      "no process": ownerOf(0, start),
      "an id that no process can have": ownerOf(2 ** 40, start),
      "an owner of a caller": `worker ${pid}`,
    };
    for (const [why, owner] of Object.entries(unclear)) {
      const former = (await store.acquire("s", { owner, ttlMs: LONG }))!;
      expect(await nextOf(store), why).toBeUndefined();
      expect(await store.holder!("s"), why).toMatchObject({ owner });
      await store.release(former);
    }
  });
});
