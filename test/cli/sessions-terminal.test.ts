// The commands of `sessions` in a terminal: tables, colours, and lines to copy.
import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createAgent, defineTool, type JsonObject } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import type { CommandDefinition, Handler, Input } from "../../src/cli/define-command.ts";
import { openStore } from "../../src/cli/open-store.ts";
import { pendingLine } from "../../src/cli/print-turn.ts";
import { askCommand, sessionCommand } from "../../src/cli/session-commands.ts";
import * as definitions from "../../src/cli/sessions/definitions.ts";
import { forkCommand } from "../../src/cli/sessions/fork-command.ts";
import { listCommand } from "../../src/cli/sessions/list-command.ts";
import { readDecisions } from "../../src/cli/sessions/read-decisions.ts";
import { showCommand } from "../../src/cli/sessions/show-command.ts";
import { shellFlag, shellQuote } from "../../src/cli/shell-quote.ts";
import { openTerminal } from "../../src/cli/terminal.ts";

/** Stores a suspended session and returns a function that runs a command in a terminal with that store. */
async function openTerminalFixture() {
  const folder = mkdtempSync(join(tmpdir(), "agentchart-terminal-"));
  const spec = `sqlite:${join(folder, "sessions.db")}`;
  const store = await openStore(spec);
  const agent = createAgent({
    name: "assistant",
    model: scriptedModel([
      "In\u001b[2J\nParis.",
      { calls: [{ id: "c1", name: "lookup", input: { id: 7 } }] },
    ]),
    tools: [defineTool({ name: "lookup", description: "", input: { type: "object" } })],
    store,
    sessionId: "trip\u0007",
    sessionOptions: { now: () => Date.UTC(2026, 0, 2, 3, 4, 5) },
  });
  await agent.call("Where?");
  await agent.call("Look it up");
  await agent.close();
  await store.close();

  return async <D extends CommandDefinition>(
    handler: Handler<D>,
    args: Input<D>["args"],
    flags: Partial<Input<D>["flags"]> = {},
  ) => {
    const written = { stdout: "", stderr: "" };
    const output = (name: "stdout" | "stderr") => ({
      isTTY: true,
      write: (text: string) => void (written[name] += text),
    });
    const [stdout, env] = [output("stdout"), { NO_COLOR: "1" }];
    const terminal = openTerminal(stdout, output("stderr"), env);
    const input = { args, flags: { ...flags, store: spec } } as unknown as Input<D>;
    const code = await handler(input, { stdout, terminal, env, exit: () => {} });
    return { code, ...written };
  };
}

describe("A command in a terminal", () => {
  test("lists sessions as a table without control characters", async () => {
    const run = await openTerminalFixture();
    const { code, stdout } = await run<typeof definitions.list>(listCommand, {});
    expect(code).toBe(0);
    const [head, row, ...more] = stdout.split("\n");
    expect(head).toMatch(/^SESSION {2}PHASE {6}POSITION {2}UPDATED {15}WAITS FOR {7}TITLE$/);
    expect(row).toMatch(
      /^trip {5}suspended {2}\d+ +\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ {2}externalResult {2}Where\?$/,
    );
    expect(more).toEqual([""]);
    expect(await run<typeof definitions.list>(listCommand, {}, { prefix: "nothing" })).toEqual({
      code: 0,
      stdout: "",
      stderr: "No session matches.\n",
    });
  });

  test("shows the state of a session, its messages with their positions, and its open calls", async () => {
    const run = await openTerminalFixture();
    const { stdout } = await run<typeof definitions.show>(showCommand, { id: "trip\u0007" });
    expect(stdout.replace(/(?<=position )\d+ |^\d+ +/gm, "N ")).toMatchInlineSnapshot(`
      "Session trip · suspended.waiting · TOOL_SUSPENDED · position N · 2026-01-02 03:04:05Z
      AT  ROLE       MESSAGE
      N user       Where?
      N assistant  In[2J Paris.
      N user       Look it up
      N assistant  → lookup {"id":7}
      Waits for the result of lookup {"id":7}, call c1.
      "
    `);
  });

  test("prints the id of a fork, and its open calls", async () => {
    const run = await openTerminalFixture();
    const id = "trip\u0007";
    const { stdout: shown } = await run<typeof definitions.show>(showCommand, { id });
    const [position = ""] = /(?<=position )\d+/.exec(shown) ?? [];
    const flags = { at: Number(position), as: "other" };
    expect(await run<typeof definitions.fork>(forkCommand, { id }, flags)).toEqual({
      code: 0,
      stdout: `Forked trip at ${position}: other\n`,
      stderr: 'Open at that position. Waits for the result of lookup {"id":7}, call c1.\n',
    });
    const within = { at: Number(position) - 1, as: "within" };
    expect((await run<typeof definitions.fork>(forkCommand, { id }, within)).stdout).toBe(
      `Forked trip at ${position}, the end of the step of position ${within.at}: within\n`,
    );
  });

  test("prints JSON with --json", async () => {
    const run = await openTerminalFixture();
    const id = "trip\u0007";
    const json = { json: true };
    const listed = await run<typeof definitions.list>(listCommand, {}, json);
    expect(JSON.parse(listed.stdout)).toMatchObject({ sessionId: id, phase: "suspended" });
    const shown = await run<typeof definitions.show>(showCommand, { id }, json);
    const { seq } = JSON.parse(shown.stdout) as { readonly seq: number };
    const forked = await run<typeof definitions.fork>(forkCommand, { id }, { at: seq, as: "other", ...json });
    expect(JSON.parse(forked.stdout)).toMatchObject({ sessionId: "other", forkedAt: seq });
    expect(await run<typeof definitions.list>(listCommand, {}, { prefix: "nothing", ...json })).toEqual({
      code: 0,
      stdout: "",
      stderr: "",
    });
  });
});

