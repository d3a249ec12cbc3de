import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createAgent, defineTool } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import type { Command } from "../../src/cli/commands.ts";
import { FORK_FLAGS, LIST_FLAGS, SHOW_FLAGS } from "../../src/cli/flags.ts";
import { openStore, withoutPassword } from "../../src/cli/open-store.ts";
import { readFlags, type FlagSpec } from "../../src/cli/read-flags.ts";
import { sessionCommand } from "../../src/cli/stored-session.ts";
import { forkCommand } from "../../src/cli/sessions/fork-command.ts";
import { listCommand } from "../../src/cli/sessions/list-command.ts";
import { readDecisions } from "../../src/cli/sessions/read-decisions.ts";
import { showCommand } from "../../src/cli/sessions/show-command.ts";
import { shellFlag, shellWord } from "../../src/cli/shell-words.ts";
import { openTerminal } from "../../src/cli/terminal.ts";

/** A store with a conversation that waits, as a person with a terminal sees it. */
async function desk() {
  const folder = mkdtempSync(join(tmpdir(), "agentchart-terminal-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const place = `sqlite:${join(folder, "sessions.db")}`;
  const store = await openStore(place);
  const agent = createAgent({
    name: "assistant",
    model: scriptedModel([
      "In\u001b[2J\nParis.",
      { calls: [{ id: "c1", name: "lookup", input: { id: 7 } }] },
    ]),
    tools: [defineTool({ name: "lookup", description: "", input: { type: "object" } })],
    store,
    sessionId: "trip\u0007",
    now: () => Date.UTC(2026, 0, 2, 3, 4, 5),
  });
  await agent.call("Where?");
  await agent.call("Look it up");
  await agent.close();
  await store.close();

  return async (command: Command, spec: FlagSpec, ...args: readonly string[]) => {
    const written = { stdout: "", stderr: "" };
    const output = (name: "stdout" | "stderr") => ({
      isTTY: true,
      write: (text: string) => void (written[name] += text),
    });
    const [stdout, env] = [output("stdout"), { NO_COLOR: "1" }];
    const terminal = openTerminal(stdout, output("stderr"), env);
    const code = await command(readFlags([...args, "--store", place], spec), {
      stdout,
      terminal,
      env,
      exit: () => {},
    });
    return { code, ...written };
  };
}

describe("In a terminal", () => {
  test("sessions are a table, without what would move the cursor", async () => {
    const see = await desk();
    const { code, stdout } = await see(listCommand, LIST_FLAGS);
    expect(code).toBe(0);
    const [head, row, ...more] = stdout.split("\n");
    expect(head).toMatch(/^SESSION {2}PHASE {6}POSITION {2}UPDATED {15}WAITS FOR$/);
    expect(row).toMatch(/^trip {5}suspended {2}\d+ +\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ {2}externalResult$/);
    expect(more).toEqual([""]);
    expect(await see(listCommand, LIST_FLAGS, "--prefix", "nothing")).toEqual({
      code: 0,
      stdout: "",
      stderr: "There are no such sessions.\n",
    });
  });

  test("a session is where it stands, its messages with their positions, and its open calls", async () => {
    const see = await desk();
    const { stdout } = await see(showCommand, SHOW_FLAGS, "trip\u0007");
    expect(stdout.replace(/\d+(?= {2,}(user|assistant))|(?<=position )\d+/g, "N")).toMatchInlineSnapshot(`
      "Session trip · suspended.waiting · TOOL_SUSPENDED · position N · 2026-01-02 03:04:05Z
      AT  ROLE       MESSAGE
      N  user       Where?
      N  assistant  In[2J Paris.
      N  user       Look it up
      N  assistant  → lookup {"id":7}
      Waits for the result of lookup {"id":7}, call c1.
      "
    `);
  });

  test("a fork says what it is called, and what waits in it", async () => {
    const see = await desk();
    const { stdout: shown } = await see(showCommand, SHOW_FLAGS, "trip\u0007");
    const [position = ""] = /(?<=position )\d+/.exec(shown) ?? [];
    expect(await see(forkCommand, FORK_FLAGS, "trip\u0007", "--at", position, "--as", "other")).toEqual({
      code: 0,
      stdout: `Forked trip at ${position}: other\n`,
      stderr: 'Open at that position. Waits for the result of lookup {"id":7}, call c1.\n',
    });
  });
});

describe("A command to be copied", () => {
  const words = ["plain-1.5_x/y", "", "two  words", "it's", "$HOME `x` \\", "~", "=ls", "*", "日本"];

  test.for(words)("reads %j back in sh", (word) => {
    expect(execFileSync("sh", ["-c", `printf %s ${shellWord(word)}`], { encoding: "utf8" })).toBe(word);
  });

  test("shows nothing that cannot be seen", () => {
    expect(shellWord("a\u001b[2J'\\\n\u202Eb\u0085")).toBe(String.raw`$'a\x1b[2J\'\\\x0a\u202eb\u0085'`);
  });

  test("keeps values that look like flags, and ids too", () => {
    expect(shellFlag("as", "-x")).toBe("--as=-x");
    const flags = readFlags(["--store=sqlite:a b"], SHOW_FLAGS);
    expect(sessionCommand("show", { sessionId: "-x", flags })).toBe(
      "agentchart sessions show --store 'sqlite:a b' -- -x",
    );
  });

  test.for([
    ["postgres://me:p@ss:word@db/x", "postgres://me:***@db/x"],
    ["postgresql://me@db/x?password=secret&ssl=1", "postgresql://me@db/x?password=***&ssl=1"],
    ["postgres://db/x", "postgres://db/x"],
    ["file:/a:b@c", "file:/a:b@c"],
  ] as const)("says %s as %s", ([store, shown]) => {
    expect(withoutPassword(store)).toBe(shown);
  });
});

describe("Decisions", () => {
  const call = (callId: string) => ({
    callId,
    name: "pay",
    input: {},
    argsHash: "",
    waitsFor: "approval" as const,
    since: 0,
  });

  test("name the longest id there is, which may hold the sign that ends it", () => {
    const status = { phase: "suspended" as const, pending: ["a", "a=b"].map(call) };
    const spec = { answer: { type: "text" }, deny: { type: "text" }, approve: { type: "text" } } as const;
    const flags = readFlags(["--answer", "a=b=c", "--deny", "a=x=y"], spec);
    expect(readDecisions(flags, status)).toEqual([
      { callId: "a=b", decision: { answer: "c" } },
      { callId: "a", decision: { deny: "x=y" } },
    ]);
    expect(readDecisions(readFlags(["--approve", "a=b", "--answer", "a="], spec), status)).toEqual([
      { callId: "a", decision: { answer: "" } },
      { callId: "a=b", decision: "approve" },
    ]);
  });
});
