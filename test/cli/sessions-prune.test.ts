// The command `sessions prune`.
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createAgent } from "agentchart";
import { openSession } from "agentchart/session";
import { fileStore } from "agentchart/store/file";
import { scriptedModel } from "agentchart/testing";
import type { CommandDefinition, Handler, Input } from "../../src/cli/define-command.ts";
import * as definitions from "../../src/cli/sessions/definitions.ts";
import { exportCommand } from "../../src/cli/sessions/export-command.ts";
import { importCommand } from "../../src/cli/sessions/import-command.ts";
import { pruneCommand } from "../../src/cli/sessions/prune-command.ts";
import { showCommand } from "../../src/cli/sessions/show-command.ts";
import { openTerminal } from "../../src/cli/terminal.ts";
import { toolOf } from "../support/agents.ts";

const DAY_MS = 86_400_000;
const JANUARY = Date.UTC(2026, 0, 2, 3, 4, 5);

/** A store with a session of January, one of now, and a suspended one of January, and what runs commands on it. */
async function fixture({ isTTY }: { readonly isTTY: boolean }) {
  const folder = mkdtempSync(join(tmpdir(), "agentchart-prune-"));
  const dir = join(folder, "sessions");
  const talk = async (
    sessionId: string,
    now: () => number,
    ...turns: Parameters<typeof scriptedModel>[0]
  ) => {
    const tools = [toolOf("log_in", () => "in"), toolOf("ask")];
    const store = fileStore({ dir, now });
    const agent = createAgent({ name: "a", model: scriptedModel(turns), tools, store, sessionId });
    await agent.call("Hi");
    await agent.close();
  };
  const logIn = { calls: [{ name: "log_in", input: { password: "hunter2" } }] };
  await talk("Old", () => JANUARY, logIn, "done");
  await talk("new", Date.now, "done");
  await talk("suspended", () => JANUARY, { calls: [{ name: "ask", input: {} }] });

  const run = async <D extends CommandDefinition>(
    handler: Handler<D>,
    flags: Partial<Input<D>["flags"]>,
    args: Input<D>["args"] = {} as Input<D>["args"],
  ) => {
    const written = { stdout: "", stderr: "" };
    const output = (name: "stdout" | "stderr") => ({
      isTTY,
      write: (text: string) => void (written[name] += text),
    });
    const [stdout, env] = [output("stdout"), { NO_COLOR: "1" }];
    const terminal = openTerminal(stdout, output("stderr"), env);
    const input = { args, flags: { ...flags, store: `file:${dir}` } } as unknown as Input<D>;
    const code = await handler(input, { stdout, terminal, env, exit: () => {} });
    return { code, ...written };
  };
  const prune = (flags: Partial<Input<typeof definitions.prune>["flags"]>) =>
    run<typeof definitions.prune>(pruneCommand, { olderThan: 2 * DAY_MS, dryRun: false, ...flags });
  const ids = async () => (await fileStore({ dir }).list()).sessions.map(({ sessionId }) => sessionId);
  return { folder, dir, run, prune, ids };
}

test("sessions prune --dry-run prints what would be deleted, and deletes nothing", async () => {
  const { folder, prune, ids } = await fixture({ isTTY: true });
  const archive = join(folder, "archive");
  expect(await prune({ dryRun: true, archive })).toEqual({
    code: 0,
    stdout: `Would delete Old, stopped since 2026-01-02 03:04:05Z, archived as ${archive}/%4fld.20260102T030405Z.ndjson\n`,
    stderr: "1 session would be deleted.\n",
  });
  expect(await ids()).toEqual(["Old", "new", "suspended"]);
  expect(existsSync(archive)).toBe(false);
});

test("sessions prune --archive writes what sessions import restores, with its secrets, then deletes", async () => {
  const { folder, dir, run, prune, ids } = await fixture({ isTTY: false });
  const before = await (await openSession(fileStore({ dir }), "Old")).at();
  const archive = join(folder, "archive");
  const file = join(archive, "%4fld.20260102T030405Z.ndjson");
  expect(await prune({ archive })).toEqual({
    code: 0,
    stdout: `${JSON.stringify({ sessionId: "Old", updatedAt: JANUARY, archive: file })}\n`,
    stderr: "1 session deleted.\n",
  });
  expect(await ids()).toEqual(["new", "suspended"]);
  expect(readdirSync(archive)).toHaveLength(1);
  expect([statSync(archive).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
  await run<typeof definitions.importSession>(importCommand, {}, { file });
  const { messages } = await (await openSession(fileStore({ dir }), "Old")).at();
  expect(messages).toEqual(before.messages);
  expect(JSON.stringify(messages)).toContain("hunter2");
});

test("sessions prune keeps a session whose archive cannot be written", async () => {
  const { folder, prune, ids } = await fixture({ isTTY: true });
  const archive = join(folder, "file");
  writeFileSync(archive, "");
  await expect(prune({ archive })).rejects.toMatchObject({ code: "store/failed" });
  expect(await ids()).toEqual(["Old", "new", "suspended"]);
});

test("sessions export redacts secrets unless asked to keep them, and sessions import says how", async () => {
  const { folder, run } = await fixture({ isTTY: true });
  const out = join(folder, "old.ndjson");
  const id = { id: "Old" };
  const exported = await run<typeof definitions.exportSession>(exportCommand, { out, secrets: false }, id);
  expect(exported.stderr).toBe(
    `Exported to ${out}.\nSecrets were redacted, so that the export cannot be imported: --secrets keeps them.\n`,
  );
  expect(readFileSync(out, "utf8")).not.toContain("hunter2");
  const importAs = (as: string) =>
    run<typeof definitions.importSession>(importCommand, { as }, { file: out });
  await expect(importAs("copy")).rejects.toMatchObject({
    code: "session/redacted",
    message: expect.stringContaining("sessions export --secrets"),
  });
  expect(
    (await run<typeof definitions.exportSession>(exportCommand, { out, secrets: true }, id)).stderr,
  ).toBe(`Exported to ${out}.\n`);
  expect(readFileSync(out, "utf8")).toContain("hunter2");
  expect((await importAs("copy")).code).toBe(0);
});

test("sessions show prints no secrets, in a terminal or as JSON", async () => {
  const { run } = await fixture({ isTTY: true });
  for (const json of [false, true]) {
    const { stdout } = await run<typeof definitions.show>(showCommand, { json }, { id: "Old" });
    expect(stdout).toContain('"password":"[redacted]"');
    expect(stdout).not.toContain("hunter2");
  }
});

test("sessions show says from which process a session was taken over, in a terminal as text and as JSON", async () => {
  const { dir, run } = await fixture({ isTTY: true });
  const store = fileStore({ dir });
  await store.acquire("Old", { owner: "\u001B[31mthe <b>former</b> one", ttlMs: 0 });
  const agent = createAgent({ name: "a", model: scriptedModel(["again"]), store, sessionId: "Old" });
  await agent.call("again");
  await agent.close();
  const { stdout } = await run<typeof definitions.show>(showCommand, { json: false }, { id: "Old" });
  expect(stdout).toMatch(
    /: taken over from .*the <b>former<\/b> one, whose lease ended .+, by pid \d+ on .+; no turn/,
  );
  expect(stdout).not.toContain("\u001B[31m");
  const json = await run<typeof definitions.show>(showCommand, { json: true }, { id: "Old" });
  expect(JSON.parse(json.stdout)).toMatchObject({ takeOvers: [{ takeovers: 1, isUnfinished: false }] });
});
