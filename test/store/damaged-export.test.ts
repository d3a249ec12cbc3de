// Exports and forks of damaged sessions, and of those that others delete or take meanwhile.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { createAgent, type SessionStore } from "agentchart";
import { exportSession, importSession, openSession } from "agentchart/session";
import { fileStore } from "agentchart/store/file";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { collectAll } from "../../src/testing/store-contract-kit.ts";
import { scratch, type Scratch } from "./scratch.ts";

const made: Scratch[] = [];
afterEach(() => made.splice(0).forEach(({ remove }) => remove()));

async function talk(store: SessionStore, sessionId: string): Promise<void> {
  const agent = createAgent({ name: "desk", model: scriptedModel(["One", "Two"]), store, sessionId });
  await agent.call("Hi");
  await agent.call("And?");
  await agent.close();
}

/** A conversation of two turns in files, one byte of whose journal is another. */
async function damaged(where: (bytes: Buffer) => number) {
  const folder = scratch();
  made.push(folder);
  await talk(fileStore({ dir: folder.dir }), "s");
  const journal = join(folder.dir, "s", "journal.ndjson");
  const bytes = readFileSync(journal);
  bytes[where(bytes)]! ^= 1;
  writeFileSync(journal, bytes);
  return { dir: folder.dir, store: fileStore({ dir: folder.dir }) };
}

const AT_THE_END = (bytes: Buffer): number => bytes.length - 30;
const IN_THE_SECOND_TURN = (bytes: Buffer): number => bytes.indexOf("And?");

describe("a damaged session", () => {
  test.each([
    ["at its end", AT_THE_END, 4],
    ["in the middle", IN_THE_SECOND_TURN, 2],
  ])("a session damaged %s can be read and forked before the damage", async (_, where, count) => {
    const { store } = await damaged(where);
    const session = await openSession(store, "s");
    const failure = await session.at().catch((error: unknown) => error as Error);
    const [, seq] = /Its positions up to (\d+) can be read\.$/.exec((failure as Error).message)!;
    expect((await session.at(Number(seq))).messages).toHaveLength(count);
    const { sessionId } = await session.fork(Number(seq));
    const agent = createAgent({ name: "desk", model: scriptedModel(["On"]), store, sessionId });
    expect((await agent.call("Go on")).text).toBe("On");
    await agent.close();
  });

  test.each([
    ["at its end", AT_THE_END, 4],
    ["in the middle", IN_THE_SECOND_TURN, 2],
  ])("a session damaged %s is exported up to the damage, and stays quarantined", async (_, where, count) => {
    const { store } = await damaged(where);
    const copy = memoryStore();
    await importSession(copy, exportSession(store, "s"));
    expect((await (await openSession(copy, "s")).at()).messages).toHaveLength(count);
    expect((await copy.load("s"))?.position).toMatchObject({
      phase: "quarantined",
      quarantine: { reason: expect.stringContaining("is damaged: its journal at byte") },
    });
    const agent = createAgent({ name: "desk", model: scriptedModel([]), store: copy, sessionId: "s" });
    await expect(agent.call()).rejects.toMatchObject({ code: "session/damaged" });
  });
});

test("an exported session of version 1, whose checksum does not cover the end, is imported", async () => {
  const store = memoryStore();
  await talk(store, "s");
  const lines = await collectAll(exportSession(store, "s"));
  const before = lines.slice(0, -1).join("").replace('"version":2', '"version":1');
  const { end } = JSON.parse(lines.at(-1)!) as { readonly end: object };
  const sha256 = createHash("sha256").update(before).digest("hex");
  const text = `${before}${JSON.stringify({ end: { ...end, sha256 } })}\n`;
  expect(await importSession(store, [text], { sessionId: "copy" })).toBe("copy");
  expect((await (await openSession(store, "copy")).at()).messages).toHaveLength(4);
});

test("a session that is deleted while it is exported does not exist", async () => {
  const store = memoryStore();
  await talk(store, "s");
  const list: SessionStore["list"] = async (filter) => {
    const found = await store.list(filter);
    await store.delete("s");
    return found;
  };
  const lines = collectAll(exportSession({ ...store, list }, "s"));
  await expect(lines).rejects.toMatchObject({ code: "session/not-found" });
});

test("an import that fails removes what it has written, but not what another process has by then", async () => {
  const clock = { now: 0 };
  const store = memoryStore({ now: () => clock.now });
  await talk(store, "s");
  await store.putInput("s", { id: "1", data: {} });
  const lines = await collectAll(exportSession(store, "s"));
  const importing = (putInput: SessionStore["putInput"]) =>
    importSession({ ...store, putInput }, lines, { sessionId: "t" });
  await expect(importing(() => Promise.reject(new Error("full")))).rejects.toThrow("full");
  expect(await store.takeInputs("t", 9)).toEqual([]);
  const taking = importing(async (id) => {
    clock.now += 60_000; // the lease ends
    const { fence } = (await store.acquire(id, { owner: "rival", ttlMs: 60_000 }))!;
    await store.append(id, { expectedSeq: 0, fence, entries: [], position: { phase: "stopped" } });
    return "accepted";
  });
  await expect(taking).rejects.toMatchObject({ code: "session/lease-lost" });
  expect(await store.load("t")).toMatchObject({ position: { phase: "stopped" } });
});

test("files that are not sessions in a folder of sessions are ignored and not changed", async () => {
  const folder = scratch();
  made.push(folder);
  const store = fileStore({ dir: folder.dir });
  await talk(store, "s");
  writeFileSync(join(folder.dir, "notes"), "mine");
  symlinkSync("/nowhere", join(folder.dir, "dangling"));
  symlinkSync("loop", join(folder.dir, "loop"));
  mkdirSync(join(folder.dir, "empty"));
  const before = readdirSync(folder.dir).length;
  expect((await store.list()).sessions).toMatchObject([{ sessionId: "s" }]);
  expect(await store.listDue({ before: Date.now() })).toEqual({ sessionIds: [] });
  for (const id of ["notes", "dangling", "loop"]) {
    expect(await store.load(id)).toBeUndefined();
    expect(await store.delete(id)).toBe(false);
    const put = store.putInput(id, { id: "1", data: {} });
    await expect(put).rejects.toMatchObject({ code: "store/failed" });
  }
  expect(readdirSync(folder.dir)).toHaveLength(before);
  expect(await store.search!()).toMatchObject({ total: 1 });
  await store.close();
});

test.each([
  { id: 5, data: {} },
  { id: "", data: {} },
  { id: "\ud800", data: {} },
  { id: "a" },
  { id: "a", data: [] },
  { id: "a", data: {}, dueAt: "soon" },
  7,
])("an export with the input %j is refused before anything is written", async (input) => {
  const header = { format: "agentchart.session", version: 2, sessionId: "s", seq: 0, meta: {} };
  const lines = [header, { input }].map((line) => `${JSON.stringify(line)}\n`);
  const final = { seq: 0, position: { phase: "stopped" } };
  const sha256 = createHash("sha256")
    .update(lines.join("") + JSON.stringify(final))
    .digest("hex");
  const store = memoryStore();
  const imported = importSession(store, [...lines, JSON.stringify({ end: { ...final, sha256 } })]);
  await expect(imported).rejects.toMatchObject({
    code: "session/damaged",
    message: expect.stringContaining("input"),
  });
  expect(await store.delete("s")).toBe(false);
});
