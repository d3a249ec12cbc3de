// Turns over several processes of the command line, with decisions between them.
import { execFile } from "node:child_process";
import { userInfo } from "node:os";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import type { AgentEvent } from "agentchart";
import type { Moment } from "agentchart/session";
import { agentchart, MAIN } from "./agentchart.ts";
import {
  commandAfter,
  jsonLines,
  lastLine,
  sessionFixture,
  STORES,
  type SessionFixture,
} from "./session-fixture.ts";
import { BARE_ENV } from "../support/bare-env.ts";

// Every test starts processes, on machines that are busy with other tests.

const LOOKUP = 'lookup {"id":7}';
const PAY = 'pay {"euros":7}';

/** Runs a command line that the program printed in a shell, as if pasted. */
async function paste(line: string, { env }: SessionFixture): Promise<string> {
  const program = 'agentchart() { "$NODE" --conditions=agentchart-source "$MAIN" "$@"; }';
  const { stdout } = await promisify(execFile)("sh", ["-c", `${program}\n${line}`], {
    env: { ...BARE_ENV, NODE: process.execPath, MAIN, ...env },
  });
  return stdout;
}

describe.each(STORES)("A session in a %s store", (_, storeIn) => {
  test("continues in a second process", async () => {
    const fixture = await sessionFixture(storeIn);
    expect(await fixture.run("trip", "Where to?")).toMatchObject({ code: 0, stdout: "Answer 1\n" });
    const second = await fixture.run("trip", "And then?");
    expect(second).toMatchObject({ code: 0, stdout: "Answer 2\n" });
    expect(second.stderr).toMatch(/^m at \S+, tools: lookup, pay, slow, book, session trip\n/);
    expect(fixture.lastRequest()).toEqual(["user: Where to?", "assistant: Answer 1", "user: And then?"]);
  });

  test("waits for the result of an external tool, which the printed command sets", async () => {
    const fixture = await sessionFixture(storeIn);
    const asked = await fixture.run("desk", LOOKUP);
    expect(asked.code).toBe(0);
    expect(asked.stderr).toContain('Waits for the result of lookup {"id":7}, call call_1.\n');
    const command = commandAfter("Continue with: ", asked);
    expect(command).toContain("agentchart sessions resume desk --answer call_1=TEXT --store ");
    expect(await paste(command.replace("TEXT", "'two left'"), fixture)).toBe("Results: two left\n");
    expect(await fixture.run("desk", "Thanks")).toMatchObject({ code: 0, stdout: "Answer 2\n" });
  });

  test("waits for the answer to a question, with which the tool runs again", async () => {
    const fixture = await sessionFixture(storeIn);
    const asked = await fixture.run("hotel", 'book {"city":"Rome"}');
    expect(asked.stderr).toContain(
      'Waits for an answer to book {"city":"Rome"} (How many nights?), call call_1/nights.\n',
    );
    expect(lastLine(await fixture.resume("hotel", "--answer", "call_1/nights=two"))).toContain(
      "does not fit its schema",
    );
    expect(fixture.toolLog()).toEqual(["book 0"]);
    const command = commandAfter("Continue with: ", asked);
    expect(await paste(command.replace("TEXT", "2"), fixture)).toBe(
      'Results: Rome {"nights":{"respond":2}}\n',
    );
    expect(fixture.toolLog()).toEqual(["book 0", "book 1"]);
  });

  test("stores the answers to some calls until the last call has one", async () => {
    const fixture = await sessionFixture(storeIn);
    await fixture.run("desk", `${LOOKUP}\nlookup {"id":8}`);
    const requests = fixture.server.requests.length;
    const first = await fixture.resume("desk", "--answer", "call_2=eight=8");
    expect(first.code).toBe(0);
    expect(first.stderr).toContain('Waits for the result of lookup {"id":7}, call call_1.\n');
    expect(first.stderr).not.toContain("call call_2");
    expect(fixture.server.requests).toHaveLength(requests);
    const last = await fixture.resume("desk", "--answer", "call_1=seven");
    expect(last).toMatchObject({ code: 0, stdout: "Results: seven, eight=8\n" });
  });

  test("runs an approved call exactly once", async () => {
    const fixture = await sessionFixture(storeIn);
    const asked = await fixture.run("till", PAY);
    expect(asked.stderr).toContain("APPROVAL_REQUIRED");
    expect(fixture.toolLog()).toEqual([]);
    const undecided = await fixture.resume("till");
    expect(undecided).toMatchObject({ code: 0, stdout: "" });
    expect(undecided.stderr).toContain("Waits for an approval of pay");
    expect(fixture.toolLog()).toEqual([]);
    expect(await paste(commandAfter("Continue with: ", undecided), fixture)).toBe("Results: paid 7\n");
    expect(fixture.toolLog()).toEqual(["pay 7"]);
    expect((await fixture.sessions("export", "till")).stdout).toContain(
      `"decidedBy":"${userInfo().username}"`,
    );
    const again = await fixture.resume("till", "--approve", "call_1");
    expect(lastLine(again)).toMatch(
      /^agentchart: The last turn of session 'till' is complete \(MODEL_STOP\) and cannot be resumed\. Ask the next/,
    );
    expect(again.code).toBe(1);
    expect(fixture.toolLog()).toEqual(["pay 7"]);
  });

  test("tells the model why a call was denied", async () => {
    const fixture = await sessionFixture(storeIn);
    await fixture.run("till", PAY);
    const denied = await fixture.resume("till", "--deny", "call_1=too much");
    expect(denied.code).toBe(0);
    expect(denied.stdout).toMatch(/^Results: .*Permission denied by user: too much/);
    expect(fixture.toolLog()).toEqual([]);
  });

  test("refuses a new question while calls are open, and prints the command that answers them", async () => {
    const fixture = await sessionFixture(storeIn);
    const before = await fixture.run("desk", LOOKUP);
    const refused = await fixture.run("desk", "What now?");
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(commandAfter("Continue with: ", refused)).toBe(commandAfter("Continue with: ", before));
    expect(lastLine(refused)).toBe(
      "agentchart: Session 'desk' needs an answer to its open calls before the next question.",
    );
    const [{ messages }] = jsonLines<Moment>(await fixture.sessions("show", "desk")) as [Moment];
    expect(messages).toHaveLength(2);
  });

  test("prints the events of a turn as JSON, and nothing else on stdout", async () => {
    const fixture = await sessionFixture(storeIn);
    const asked = jsonLines<AgentEvent>(await fixture.run("till", PAY, "--json"));
    expect(asked.at(-1)).toMatchObject({ type: "turn.end", reason: "APPROVAL_REQUIRED" });
    const resumed = jsonLines<AgentEvent>(await fixture.resume("till", "--approve", "call_1", "--json"));
    expect(resumed[0]).toMatchObject({ type: "turn.start", input: [], resumed: true });
    expect(resumed.at(-1)).toMatchObject({ type: "turn.end", reason: "MODEL_STOP" });
  });
});

