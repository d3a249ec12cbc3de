// The command `sessions fork`.
import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { BARE_ENV } from "../support/bare-env.ts";
import { MAIN } from "./agentchart.ts";
import { jsonLines, lastLine, sessionFixture, STORES, type SessionFixture } from "./session-fixture.ts";

// Every test starts processes, on machines that are busy with other tests.

type Shown = {
  readonly seq: number;
  readonly positions: readonly number[];
  readonly messages: readonly { readonly id: string; readonly role: string }[];
};

async function shown(fixture: SessionFixture, id: string): Promise<Shown> {
  return jsonLines<Shown>(await fixture.sessions("show", id))[0]!;
}

function written(fixture: SessionFixture, changes: unknown): string {
  const file = join(fixture.folder, "changes.json");
  writeFileSync(file, typeof changes === "string" ? changes : JSON.stringify(changes));
  return file;
}

/** The flags of an agent without those of the store, which `sessions` has. */
const agentFlags = ({ flags }: SessionFixture): readonly string[] => flags.slice(2);

describe.each(STORES)("sessions fork in a %s store", (_kind, storeIn) => {
  test("changes what a file says, and runs the forks", async () => {
    const fixture = await sessionFixture(storeIn);
    await fixture.run("till", 'pay {"euros":7}');
    const { seq } = await shown(fixture, "till");
    const edit = written(fixture, {
      system: "Be brief.",
      results: { call_1: "paid by hand" },
      options: { temperature: 0 },
    });
    const args = [
      "--at",
      String(seq),
      "--edit",
      edit,
      "--as",
      "copy",
      "--times",
      "2",
      "--run",
      "--results",
      "live",
    ];
    const forked = await fixture.sessions("fork", "till", ...args, ...agentFlags(fixture));
    expect(forked.code).toBe(0);
    expect(jsonLines(forked)).toMatchObject(
      ["copy-1", "copy-2"].map((sessionId) => ({
        sessionId,
        forkedFrom: "till",
        forkedAt: seq,
        reason: "MODEL_STOP",
        text: "Results: paid by hand",
      })),
    );
    expect(fixture.lastRequest()[0]).toBe("system: Be brief.");
    expect(fixture.server.requests.at(-1)).toMatchObject({ temperature: 0 });
    expect(fixture.toolLog()).toEqual([]);
    const [listed] = jsonLines<object>(await fixture.sessions("ls", "--prefix", "copy-1"));
    expect(listed).toMatchObject({ phase: "stopped", meta: { forkedFrom: "till" } });
  });

  test("without --run writes forks that a later command runs as changed", async () => {
    const fixture = await sessionFixture(storeIn);
    await fixture.run("trip", "Where to?");
    const { messages, positions } = await shown(fixture, "trip");
    const edit = written(fixture, { messages: { [messages[0]!.id]: "Where from?" }, system: "Be brief." });
    const forked = await fixture.sessions("fork", "trip", "--at", String(positions[0]), "--edit", edit);
    const [{ sessionId }] = jsonLines<{ sessionId: string }>(forked) as [{ sessionId: string }];
    expect((await fixture.resume(sessionId)).code).toBe(0);
    expect(fixture.lastRequest()).toEqual(["system: Be brief.", "user: Where from?"]);
  });

  test("a run that fails is printed, the others run, and the exit code is 1", async () => {
    const fixture = await sessionFixture(storeIn);
    await fixture.run("trip", "Where to?");
    const { positions } = await shown(fixture, "trip");
    fixture.failNextRequest();
    const run = ["--run", "--results", "live", ...agentFlags(fixture)];
    const args = ["--at", String(positions[0]), "--times", "2", ...run];
    const forked = await fixture.sessions("fork", "trip", ...args);
    expect(forked.code).toBe(1);
    expect(jsonLines(forked)).toMatchObject([{ error: { code: "model/bad-request" } }, { text: "Answer 1" }]);
  });
});

