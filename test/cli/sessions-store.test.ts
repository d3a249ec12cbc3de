import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { openSession, type Moment, type SessionInfo } from "agentchart/session";
import { openStore } from "../../src/cli/open-store.ts";
import { agentchart } from "./agentchart.ts";
import { jsonLines, lastLine, openDesk, STORES, type Desk } from "./desk.ts";

// Every test starts processes, on machines that are busy with other tests.
vi.setConfig({ testTimeout: 120_000 });

type Shown = Moment & { readonly sessionId: string; readonly positions: readonly number[] };

async function shown(desk: Desk, sessionId: string, ...args: readonly string[]): Promise<Shown> {
  const finished = await desk.sessions("show", ...args, "--", sessionId);
  expect(finished).toMatchObject({ code: 0, stderr: "" });
  return jsonLines<Shown>(finished)[0]!;
}

const idsOf = (infos: readonly SessionInfo[]): string[] => infos.map(({ sessionId }) => sessionId);

describe.each(STORES)("A %s store", (kind, storeIn) => {
  test("is listed as JSON lines: all of it, by prefix, by phase, so many", async () => {
    const desk = await openDesk(storeIn);
    await Promise.all([desk.run("a-1", "Hi"), desk.run("a-2", 'pay {"euros":1}'), desk.run("b-1", "Hi")]);
    const listed = async (...args: readonly string[]) =>
      idsOf(jsonLines<SessionInfo>(await desk.sessions("ls", ...args)));
    const all = await desk.sessions("ls");
    expect(all.stderr).toBe("");
    expect(jsonLines(all)).toMatchObject([
      { sessionId: "a-1", phase: "stopped", waitsFor: [] },
      { sessionId: "a-2", phase: "suspended", waitsFor: ["approval"] },
      { sessionId: "b-1", phase: "stopped" },
    ]);
    expect(await listed("--prefix", "a-")).toEqual(["a-1", "a-2"]);
    expect(await listed("--phase", "suspended")).toEqual(["a-2"]);
    expect(await listed("--limit", "2")).toEqual(["a-1", "a-2"]);
  });

  test("shows a session as it stood, and forks it there", async () => {
    const desk = await openDesk(storeIn);
    await desk.run("trip", "Where to?");
    await desk.run("trip", "And then?");
    const now = await shown(desk, "trip");
    const [, firstAnswer] = now.positions as [number, number];
    const then = await shown(desk, "trip", "--at", String(firstAnswer));
    expect(then.messages).toEqual(now.messages.slice(0, 2));
    expect([then.seq, now.messages.length]).toEqual([firstAnswer, 4]);

    const forked = await desk.sessions("fork", "trip", "--at", String(firstAnswer), "--as", "other");
    expect([forked.code, forked.stderr]).toEqual([0, ""]);
    expect(jsonLines(forked)).toEqual([
      { sessionId: "other", forkedFrom: "trip", at: firstAnswer, runsAgain: [] },
    ]);
    expect(await desk.run("other", "Or home?")).toMatchObject({ code: 0, stdout: "Answer 2\n" });
    expect(desk.told()).toEqual(["user: Where to?", "assistant: Answer 1", "user: Or home?"]);
    expect(await shown(desk, "trip")).toEqual(now);
  });

  test("forks a session while a call waits, which the fork can answer otherwise", async () => {
    const desk = await openDesk(storeIn);
    await desk.run("till", 'pay {"euros":7}');
    const { seq } = await shown(desk, "till");
    const forked = await desk.sessions("fork", "till", "--at", String(seq));
    const [{ sessionId, runsAgain }] = jsonLines<{ sessionId: string; runsAgain: object[] }>(forked) as [
      { sessionId: string; runsAgain: object[] },
    ];
    expect(runsAgain).toMatchObject([{ callId: "call_1", name: "pay" }]);
    expect((await desk.resume("till", "--approve", "call_1")).stdout).toBe("It says: paid 7\n");
    expect((await desk.resume(sessionId, "--deny", "call_1")).stdout).toMatch(/^It says: .*denied/);
    expect(desk.ledger()).toEqual(["pay 7"]);
  });

  test("refuses a fork at a position that never was, onto a session that is there, or of none", async () => {
    const desk = await openDesk(storeIn);
    await desk.run("a", "Hi");
    await desk.run("b", "Hi");
    const forks = await Promise.all([
      desk.sessions("fork", "a", "--at", "999"),
      desk.sessions("fork", "a", "--at", "1", "--as", "b"),
      desk.sessions("fork", "c", "--at", "1"),
    ]);
    expect(forks.map(({ code, stdout }) => [code, stdout])).toEqual([1, 1, 1].map((code) => [code, ""]));
    expect(forks.map(lastLine)).toEqual([
      expect.stringMatching(/^agentchart: Session 'a' has no position 999; it has 1 to \d+\.$/),
      "agentchart: Session 'b' exists already: choose another id with --as.",
      "agentchart: Session not found: c.",
    ]);
    expect(await desk.run("b", "Still there?")).toMatchObject({ code: 0, stdout: "Answer 2\n" });
  });

  test("gives a session to another store and takes it back, the same", async () => {
    const desk = await openDesk(storeIn);
    await desk.run("till", 'pay {"euros":7}');
    const before = await shown(desk, "till");
    const file = join(desk.folder, "till.ndjson");
    const [toFile, toPipe] = await Promise.all([
      desk.sessions("export", "till", "--out", file),
      desk.sessions("export", "till"),
    ]);
    expect([toFile.code, toFile.stdout]).toEqual([0, ""]);
    expect(toPipe).toMatchObject({ code: 0, stdout: readFileSync(file, "utf8"), stderr: "" });
    expect(jsonLines(toPipe).length).toBeGreaterThan(before.seq);
    expect(statSync(file).mode & 0o777).toBe(0o600);

    const elsewhere = STORES.find(([name]) => name !== kind)![1](join(desk.folder, "elsewhere"));
    const there = (...args: readonly string[]) =>
      agentchart(["sessions", ...args, "--store", elsewhere], { env: desk.env });
    expect(jsonLines(await there("import", file))).toEqual([{ sessionId: "till" }]);
    expect(jsonLines(await there("show", "till"))).toEqual([before]);
    const back = join(desk.folder, "back.ndjson");
    expect((await there("export", "till", "--out", back)).code).toBe(0);
    expect(jsonLines(await desk.sessions("import", back, "--as", "copy"))).toEqual([{ sessionId: "copy" }]);
    expect((await desk.resume("copy", "--approve", "call_1")).stdout).toBe("It says: paid 7\n");
    expect(await shown(desk, "till")).toEqual(before);
  });

  test("takes no file that was changed, cut off or is none, and no session twice", async () => {
    const desk = await openDesk(storeIn);
    await desk.run("trip", "Where to?");
    const file = join(desk.folder, "trip.ndjson");
    await desk.sessions("export", "trip", "--out", file);
    const text = readFileSync(file, "utf8");
    const written = (name: string, content: string): string => {
      writeFileSync(join(desk.folder, name), content);
      return join(desk.folder, name);
    };
    const imports = await Promise.all(
      [
        file,
        written("changed", text.replace("Where to?", "Where from?")),
        written("cut", text.slice(0, text.length / 2)),
        written("none", "hello\n"),
        join(desk.folder, "missing"),
        desk.folder,
      ].map((path) => desk.sessions("import", path)),
    );
    expect(imports.map(({ code, stdout }) => [code, stdout])).toEqual(imports.map(() => [1, ""]));
    expect(imports.map(lastLine)).toEqual([
      "agentchart: Session 'trip' exists already. Choose another id with --as.",
      expect.stringMatching(/^agentchart: The exported session was changed/),
      expect.stringMatching(/^agentchart: The exported session /),
      expect.stringMatching(/^agentchart: The exported session /),
      expect.stringMatching(/^agentchart: \S+missing cannot be read: ENOENT/),
      expect.stringMatching(/^agentchart: \S+ cannot be read: EISDIR/),
    ]);
    expect(idsOf(jsonLines<SessionInfo>(await desk.sessions("ls")))).toEqual(["trip"]);
  });

  test("loses a session that is deleted, and no other", async () => {
    const desk = await openDesk(storeIn);
    await desk.run("a", "Hi");
    await desk.run("b", "Hi");
    expect(jsonLines(await desk.sessions("rm", "a", "--yes"))).toEqual([{ sessionId: "a", deleted: true }]);
    const again = await desk.sessions("rm", "a", "--yes");
    expect([again.code, lastLine(again)]).toEqual([1, "agentchart: Session not found: a."]);
    expect(idsOf(jsonLines<SessionInfo>(await desk.sessions("ls")))).toEqual(["b"]);
    expect(await desk.run("a", "Hello")).toMatchObject({ code: 0, stdout: "Answer 1\n" });
  });

  test("says of a session of a later version that it is quarantined and how to take it out", async () => {
    const desk = await openDesk(storeIn);
    await desk.run("new", "Hi");
    const store = await openStore(desk.store);
    const lease = (await store.acquire("new", { owner: "future", ttlMs: 1_000 }))!;
    const { seq, position } = (await store.load("new"))!;
    const entries = [{ seq: seq + 1, at: 1, type: "telepathy", data: {} }];
    await store.append("new", { expectedSeq: seq, fence: lease.fence, entries, position });
    await store.release(lease);
    await store.close();
    const refusals = [
      await desk.run("new", "Hi"),
      await desk.resume("new"),
      await desk.sessions("show", "new"),
    ];
    for (const refused of refusals) {
      expect([refused.code, refused.stdout]).toEqual([1, ""]);
      expect(lastLine(refused)).toMatch(
        /^agentchart: The session is quarantined, nothing of it runs: .*'telepathy'.* Take it out with "agentchart sessions export new --out FILE --store \S+"\.$/,
      );
    }
    const exported = await desk.sessions("export", "new");
    expect(exported.code).toBe(0);
    expect(exported.stdout).toContain("telepathy");
    expect((await desk.sessions("rm", "new", "--yes")).code).toBe(0);
  });

  test("keeps apart and finds again what has a hostile name", async () => {
    const desk = await openDesk(storeIn);
    const ids = [
      "../x",
      ".",
      "..",
      "a/b",
      "-x",
      "C:\\con",
      "a\nb\u001b[2J",
      "é",
      "e\u0301",
      "日本 🗾",
      "%2e",
      "x".repeat(5_000),
    ];
    for (const [index, id] of ids.entries()) {
      expect(await desk.run(id, `Question ${index}`)).toMatchObject({ code: 0, stdout: "Answer 1\n" });
    }
    const listed = await desk.sessions("ls");
    expect(idsOf(jsonLines<SessionInfo>(listed)).toSorted()).toEqual(ids.toSorted());
    const store = await openStore(desk.store);
    for (const [index, id] of ids.entries()) {
      const { messages } = await (await openSession(store, id)).at();
      expect(messages[0]?.content).toEqual([{ type: "text", text: `Question ${index}` }]);
    }
    await store.close();
    for (const id of ["../x", ".", "-x", "x".repeat(5_000)]) {
      expect((await shown(desk, id)).sessionId).toBe(id);
    }
    expect(readdirSync(desk.folder).filter((name) => !/^(home|sessions(\.db.*)?)$/.test(name))).toEqual([]);
    for (const id of ["..", "-x", "x".repeat(5_000)]) {
      expect((await desk.sessions("rm", "--yes", "--", id)).code).toBe(0);
    }
    expect(jsonLines(await desk.sessions("ls"))).toHaveLength(ids.length - 3);
  });
});