describe("agentchart sessions compact", () => {
  test("sums up the conversation, and the next prompt begins with the summary", async () => {
    const fixture = await sessionFixture(STORES[0][1]);
    await fixture.run("trip", "words ".repeat(16_000));
    await fixture.run("trip", "And then?");
    const flags = ["--base-url", fixture.server.baseURL, "--model", "m", "--json"];
    const done = await fixture.sessions("compact", "trip", ...flags, "--instructions", "Keep the dates.");
    expect(done).toMatchObject({ code: 0 });
    const result = JSON.parse(done.stdout) as { tokensBefore: number; tokensAfter: number };
    expect(result).toMatchObject({ sessionId: "trip", from: 1 });
    expect(result.tokensAfter).toBeLessThan(result.tokensBefore / 10);
    expect(fixture.lastRequest().at(-1)).toContain("Keep the dates.");
    await fixture.run("trip", "Go on");
    expect(fixture.lastRequest()[0]).toContain("Answer 3");
    expect(fixture.lastRequest()).toHaveLength(5);
  });

  test("knows no session that is not there", async () => {
    const fixture = await sessionFixture(STORES[0][1]);
    await fixture.run("trip", "Where to?");
    const missing = await fixture.sessions("compact", "trap", "--base-url", fixture.server.baseURL);
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain("Session not found: trap");
  });
});