test("sessions fork asks what tools do, repeats recorded results, and begins before a step", async () => {
  const fixture = await sessionFixture(STORES[0][1]);
  await fixture.run("till", 'slow {"ms":1}');
  const { positions } = await shown(fixture, "till");
  const fork = (...args: readonly string[]) =>
    fixture.sessions("fork", "till", "--before", String(positions[1]), ...args);
  const unsaid = await fork("--run", ...agentFlags(fixture));
  expect([unsaid.code, unsaid.stdout]).toEqual([1, ""]);
  expect(lastLine(unsaid)).toMatch(
    /These tools act each time they run: pay, slow, book\..*--results recorded/,
  );
  const before = fixture.toolLog();
  expect(before).toEqual(["slow starts", "slow ends"]);
  const repeated = await fork("--as", "again", "--run", "--results", "recorded", ...agentFlags(fixture));
  expect(repeated.code).toBe(0);
  expect(fixture.toolLog()).toEqual(before);
  const [forked] = jsonLines<{ forkedAt: number }>(repeated);
  expect(forked).toMatchObject({ sessionId: "again", text: "Results: slowly done" });
  expect(forked!.forkedAt).toBeGreaterThanOrEqual(positions[0]!);
  expect(forked!.forkedAt).toBeLessThan(positions[1]!);
  const both = await fixture.sessions("fork", "till", "--at", "1", "--before", "2");
  const neither = await fixture.sessions("fork", "till");
  for (const { code, stderr } of [both, neither])
    expect([code, stderr]).toEqual([2, expect.stringContaining("Expected one of --at and --before")]);
  expect(jsonLines(await fixture.sessions("ls"))).toHaveLength(2);
});

test("a fork before the first message gets it again", async () => {
  const fixture = await sessionFixture(STORES[0][1]);
  await fixture.run("till", "Hello.");
  const { positions } = await shown(fixture, "till");
  const run = ["--run", "--results", "live", ...agentFlags(fixture)];
  const [first] = jsonLines<object>(
    await fixture.sessions("fork", "till", "--before", String(positions[0]), "--as", "again", ...run),
  );
  expect(first).toMatchObject({ sessionId: "again", text: "Answer 1" });
  const roles = async (id: string): Promise<readonly string[]> =>
    (await shown(fixture, id)).messages.map(({ role }) => role);
  expect(await roles("again")).toEqual(await roles("till"));
});

/** A program that gives a process a terminal. */
const SCRIPT = "/usr/bin/script";

/** Runs the program in a terminal, in which a person answers its question. Resolves to what the terminal shows. */
async function inTerminal(
  fixture: SessionFixture,
  args: readonly string[],
  question: RegExp,
  answer: string,
): Promise<string> {
  const words = [process.execPath, "--conditions=agentchart-source", MAIN, ...args];
  const command = words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(" ");
  const child = spawn(SCRIPT, ["-qec", command, "/dev/null"], {
    env: { ...BARE_ENV, ...fixture.env, TERM: "dumb" },
  });
  let shows = "";
  let isAnswered = false;
  child.stdout.on("data", (data) => {
    shows += String(data);
    if (isAnswered || !question.test(shows)) return;
    isAnswered = true;
    child.stdin.write(`${answer}\n`);
  });
  await new Promise((resolve) => child.once("close", resolve));
  return shows;
}

test.skipIf(!existsSync(SCRIPT)).each([
  ["y", true],
  ["n", false],
  ["", false],
])("in a terminal a person who answers %j has the tools run: %s", async (answer, run) => {
  const fixture = await sessionFixture(STORES[0][1]);
  await fixture.run("till", 'slow {"ms":1}');
  const before = fixture.toolLog();
  const { positions } = await shown(fixture, "till");
  const fork = ["sessions", "fork", "till", "--before", String(positions[1]), "--times", "2", "--run"];
  const shows = await inTerminal(
    fixture,
    [...fork, "--store", fixture.store, ...agentFlags(fixture)],
    /act each time they run: pay, slow, book\. Really run them\? \[y\/N\]/,
    answer,
  );
  expect(shows.match(/Really run them/g), shows).toHaveLength(1); // once for both forks
  expect(shows.match(/Results: slowly done/g)).toHaveLength(2);
  expect(fixture.toolLog().length - before.length).toBe(run ? 4 : 0);
});

test("sessions fork refuses wrong changes and writes nothing", async () => {
  const fixture = await sessionFixture(STORES[0][1]);
  await fixture.run("till", 'pay {"euros":7}');
  const { seq } = await shown(fixture, "till");
  const refused = async (changes: unknown, ...more: readonly string[]): Promise<string> => {
    const args = ["--at", String(seq), "--edit", written(fixture, changes), ...more];
    const finished = await fixture.sessions("fork", "till", ...args);
    expect([finished.code, finished.stdout]).toEqual([more.includes("101") ? 2 : 1, ""]);
    return lastLine(finished);
  };
  expect(await refused("{")).toMatch(/^agentchart: The file of --edit is not JSON: /);
  expect(await refused({ sytem: "x" })).toContain("did you mean `system`?");
  expect(await refused({ results: { none: "x" } })).toBe(
    `agentchart: There is no call 'none' at position ${seq}.`,
  );
  expect(await refused({}, "--times", "101")).toContain("--times");
  const run = ["--run", "--results", "live", ...agentFlags(fixture)];
  expect(await refused({ tools: ["fly"] }, ...run)).toContain('The tool "fly" of --edit is not loaded');
  expect(jsonLines(await fixture.sessions("ls"))).toHaveLength(1);
});