test("Without --store, sessions live in the home folder", async () => {
  const desk = await openDesk(STORES[0][1]);
  const flags = desk.flags.slice(2);
  const asked = await agentchart(["run", ...flags, "--session", "trip", "Where to?"], { env: desk.env });
  expect(asked).toMatchObject({ code: 0, stdout: "Answer 1\n" });
  expect(existsSync(join(desk.env["HOME"]!, ".agentchart", "sessions"))).toBe(true);
  const listed = await agentchart(["sessions", "ls"], { env: desk.env });
  expect(idsOf(jsonLines<SessionInfo>(listed))).toEqual(["trip"]);
});

test("A store that cannot be opened is one line", async () => {
  const desk = await openDesk(STORES[0][1]);
  const file = join(desk.folder, "file");
  writeFileSync(file, "no store");
  for (const store of [`file:${file}`, `sqlite:${file}`, `sqlite:${desk.folder}`]) {
    const finished = await agentchart(["sessions", "show", "s", "--store", store]);
    expect([finished.code, finished.stdout]).toEqual([1, ""]);
    expect(finished.stderr.match(/\n/g)).toHaveLength(1);
    expect(finished.stderr).toMatch(/^agentchart: /);
  }
});

test("A file that is no database is no quarantined session", async () => {
  const desk = await openDesk((folder) => `sqlite:${folder}/notes.txt`);
  writeFileSync(`${desk.folder}/notes.txt`, "only a text. ".repeat(100));
  const finished = await desk.run("trip", "Hi");
  expect(finished.code).toBe(1);
  expect(lastLine(finished)).toBe(
    "agentchart: The file is no SQLite database, or its beginning is damaged. Check --store.",
  );
});