describe("agentchart sessions resume", () => {
  const storeIn = STORES[1][1];

  test.for([
    [
      ["--approve", "call_9"],
      '"--approve call_9" does not name an open call: open calls are call_1 (lookup).',
      1,
    ],
    [["--approve", "call_1"], 'Call "call_1" cannot be decided with --approve: use --answer, or --deny.', 1],
    [
      ["--approve", "call_1=yes"],
      '"--approve call_1=yes" does not name an open call: open calls are call_1 (lookup).',
      1,
    ],
    [
      ["--answer", "call_1"],
      '"--answer call_1" has no answer: use --answer call_1=TEXT. See "agentchart sessions resume --help".',
      2,
    ],
    [
      ["--answer", "call_1=a", "--deny", "call_1"],
      'Call "call_1" has more than one decision. See "agentchart sessions resume --help".',
      2,
    ],
  ] as const)("refuses %j and changes nothing", async ([args, line, code]) => {
    const fixture = await sessionFixture(storeIn);
    await fixture.run("desk", LOOKUP);
    const refused = await fixture.resume("desk", ...args);
    expect([lastLine(refused), refused.code]).toEqual([`agentchart: ${line}`, code]);
    const [{ pending }] = jsonLines<Moment>(await fixture.sessions("show", "desk")) as [Moment];
    expect(pending).toMatchObject([{ callId: "call_1", waitsFor: "externalResult" }]);
    expect(pending[0]).not.toHaveProperty("decided");
  });

  test("refuses an approval without the tool, and does not use it up", async () => {
    const fixture = await sessionFixture(storeIn);
    await fixture.run("till", PAY);
    const flags = fixture.flags.slice(0, -2);
    const refused = await agentchart(
      ["sessions", "resume", "till", "--approve", "call_1", ...flags],
      fixture,
    );
    expect([lastLine(refused), refused.code]).toEqual([
      'agentchart: The tool "pay" is not loaded: name its file with --tools.',
      1,
    ]);
    for (const command of [
      ["run", "--session", "till", "And now?"],
      ["sessions", "compact", "till"],
    ])
      expect(lastLine(await agentchart([...command, ...flags], fixture))).toBe(lastLine(refused));
    expect((await fixture.resume("till", "--approve", "call_1")).stdout).toBe("Results: paid 7\n");
  });

  test("refuses a session that does not exist, and does not create it", async () => {
    const fixture = await sessionFixture(storeIn);
    await fixture.run("there", "Hi");
    for (const finished of [await fixture.resume("missing"), await fixture.run("missing")]) {
      expect([lastLine(finished), finished.code]).toEqual(["agentchart: Session not found: missing.", 1]);
    }
    expect(jsonLines(await fixture.sessions("ls"))).toMatchObject([{ sessionId: "there" }]);
  });
});

test("A failed turn stores its question, and the printed command tries again", async () => {
  const fixture = await sessionFixture(STORES[0][1]);
  fixture.failNextRequest();
  const failed = await fixture.run("trip", "Where to?");
  expect([failed.code, failed.stdout]).toEqual([1, ""]);
  expect(lastLine(failed)).toMatch(/^agentchart: .*no luck/);
  expect(await paste(commandAfter("The question is stored. Try again with: ", failed), fixture)).toBe(
    "Answer 1\n",
  );
  expect(fixture.lastRequest()).toEqual(["user: Where to?"]);
});
