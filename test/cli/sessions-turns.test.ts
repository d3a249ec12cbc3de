import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test, vi } from "vitest";
import type { AgentEvent } from "agentchart";
import type { Moment } from "agentchart/session";
import { agentchart, MAIN } from "./agentchart.ts";
import { commandAfter, jsonLines, lastLine, openDesk, STORES, type Desk } from "./desk.ts";
import { BARE_ENV } from "../support/bare-env.ts";

// Every test starts processes, on machines that are busy with other tests.
vi.setConfig({ testTimeout: 120_000 });

const LOOKUP = 'lookup {"id":7}';
const PAY = 'pay {"euros":7}';

/** Runs a line that the program printed, as a person would who pastes it. */
async function paste(line: string, { env }: Desk): Promise<string> {
  const program = 'agentchart() { "$NODE" --conditions=agentchart-source "$MAIN" "$@"; }';
  const { stdout } = await promisify(execFile)("sh", ["-c", `${program}\n${line}`], {
    env: { ...BARE_ENV, NODE: process.execPath, MAIN, ...env },
  });
  return stdout;
}

describe.each(STORES)("A session in a %s store", (_, storeIn) => {
  test("goes on with its conversation in a second process", async () => {
    const desk = await openDesk(storeIn);
    expect(await desk.run("trip", "Where to?")).toMatchObject({ code: 0, stdout: "Answer 1\n" });
    const second = await desk.run("trip", "And then?");
    expect(second).toMatchObject({ code: 0, stdout: "Answer 2\n" });
    expect(second.stderr).toMatch(/^m at \S+, tools: lookup, pay, slow, session trip\n/);
    expect(desk.told()).toEqual(["user: Where to?", "assistant: Answer 1", "user: And then?"]);
  });

  test("waits for the result of an external tool, which the printed command gives", async () => {
    const desk = await openDesk(storeIn);
    const asked = await desk.run("desk", LOOKUP);
    expect(asked.code).toBe(0);
    expect(asked.stderr).toContain('Waits for the result of lookup {"id":7}, call call_1.\n');
    const command = commandAfter("Go on with: ", asked);
    expect(command).toContain("agentchart sessions resume desk --answer call_1=TEXT --store ");
    expect(await paste(command.replace("TEXT", "'two left'"), desk)).toBe("It says: two left\n");
    expect(await desk.run("desk", "Thanks")).toMatchObject({ code: 0, stdout: "Answer 2\n" });
  });

  test("keeps the answers to some of its calls until the last one has come", async () => {
    const desk = await openDesk(storeIn);
    await desk.run("desk", `${LOOKUP}\nlookup {"id":8}`);
    const requests = desk.server.requests.length;
    const first = await desk.resume("desk", "--answer", "call_2=eight=8");
    expect(first.code).toBe(0);
    expect(first.stderr).toContain('Waits for the result of lookup {"id":7}, call call_1.\n');
    expect(first.stderr).not.toContain("call call_2");
    expect(desk.server.requests).toHaveLength(requests);
    const last = await desk.resume("desk", "--answer", "call_1=seven");
    expect(last).toMatchObject({ code: 0, stdout: "It says: seven, eight=8\n" });
  });

  test("runs a call that needs an approval once it has one, and only once", async () => {
    const desk = await openDesk(storeIn);
    const asked = await desk.run("till", PAY);
    expect(asked.stderr).toContain("APPROVAL_REQUIRED");
    expect(desk.ledger()).toEqual([]);
    const undecided = await desk.resume("till");
    expect(undecided).toMatchObject({ code: 0, stdout: "" });
    expect(undecided.stderr).toContain("Waits for an approval of pay");
    expect(desk.ledger()).toEqual([]);
    expect(await paste(commandAfter("Go on with: ", undecided), desk)).toBe("It says: paid 7\n");
    expect(desk.ledger()).toEqual(["pay 7"]);
    const again = await desk.resume("till", "--approve", "call_1");
    expect(lastLine(again)).toMatch(
      /^agentchart: There is nothing to resume: .* is over \(MODEL_STOP\)\. Ask the next/,
    );
    expect(again.code).toBe(1);
    expect(desk.ledger()).toEqual(["pay 7"]);
  });

  test("tells the model why a call was denied", async () => {
    const desk = await openDesk(storeIn);
    await desk.run("till", PAY);
    const denied = await desk.resume("till", "--deny", "call_1=too much");
    expect(denied.code).toBe(0);
    expect(denied.stdout).toMatch(/^It says: .*Permission denied by user: too much/);
    expect(desk.ledger()).toEqual([]);
  });

  test("takes no new question while calls are open, and says how to answer them", async () => {
    const desk = await openDesk(storeIn);
    const before = await desk.run("desk", LOOKUP);
    const refused = await desk.run("desk", "What now?");
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(commandAfter("Go on with: ", refused)).toBe(commandAfter("Go on with: ", before));
    expect(lastLine(refused)).toBe(
      "agentchart: Session 'desk' waits for an answer to its open calls before it takes a new question.",
    );
    const [{ messages }] = jsonLines<Moment>(await desk.sessions("show", "desk")) as [Moment];
    expect(messages).toHaveLength(2);
  });

  test("prints the events of a turn as JSON, and nothing else on stdout", async () => {
    const desk = await openDesk(storeIn);
    const asked = jsonLines<AgentEvent>(await desk.run("till", PAY, "--json"));
    expect(asked.at(-1)).toMatchObject({ type: "turn.end", reason: "APPROVAL_REQUIRED" });
    const resumed = jsonLines<AgentEvent>(await desk.resume("till", "--approve", "call_1", "--json"));
    expect(resumed[0]).toMatchObject({ type: "turn.start", input: [], resumed: true });
    expect(resumed.at(-1)).toMatchObject({ type: "turn.end", reason: "MODEL_STOP" });
  });
});

