// The command `sessions move`, and stores whose partitions a file names.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createAgent } from "agentchart";
import { fileStore } from "agentchart/store/file";
import { partitionHash } from "agentchart/store/partitioned";
import { sqliteStore } from "agentchart/store/sqlite";
import { scriptedModel } from "agentchart/testing";
import type { SessionStore } from "agentchart";
import type { CommandDefinition, Handler, Input } from "../../src/cli/define-command.ts";
import { openStore } from "../../src/cli/open-store.ts";
import type * as definitions from "../../src/cli/sessions/definitions.ts";
import { listCommand } from "../../src/cli/sessions/list-command.ts";
import { moveCommand } from "../../src/cli/sessions/move-command.ts";
import { openTerminal } from "../../src/cli/terminal.ts";

const IDS = Array.from({ length: 8 }, (_, n) => `customer-${n}`);

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), "agentchart-move-"));
  return dir;
}

async function run<D extends CommandDefinition>(handler: Handler<D>, flags: Partial<Input<D>["flags"]>) {
  const written = { stdout: "", stderr: "" };
  const output = (name: "stdout" | "stderr") => ({
    isTTY: false,
    write: (text: string) => void (written[name] += text),
  });
  const [stdout, env] = [output("stdout"), { NO_COLOR: "1" }];
  const terminal = openTerminal(stdout, output("stderr"), env);
  const code = await handler({ args: {}, flags } as unknown as Input<D>, {
    stdout,
    terminal,
    env,
    exit: () => {},
  });
  return { code, ...written };
}

const move = (flags: Partial<Input<typeof definitions.move>["flags"]>) =>
  run<typeof definitions.move>(moveCommand, { settle: 1, ...flags });

const listed = async (store: string): Promise<unknown[]> => {
  const { stdout } = await run<typeof definitions.list>(listCommand, { store });
  return stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { readonly sessionId: string }).sessionId);
};

/** Says something in each session with a key, and closes the store. */
async function fill(store: SessionStore): Promise<void> {
  for (const sessionId of IDS) await said(store, sessionId, "one", ["first"]);
  await store.close();
}

/** Returns how many messages a session has, once this was said with this key. */
async function said(
  store: SessionStore,
  sessionId: string,
  key: string,
  answers: readonly string[],
): Promise<number> {
  const agent = createAgent({ name: "a", model: scriptedModel(answers), store, sessionId });
  await agent.call(`Say ${key}.`, { idempotencyKey: key });
  const { length } = await agent.messages();
  await agent.close();
  return length;
}

test("all sessions of a folder of files go on in SQLite, with the keys of their inputs, and the folder is emptied", async () => {
  const dir = folder();
  const [from, store] = [`file:${join(dir, "files")}`, `sqlite:${join(dir, "s.db")}`];
  await fill(fileStore({ dir: join(dir, "files") }));
  expect(await move({ from, store })).toMatchObject({ code: 0, stdout: '{"moved":8}\n' });
  expect(await move({ from, store })).toMatchObject({ code: 0, stdout: '{"moved":0}\n' });
  expect(await listed(store)).toEqual(IDS);
  expect(await move({ from, store, finish: true })).toMatchObject({
    code: 0,
    stdout: '{"removed":8,"moved":0}\n',
  });
  expect(await listed(from)).toEqual([]);
  const open = sqliteStore({ path: join(dir, "s.db") });
  onTestFinished(() => open.close());
  expect(await said(open, IDS[0]!, "one", [])).toBe(2); // it was said before it was moved
  expect(await said(open, IDS[0]!, "two", ["second"])).toBe(4);
});

