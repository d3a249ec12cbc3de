// The commands of `memory`, and the paths of all stores.
import { mkdtempSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sqliteMemory } from "agentchart/memory";
import type { CommandDefinition, Handler, Input } from "../../src/cli/define-command.ts";
import {
  exportCommand,
  importCommand,
  listCommand,
  removeCommand,
  showCommand,
} from "../../src/cli/memory/commands.ts";
import { openKnowledge } from "../../src/cli/knowledge/commands.ts";
import { openMemory } from "../../src/cli/open-memory.ts";
import { parseStore } from "../../src/cli/open-store.ts";
import { openTerminal } from "../../src/cli/terminal.ts";

const MAY = Date.UTC(2026, 4, 6, 7, 8, 9);

/** A file with three memories of ada and one of bob, and what runs a command on it. */
async function fixture(isTTY = false) {
  const folder = mkdtempSync(join(tmpdir(), "agentchart-memory-"));
  const path = join(folder, "memory.db");
  const store = sqliteMemory({ path, now: () => MAY });
  const texts = ["likes tea", "lives in Oslo", "has a cat"];
  const [tea] = await store.put(
    "acme/ada",
    texts.map((text) => ({ text, meta: { sessionId: "s1" } })),
  );
  await store.put("acme/bob", [{ text: "likes coffee" }]);
  await store.close();
  const run = async <D extends CommandDefinition>(
    handler: Handler<D>,
    args: Input<D>["args"],
    flags: object = {},
  ) => {
    let printed = "";
    const output = { isTTY, write: (text: string) => void (printed += text) };
    const terminal = openTerminal(output, { isTTY, write: () => {} }, { NO_COLOR: "1" });
    const input = { args, flags: { json: false, all: false, id: [], memory: `sqlite:${path}`, ...flags } };
    const io = { stdout: output, terminal, env: {}, exit: () => {} };
    return [await handler(input as unknown as Input<D>, io), printed];
  };
  return { run, tea: tea!, path };
}

const scope = "acme/ada";

test("a tilde before a path is the home folder, in each kind of store", () => {
  const home = join(homedir(), "none", "at all.db");
  expect(parseStore("sqlite:~/none/at all.db")).toEqual({
    kind: "sqlite",
    path: home,
    spec: `sqlite:${home}`,
  });
  expect(parseStore("sqlite::memory:").path).toBe(":memory:");
  const missing = (what: string) => `There is no ${what} at ${home}.`;
  expect(() => openMemory("sqlite:~/none/at all.db", { mustExist: true })).toThrow(missing("memory"));
  for (const store of ["sqlite:~/none/at all.db", "~/none/at all.db"])
    expect(() => openKnowledge(store, false)).toThrow(missing("knowledge"));
});

test("memory ls prints the memories of one scope, newest first, and as JSON lines to export them", async () => {
  const { run, tea } = await fixture(true);
  const [, table] = await run(listCommand, { scope });
  expect(table).toMatch(/^ID +AT +MEMORY\n\S+ +2026-05-06 07:08:09Z +has a cat\n[^]*likes tea\n$/);
  expect(table).not.toContain("coffee");
  const [, lines] = await run(listCommand, { scope }, { json: true });
  expect(JSON.parse(String(lines).trim().split("\n").at(-1)!)).toEqual({
    id: tea,
    text: "likes tea",
    at: MAY,
    meta: { sessionId: "s1" },
  });
});

test("memory show prints where a memory comes from", async () => {
  const { run, tea } = await fixture(true);
  expect(await run(showCommand, { scope, id: tea })).toEqual([
    0,
    'likes tea\n2026-05-06 07:08:09Z, {"sessionId":"s1"}\n',
  ]);
  await expect(run(showCommand, { scope: "acme/bob", id: tea })).rejects.toMatchObject({
    code: "config/invalid",
  });
});

test("memory rm deletes memories, all of a scope, and nothing of another", async () => {
  const { run, tea } = await fixture();
  const removed = async (flags: object, of = scope) => {
    const [code, printed] = await run(removeCommand, { scope: of }, flags);
    return [code, (JSON.parse(String(printed)) as { readonly removed: number }).removed];
  };
  expect(await removed({ id: [tea] }, "acme/bob")).toEqual([1, 0]);
  expect(await removed({ id: [tea] })).toEqual([0, 1]);
  expect(await removed({ all: true })).toEqual([0, 2]);
  expect(await run(listCommand, { scope })).toEqual([0, ""]);
  expect(String((await run(listCommand, { scope: "acme/bob" }))[1])).toContain("coffee");
});

test("memory commands refuse an unknown store and a deletion that says nothing", async () => {
  const { run, path } = await fixture();
  for (const memory of ["redis:x", `sqlite:${path}.none`])
    await expect(async () => run(listCommand, { scope }, { memory })).rejects.toThrow(/memory|store/);
  await expect(async () => run(removeCommand, { scope })).rejects.toThrow("either --id ID or --all");
});

test("memory export prints JSON lines that memory import adds to a scope", async () => {
  const { run, path } = await fixture(true);
  const [, lines] = await run(exportCommand, { scope });
  const file = `${path}.ndjson`;
  writeFileSync(file, `${String(lines)}\n${JSON.stringify({ text: "gone", expiresAt: 1 })}\n`);
  expect(await run(importCommand, { scope: "acme/eve", file }, { json: true })).toEqual([
    0,
    '{"scope":"acme/eve","added":3}\n',
  ]);
  await run(importCommand, { scope: "acme/eve", file });
  const [, imported] = await run(exportCommand, { scope: "acme/eve" });
  const textsOf = (text: unknown) =>
    String(text)
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { text: string; meta: object })
      .map(({ text: said, meta }) => [said, meta]);
  expect(textsOf(imported)).toEqual(textsOf(lines));
});

test("memory import makes the memory that it adds to, and the other commands do not", async () => {
  const { run, path } = await fixture();
  const memory = `sqlite:${path}.new`;
  const file = `${path}.ndjson`;
  writeFileSync(file, '{"text":"likes tea"}\n');
  await expect(async () => run(listCommand, { scope }, { memory })).rejects.toThrow("There is no memory at");
  expect(await run(importCommand, { scope, file }, { memory })).toEqual([
    0,
    '{"scope":"acme/ada","added":1}\n',
  ]);
  expect((await run(listCommand, { scope }, { memory }))[1]).toContain("likes tea");
});

test("memory import drops none of a scope that has more than a store has by default", async () => {
  const { run, path } = await fixture();
  const store = sqliteMemory({ path, maxPerScope: 5_000 });
  await store.put(
    scope,
    Array.from({ length: 1_500 }, (_, n) => ({ text: `fact ${n}` })),
  );
  const file = `${path}.ndjson`;
  writeFileSync(file, '{"text":"one more"}\n');
  await run(importCommand, { scope, file });
  expect((await store.list(scope, { limit: 5_000 })).memories).toHaveLength(1_504);
  await store.close();
});

test("memory import refuses a file with a line that is not a memory, and adds nothing", async () => {
  const { run, path } = await fixture();
  const file = `${path}.ndjson`;
  for (const line of ["no JSON", '{"text":""}', '{"text":"a","meta":1}', "[]"]) {
    writeFileSync(file, `{"text":"fine"}\n${line}\n`);
    await expect(run(importCommand, { scope: "acme/eve", file })).rejects.toThrow("line 2");
  }
  await expect(run(importCommand, { scope, file: `${path}.none` })).rejects.toThrow("cannot be read");
  expect(await run(exportCommand, { scope: "acme/eve" })).toEqual([0, ""]);
});