describe("What is decided", () => {
  const storeIn = STORES[1][1];

  test.for([
    [["--approve", "call_9"], '"--approve call_9" names no open call: open are call_1 (lookup).', 1],
    [["--approve", "call_1"], 'Call "call_1" cannot be decided with --approve: use --answer, or --deny.', 1],
    [["--approve", "call_1=yes"], '"--approve call_1=yes" names no open call: open are call_1 (lookup).', 1],
    [
      ["--answer", "call_1"],
      '"--answer call_1" has no answer: say --answer call_1=TEXT. See "agentchart sessions resume --help".',
      2,
    ],
    [
      ["--answer", "call_1=a", "--deny", "call_1"],
      'Call "call_1" is decided more than once. See "agentchart sessions resume --help".',
      2,
    ],
  ] as const)("by %j is refused, and nothing has changed", async ([args, line, code]) => {
    const desk = await openDesk(storeIn);
    await desk.run("desk", LOOKUP);
    const refused = await desk.resume("desk", ...args);
    expect([lastLine(refused), refused.code]).toEqual([`agentchart: ${line}`, code]);
    const [{ pending }] = jsonLines<Moment>(await desk.sessions("show", "desk")) as [Moment];
    expect(pending).toMatchObject([{ callId: "call_1", waitsFor: "externalResult" }]);
    expect(pending[0]).not.toHaveProperty("decided");
  });

  test("to run is refused where the tool is not, and the approval is not used up", async () => {
    const desk = await openDesk(storeIn);
    await desk.run("till", PAY);
    const flags = desk.flags.slice(0, -2);
    const refused = await agentchart(["sessions", "resume", "till", "--approve", "call_1", ...flags], desk);
    expect([lastLine(refused), refused.code]).toEqual([
      'agentchart: There is no tool "pay" here: name its file with --tools.',
      1,
    ]);
    expect((await desk.resume("till", "--approve", "call_1")).stdout).toBe("It says: paid 7\n");
  });

  test("of a session that is not there is refused, and none is made", async () => {
    const desk = await openDesk(storeIn);
    for (const finished of [await desk.resume("nobody"), await desk.run("nobody")]) {
      expect([lastLine(finished), finished.code]).toEqual(["agentchart: Session not found: nobody.", 1]);
    }
    expect(await desk.sessions("ls")).toEqual({ code: 0, stdout: "", stderr: "" });
  });
});

test("A failed turn keeps its question, and the printed command tries again", async () => {
  const desk = await openDesk(STORES[0][1]);
  desk.refuseNext();
  const failed = await desk.run("trip", "Where to?");
  expect([failed.code, failed.stdout]).toEqual([1, ""]);
  expect(lastLine(failed)).toMatch(/^agentchart: .*no luck/);
  expect(await paste(commandAfter("What was asked is kept. Try again with: ", failed), desk)).toBe(
    "Answer 1\n",
  );
  expect(desk.told()).toEqual(["user: Where to?"]);
});