describe("A command line to copy", () => {
  const words = ["plain-1.5_x/y", "", "two  words", "it's", "$HOME `x` \\", "~", "=ls", "*", "日本"];

  test("repeats the flags of an agent, except defaults and passwords", () => {
    const flags = { store: "postgres://me:secret@h/db", tools: ["a.ts", "b.ts"], maxIters: 10, model: "m" };
    const session = { sessionId: "s", flags };
    expect(sessionCommand("sessions resume", session, ["--approve c1"])).toBe(
      "agentchart sessions resume s --approve c1 --store 'postgres://me:[redacted]@h/db' --model m --tools a.ts --tools b.ts",
    );
    expect(askCommand({ sessionId: "s", flags: { maxIters: 3 } })).toBe(
      "agentchart run QUESTION --session s --max-iters 3",
    );
  });

  test.for(words)("quotes %j for sh", (word) => {
    expect(execFileSync("sh", ["-c", `printf %s ${shellQuote(word)}`], { encoding: "utf8" })).toBe(word);
  });

  test("escapes invisible characters", () => {
    expect(shellQuote("a\u001b[2J'\\\n\u202Eb\u0085")).toBe(String.raw`$'a\x1b[2J\'\\\x0a\u202eb\u0085'`);
  });

  test("attaches a value that begins with a dash, and puts such an id after --", () => {
    expect(shellFlag("--as", "-x")).toBe("--as=-x");
    const flags = { store: "sqlite:a b" };
    expect(sessionCommand("sessions show", { sessionId: "-x", flags })).toBe(
      "agentchart sessions show --store 'sqlite:a b' -- -x",
    );
  });
});

describe("readDecisions()", () => {
  const call = (callId: string) => ({
    callId,
    name: "pay",
    input: {},
    argsHash: "",
    waitsFor: "approval" as const,
    since: 0,
  });

  test("takes the longest id that matches, which may contain an equals sign", () => {
    const status = { phase: "suspended" as const, pending: ["a", "a=b"].map(call) };
    const none = { answer: [], approve: [], deny: [], retry: [] };
    expect(readDecisions({ ...none, answer: ["a=b=c"], deny: ["a=x=y"] }, status)).toEqual([
      { callId: "a=b", decision: { answer: "c" } },
      { callId: "a", decision: { deny: "x=y" } },
    ]);
    expect(readDecisions({ ...none, approve: ["a=b"], answer: ["a="] }, status)).toEqual([
      { callId: "a", decision: { answer: "" } },
      { callId: "a=b", decision: "approve" },
    ]);
  });

  test("answers questions with JSON or text, as their schemas want, and declines them", () => {
    const question = (callId: string, answerSchema?: JsonObject) => ({
      ...call(callId),
      waitsFor: "answer" as const,
      ask: { kind: "form" as const },
      ...(answerSchema && { answerSchema }),
    });
    const pending = [
      question("c/n", { type: "integer" }),
      question("c/s", { type: "string" }),
      question("c/x"),
    ];
    const status = { phase: "suspended" as const, pending };
    const none = { answer: [], approve: [], deny: [], retry: [] };
    expect(readDecisions({ ...none, answer: ["c/n=2", "c/s=2", "c/x=two"] }, status)).toEqual([
      { callId: "c/n", decision: { respond: 2 } },
      { callId: "c/s", decision: { respond: "2" } },
      { callId: "c/x", decision: { respond: "two" } },
    ]);
    expect(readDecisions({ ...none, deny: ["c/n"] }, status)).toEqual([
      { callId: "c/n", decision: { decline: true } },
    ]);
    expect(() => readDecisions({ ...none, approve: ["c/n"] }, status)).toThrow("use --answer, or --deny");
    expect(pendingLine({ ...pending[0]!, path: ["outer"], reason: "How many?" })).toBe(
      "Waits for an answer to outer > pay {} (How many?), call c/n.",
    );
  });
});

test.each([
  ["y\n", "true"],
  ["Yes\n", "true"],
  ["n\n", "false"],
  ["\n", "false"],
  ["", "false"], // Ctrl-D
])("the question of a command is answered by %j", (input, answer) => {
  const url = new URL("../../src/cli/person.ts", import.meta.url).href;
  const script = `const { confirm } = await import("${url}"); console.log(await confirm("Go on? [y/N] "));`;
  const args = ["--input-type=module", "-e", script];
  expect(execFileSync(process.execPath, args, { input, stdio: "pipe", encoding: "utf8" }).trim()).toBe(
    answer,
  );
});
