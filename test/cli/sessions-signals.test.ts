// Signals to a process that runs a session.
import { describe, expect, test } from "vitest";
import type { Moment } from "agentchart/session";
import { start } from "./agentchart.ts";
import { commandAfter, jsonLines, lastLine, sessionFixture, STORES } from "./session-fixture.ts";

// Every test starts processes, on machines that are busy with other tests.

const rolesOf = ({ messages }: Moment): string[] => messages.map(({ role }) => role);

describe.each(STORES)("A process with a session in a %s store", (_, storeIn) => {
  test("stops at SIGTERM during a tool, and another process continues the turn", async () => {
    const fixture = await sessionFixture(storeIn);
    const { child, printed, finished } = fixture.start("trip", 'slow {"ms":1500}');
    await printed("→ slow");
    await expect.poll(fixture.toolLog).toEqual(["slow starts"]);
    child.kill("SIGTERM");
    const stopped = await finished;
    expect([stopped.code, stopped.stdout]).toEqual([0, ""]);
    expect(commandAfter("Stopped by SIGTERM, and saved. Continue with: ", stopped)).toMatch(
      /^agentchart sessions resume trip /,
    );
    const [listed] = jsonLines(await fixture.sessions("ls"));
    expect(listed).toMatchObject({ sessionId: "trip", phase: "unfinished" });

    const resumed = await fixture.run("trip");
    expect(resumed).toMatchObject({ code: 0, stdout: "Results: slowly done\n" });
    expect(fixture.toolLog()).toEqual(["slow starts", "slow ends"]);
    expect(fixture.lastRequest().filter((line) => line.startsWith("user: "))).toEqual([
      'user: slow {"ms":1500}',
    ]);
    const [moment] = jsonLines<Moment>(await fixture.sessions("show", "trip")) as [Moment];
    expect(rolesOf(moment)).toEqual(["user", "assistant", "tool", "assistant"]);
  });

  test("locks the session: a second process fails with one line and changes nothing", async () => {
    const fixture = await sessionFixture(storeIn);
    const { child, printed, finished } = fixture.start("trip", 'slow {"ms":60000}');
    await printed("→ slow");
    await expect.poll(fixture.toolLog).toEqual(["slow starts"]);
    const [before] = jsonLines<Moment>(await fixture.sessions("show", "trip"));
    const others = await Promise.all([
      fixture.run("trip", "Me too"),
      fixture.resume("trip"),
      fixture.sessions("rm", "trip", "--yes"),
    ]);
    for (const other of others) {
      expect([other.code, other.stdout]).toEqual([1, ""]);
      expect(lastLine(other)).toMatch(
        /^agentchart: Session 'trip' is open in another process \(pid \d+ on '.+', agent '.+'\)\. If that process was killed, its lease expires within \d+ s\.$/,
      );
    }
    expect(jsonLines(await fixture.sessions("show", "trip"))).toEqual([before]);
    child.kill("SIGKILL");
    await finished;
  });

  test("interrupts the turn at SIGINT, and the session takes the next question", async () => {
    const fixture = await sessionFixture(storeIn);
    const { child, printed, finished } = fixture.start("trip", 'slow {"ms":60000}');
    await printed("→ slow");
    await expect.poll(fixture.toolLog).toEqual(["slow starts"]);
    child.kill("SIGINT");
    const interrupted = await finished;
    expect(interrupted.code).toBe(1);
    expect(interrupted.stderr).toContain("Interrupted: the answer is incomplete.\n");
    expect(interrupted.stderr).not.toContain("Continue with");
    expect(await fixture.run("trip", "Anything else?")).toMatchObject({ code: 0, stdout: "Answer 2\n" });
  });
});

test("A tool that outlives the shutdown has an unknown outcome and does not run again by itself", async () => {
  const fixture = await sessionFixture(STORES[0][1]);
  const { child, printed, finished } = fixture.start("trip", 'slow {"ms":15000}');
  await printed("→ slow");
  await expect.poll(fixture.toolLog).toEqual(["slow starts"]);
  child.kill("SIGTERM");
  expect((await finished).code).toBe(0);
  expect(fixture.toolLog()).toEqual(["slow starts"]);

  const early = await fixture.resume("trip", "--retry", "call_1");
  expect([lastLine(early), early.code]).toEqual([
    'agentchart: "--retry call_1" does not name an open call: the turn was cut off and no call is open yet; resume it without a decision first.',
    1,
  ]);
  const asked = await fixture.resume("trip");
  expect(asked).toMatchObject({ code: 0, stdout: "" });
  expect(asked.stderr).toContain('Waits for the unknown outcome of slow {"ms":15000}, call call_1.\n');
  expect(commandAfter("If the call ran, continue with: ", asked)).toContain(" --answer call_1=TEXT ");
  expect(commandAfter("If it did not run, or may run twice, retry with: ", asked)).toContain(
    " --retry call_1 ",
  );
  const answered = await fixture.resume("trip", "--answer", "call_1=it went through");
  expect(answered).toMatchObject({ code: 0, stdout: "Results: it went through\n" });
  expect(fixture.toolLog()).toEqual(["slow starts"]);
});

test("A second SIGTERM exits immediately", async () => {
  const fixture = await sessionFixture(STORES[1][1]);
  const { child, printed, finished } = fixture.start("trip", 'slow {"ms":60000}');
  await printed("→ slow");
  await expect.poll(fixture.toolLog).toEqual(["slow starts"]);
  child.kill("SIGTERM");
  const repeat = setInterval(() => child.kill("SIGTERM"), 300);
  const { code, signal } = await finished.then(({ code }) => ({ code, signal: child.signalCode }));
  clearInterval(repeat);
  expect([code, signal]).toEqual([143, null]);
});

test("After SIGINT no other fork is run", async () => {
  const fixture = await sessionFixture(STORES[1][1]);
  await fixture.run("trip", 'slow {"ms":3000}');
  const [{ positions }] = jsonLines<{ positions: readonly number[] }>(
    await fixture.sessions("show", "trip"),
  ) as [{ positions: readonly number[] }];
  const place = ["--at", String(positions[0]), "--times", "3", "--as", "copy", "--run", "--results", "live"];
  const { child, finished } = start(["sessions", "fork", "trip", ...place, ...fixture.flags], {
    env: fixture.env,
  });
  await expect.poll(fixture.toolLog).toHaveLength(3);
  child.kill("SIGINT");
  const stopped = await finished;
  expect([stopped.code, lastLine(stopped)]).toEqual([1, "Not made: 2 more."]);
  expect(jsonLines(stopped)).toMatchObject([{ sessionId: "copy-1", reason: "INTERRUPTED" }]);
  expect(jsonLines(await fixture.sessions("ls", "--prefix", "copy"))).toHaveLength(1);
});