test("a store is split as a file of partitions says, and is one store to all commands before, meanwhile and after", async () => {
  const dir = folder();
  const [low, high] = ["low", "high"].map((name) => `sqlite:${join(dir, `${name}.db`)}`) as [string, string];
  process.env["AGENTCHART_TEST_LOW"] = low;
  onTestFinished(() => void delete process.env["AGENTCHART_TEST_LOW"]);
  await fill(sqliteStore({ path: join(dir, "low.db") }));
  const file = (name: string, last: object): string => {
    const path = join(dir, `${name}.json`);
    const first = { store: "env:AGENTCHART_TEST_LOW", upTo: "7fffffff" };
    writeFileSync(path, JSON.stringify([first, { store: high, upTo: "ffffffff", ...last }]));
    return `partitions:${path}`;
  };
  const [moving, after] = [file("moving", { movesFrom: "env:AGENTCHART_TEST_LOW" }), file("after", {})];
  expect(await listed(moving)).toEqual(IDS);
  const isHigh = (id: string): boolean => partitionHash(id) > 0x7f_ff_ff_ff;
  const moved = IDS.filter(isHigh);
  expect(JSON.parse((await move({ store: moving })).stdout)).toEqual({ moved: moved.length });
  for (const store of [moving, after]) {
    const open = await openStore(store);
    expect(await said(open, moved[0]!, store, ["more"])).toBe(store === moving ? 4 : 6);
    await open.close();
  }
  expect(JSON.parse((await move({ store: moving, finish: true })).stdout)).toMatchObject({
    removed: moved.length,
  });
  expect([await listed(low), await listed(high)]).toEqual([IDS.filter((id) => !isHigh(id)), moved]);
  expect(await listed(after)).toEqual(IDS);
});

test("what names no move is refused, and says what was expected", async () => {
  const dir = folder();
  const written = (name: string, text: string): string => {
    writeFileSync(join(dir, name), text);
    return `partitions:${join(dir, name)}`;
  };
  const one = { store: `sqlite:${join(dir, "a.db")}`, upTo: "ffffffff" };
  const slip = `sqlite:${join(dir, "slip.db")}`;
  const split = [
    { store: slip, upTo: "7fffffff" },
    { ...one, movesFrom: slip },
  ];
  const cases: (readonly [flags: Parameters<typeof move>[0], message: RegExp])[] = [
    [{}, /Say either --from STORE/u],
    [{ store: `sqlite:${join(dir, "a.db")}` }, /Say either --from STORE/u],
    [{ from: `file:${dir}`, store: written("a.json", "[]") }, /Say either --from STORE/u],
    [{ store: written("b.json", "{") }, /b\.json is not JSON/u],
    [{ store: `partitions:${join(dir, "none.json")}` }, /none\.json cannot be read/u],
    [{ store: written("c.json", JSON.stringify([{ ...one, upTo: "7" }])) }, /eight hex digits/u],
    [{ store: written("d.json", JSON.stringify([{ ...one, upTo: "7fffffff" }])) }, /end at 0xffffffff/u],
    [{ store: written("e.json", JSON.stringify([one])) }, /a partition with `movesFrom`/u],
    [
      { store: written("f.json", JSON.stringify([{ ...one, movesFrom: "env:NO_SUCH" }])) },
      /env:NO_SUCH, which is not set/u,
    ],
    [
      { store: written("h.json", JSON.stringify([{ ...one, movesFrom: slip }])) },
      /There is no store at .*slip\.db/u,
    ],
    [{ store: written("i.json", JSON.stringify(split)) }, /There is no store at .*slip\.db/u],
    [
      { store: written("g.json", JSON.stringify([{ ...one, movesFrom: "tape:1" }])) },
      /[Uu]nknown (?:kind|store)/u,
    ],
  ];
  await fill(sqliteStore({ path: join(dir, "a.db") }));
  const itself = `sqlite:${dir}/./a.db`;
  cases.push(
    [{ from: itself, store: one.store }, /another store than the one that has them/u],
    [{ from: `sqlite:${join(dir, "b.db")}`, store: one.store }, /There is no store at .*b\.db/u],
  );
  for (const [flags, message] of cases) await expect(move(flags), String(message)).rejects.toThrow(message);
});
