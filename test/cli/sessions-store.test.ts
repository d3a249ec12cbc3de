// The commands of `sessions` on each store.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openSession, type Moment, type SessionInfo } from "agentchart/session";
import { openStore } from "../../src/cli/open-store.ts";
import { agentchart } from "./agentchart.ts";
import { jsonLines, lastLine, sessionFixture, STORES, type SessionFixture } from "./session-fixture.ts";

// Every test starts processes, on machines that are busy with other tests.

type Shown = Moment & { readonly sessionId: string; readonly positions: readonly number[] };

async function shown(fixture: SessionFixture, sessionId: string, ...args: readonly string[]): Promise<Shown> {
  const finished = await fixture.sessions("show", ...args, "--", sessionId);
  expect(finished).toMatchObject({ code: 0, stderr: "" });
  return jsonLines<Shown>(finished)[0]!;
}

const idsOf = (infos: readonly SessionInfo[]): string[] => infos.map(({ sessionId }) => sessionId);

describe.each(STORES)("A %s store", (kind, storeIn) => {
  test("lists sessions as JSON lines: all, by prefix, by phase, up to a limit", async () => {
    const fixture = await sessionFixture(storeIn);
    await Promise.all([
      fixture.run("a-1", "Hi"),
      fixture.run("a-2", 'pay {"euros":1}'),
      fixture.run("b-1", "Hi"),
    ]);
    const listed = async (...args: readonly string[]) =>
      idsOf(jsonLines<SessionInfo>(await fixture.sessions("ls", ...args)));
    const all = await fixture.sessions("ls");
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

  test("shows a session at an earlier position, and forks it there", async () => {
    const fixture = await sessionFixture(storeIn);
    await fixture.run("trip", "Where to?");
    await fixture.run("trip", "And then?");
    const now = await shown(fixture, "trip");
    const [, firstAnswer] = now.positions as [number, number];
    const then = await shown(fixture, "trip", "--at", String(firstAnswer));
    expect(then.messages).toEqual(now.messages.slice(0, 2));
    expect([then.seq, now.messages.length]).toEqual([firstAnswer, 4]);

    const forked = await fixture.sessions("fork", "trip", "--at", String(firstAnswer), "--as", "other");
    expect([forked.code, forked.stderr]).toEqual([0, ""]);
    expect(jsonLines(forked)).toEqual([
      { sessionId: "other", forkedFrom: "trip", forkedAt: firstAnswer, runsAgain: [] },
    ]);
    expect(await fixture.run("other", "Or home?")).toMatchObject({ code: 0, stdout: "Answer 2\n" });
    expect(fixture.lastRequest()).toEqual(["user: Where to?", "assistant: Answer 1", "user: Or home?"]);
    expect(await shown(fixture, "trip")).toEqual(now);
  });

  test("prints the position at which a fork begins, if the given one is within a step", async () => {
    const fixture = await sessionFixture(storeIn);
    await fixture.run("trip", "Where to?");
    const { seq, positions } = await shown(fixture, "trip");
    const forked = await fixture.sessions("fork", "trip", "--at", String(seq - 1), "--as", "other");
    expect(jsonLines(forked)).toMatchObject([{ sessionId: "other", forkedAt: seq }]);
    expect(positions.at(-1)).toBeLessThanOrEqual(seq);
    const [listed] = jsonLines<{ meta: object }>(await fixture.sessions("ls", "--prefix", "other", "--json"));
    expect(listed!.meta).toEqual({ forkedFrom: "trip", forkedAt: seq });
  });

  test("forks a session with an open call, which the fork can decide differently", async () => {
    const fixture = await sessionFixture(storeIn);
    await fixture.run("till", 'pay {"euros":7}');
    const { seq } = await shown(fixture, "till");
    const forked = await fixture.sessions("fork", "till", "--at", String(seq));
    const [{ sessionId, runsAgain }] = jsonLines<{ sessionId: string; runsAgain: object[] }>(forked) as [
      { sessionId: string; runsAgain: object[] },
    ];
    expect(runsAgain).toMatchObject([{ callId: "call_1", name: "pay" }]);
    expect((await fixture.resume("till", "--approve", "call_1")).stdout).toBe("Results: paid 7\n");
    expect((await fixture.resume(sessionId, "--deny", "call_1")).stdout).toMatch(/^Results: .*denied/);
    expect(fixture.toolLog()).toEqual(["pay 7"]);
  });

  test("refuses a fork at an unknown position, to an existing session, or of an unknown session", async () => {
    const fixture = await sessionFixture(storeIn);
    await fixture.run("a", "Hi");
    await fixture.run("b", "Hi");
    const forks = await Promise.all([
      fixture.sessions("fork", "a", "--at", "999"),
      fixture.sessions("fork", "a", "--at", "1", "--as", "b"),
      fixture.sessions("fork", "c", "--at", "1"),
    ]);
    expect(forks.map(({ code, stdout }) => [code, stdout])).toEqual([1, 1, 1].map((code) => [code, ""]));
    expect(forks.map(lastLine)).toEqual([
      expect.stringMatching(/^agentchart: Session 'a' has no position 999; it has 1 to \d+\.$/),
      "agentchart: Session 'b' already exists: choose another id with --as.",
      "agentchart: Session not found: c.",
    ]);
    expect(await fixture.run("b", "Still there?")).toMatchObject({ code: 0, stdout: "Answer 2\n" });
  });

  test("exports a session to another store and imports it back unchanged", async () => {
    const fixture = await sessionFixture(storeIn);
    await fixture.run("till", 'pay {"euros":7}');
    const before = await shown(fixture, "till");
    const file = join(fixture.folder, "till.ndjson");
    const [toFile, toPipe] = await Promise.all([
      fixture.sessions("export", "till", "--out", file),
      fixture.sessions("export", "till"),
    ]);
    expect([toFile.code, toFile.stdout]).toEqual([0, ""]);
    expect(toPipe).toMatchObject({ code: 0, stdout: readFileSync(file, "utf8"), stderr: "" });
    expect(jsonLines(toPipe).length).toBeGreaterThan(before.seq);
    expect(statSync(file).mode & 0o777).toBe(0o600);

    const elsewhere = STORES.find(([name]) => name !== kind)![1](join(fixture.folder, "elsewhere"));
    const there = (...args: readonly string[]) =>
      agentchart(["sessions", ...args, "--store", elsewhere], { env: fixture.env });
    expect(jsonLines(await there("import", file))).toEqual([{ sessionId: "till" }]);
    expect(jsonLines(await there("show", "till"))).toEqual([before]);
    const back = join(fixture.folder, "back.ndjson");
    expect((await there("export", "till", "--out", back)).code).toBe(0);
    expect(jsonLines(await fixture.sessions("import", back, "--as", "copy"))).toEqual([
      { sessionId: "copy" },
    ]);
    expect((await fixture.resume("copy", "--approve", "call_1")).stdout).toBe("Results: paid 7\n");
    expect(await shown(fixture, "till")).toEqual(before);
  });

  test("refuses a file that was changed, is cut off, or is not an export, and a session that exists", async () => {
    const fixture = await sessionFixture(storeIn);
    await fixture.run("trip", "Where to?");
    const file = join(fixture.folder, "trip.ndjson");
    await fixture.sessions("export", "trip", "--out", file);
    const text = readFileSync(file, "utf8");
    const written = (name: string, content: string): string => {
      writeFileSync(join(fixture.folder, name), content);
      return join(fixture.folder, name);
    };
    const imports = await Promise.all(
      [
        file,
        written("changed", text.replace("Where to?", "Where from?")),
        written("cut", text.slice(0, text.length / 2)),
        written("none", "hello\n"),
        join(fixture.folder, "missing"),
        fixture.folder,
      ].map((path) => fixture.sessions("import", path)),
    );
    expect(imports.map(({ code, stdout }) => [code, stdout])).toEqual(imports.map(() => [1, ""]));
    expect(imports.map(lastLine)).toEqual([
      "agentchart: Session 'trip' exists already. Choose another id with --as.",
      expect.stringMatching(/^agentchart: The exported session was changed/),
      expect.stringMatching(/^agentchart: The exported session /),
      expect.stringMatching(/^agentchart: The exported session /),
      expect.stringMatching(/^agentchart: Cannot read \S+missing: ENOENT/),
      expect.stringMatching(/^agentchart: Cannot read \S+: EISDIR/),
    ]);
    expect(idsOf(jsonLines<SessionInfo>(await fixture.sessions("ls")))).toEqual(["trip"]);
  });

  test("deletes one session and no other", async () => {
    const fixture = await sessionFixture(storeIn);
    await fixture.run("a", "Hi");
    await fixture.run("b", "Hi");
    expect(jsonLines(await fixture.sessions("rm", "a", "--yes"))).toEqual([
      { sessionId: "a", deleted: true },
    ]);
    const again = await fixture.sessions("rm", "a", "--yes");
    expect([again.code, lastLine(again)]).toEqual([1, "agentchart: Session not found: a."]);
    expect(idsOf(jsonLines<SessionInfo>(await fixture.sessions("ls")))).toEqual(["b"]);
    expect(await fixture.run("a", "Hello")).toMatchObject({ code: 0, stdout: "Answer 1\n" });
  });

  test("refuses a session of a later version and prints the command that exports it", async () => {
    const fixture = await sessionFixture(storeIn);
    await fixture.run("new", "Hi");
    const store = await openStore(fixture.store);
    const lease = (await store.acquire("new", { owner: "future", ttlMs: 1_000 }))!;
    const { seq, position } = (await store.load("new"))!;
    const entries = [{ seq: seq + 1, at: 1, type: "telepathy", data: {} }];
    await store.append("new", { expectedSeq: seq, fence: lease.fence, entries, position });
    await store.release(lease);
    await store.close();
    const refusals = [
      await fixture.run("new", "Hi"),
      await fixture.resume("new"),
      await fixture.sessions("show", "new"),
    ];
    for (const refused of refusals) {
      expect([refused.code, refused.stdout]).toEqual([1, ""]);
      expect(lastLine(refused)).toMatch(
        /^agentchart: The session is quarantined and does not run: .*'telepathy'.* Export it with "agentchart sessions export new --out FILE --store \S+"\.$/,
      );
    }
    const exported = await fixture.sessions("export", "new");
    expect(exported.code).toBe(0);
    expect(exported.stdout).toContain("telepathy");
    expect((await fixture.sessions("rm", "new", "--yes")).code).toBe(0);
  });

  test("keeps sessions with hostile ids apart", async () => {
    const fixture = await sessionFixture(storeIn);
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
      expect(await fixture.run(id, `Question ${index}`)).toMatchObject({ code: 0, stdout: "Answer 1\n" });
    }
    const listed = await fixture.sessions("ls");
    expect(idsOf(jsonLines<SessionInfo>(listed)).toSorted()).toEqual(ids.toSorted());
    const store = await openStore(fixture.store);
    for (const [index, id] of ids.entries()) {
      const { messages } = await (await openSession(store, id)).at();
      expect(messages[0]?.content).toEqual([{ type: "text", text: `Question ${index}` }]);
    }
    await store.close();
    for (const id of ["../x", ".", "-x", "x".repeat(5_000)]) {
      expect((await shown(fixture, id)).sessionId).toBe(id);
    }
    expect(readdirSync(fixture.folder).filter((name) => !/^(home|sessions(\.db.*)?)$/.test(name))).toEqual(
      [],
    );
    for (const id of ["..", "-x", "x".repeat(5_000)]) {
      expect((await fixture.sessions("rm", "--yes", "--", id)).code).toBe(0);
    }
    expect(jsonLines(await fixture.sessions("ls"))).toHaveLength(ids.length - 3);
  });
});

test("Without --store, sessions are stored in the home folder", async () => {
  const fixture = await sessionFixture(STORES[0][1]);
  const flags = fixture.flags.slice(2);
  const asked = await agentchart(["run", ...flags, "--session", "trip", "Where to?"], { env: fixture.env });
  expect(asked).toMatchObject({ code: 0, stdout: "Answer 1\n" });
  expect(existsSync(join(fixture.env["HOME"]!, ".agentchart", "sessions"))).toBe(true);
  const listed = await agentchart(["sessions", "ls"], { env: fixture.env });
  expect(idsOf(jsonLines<SessionInfo>(listed))).toEqual(["trip"]);
});

test("A store that cannot be opened fails with one line", async () => {
  const fixture = await sessionFixture(STORES[0][1]);
  const file = join(fixture.folder, "file");
  writeFileSync(file, "not a store");
  for (const store of [`file:${file}`, `sqlite:${file}`, `sqlite:${fixture.folder}`]) {
    const finished = await agentchart(["sessions", "show", "s", "--store", store]);
    expect([finished.code, finished.stdout]).toEqual([1, ""]);
    expect(finished.stderr.match(/\n/g)).toHaveLength(1);
    expect(finished.stderr).toMatch(/^agentchart: /);
  }
});

test("A file that is not a database is reported as such, not as a quarantined session", async () => {
  const fixture = await sessionFixture((folder) => `sqlite:${folder}/notes.txt`);
  writeFileSync(`${fixture.folder}/notes.txt`, "only a text. ".repeat(100));
  const finished = await fixture.run("trip", "Hi");
  expect(finished.code).toBe(1);
  expect(lastLine(finished)).toBe(
    "agentchart: The file is not a SQLite database, or its beginning is damaged. Check --store.",
  );
});
