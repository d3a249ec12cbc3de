import { describe, expect, test, vi } from "vitest";
import type { Moment } from "agentchart/session";
import { commandAfter, jsonLines, lastLine, openDesk, STORES } from "./desk.ts";

// Every test starts processes, on machines that are busy with other tests.
vi.setConfig({ testTimeout: 120_000 });

const rolesOf = ({ messages }: Moment): string[] => messages.map(({ role }) => role);

describe.each(STORES)("A process with a session in a %s store", (_, storeIn) => {
  test("stops at SIGTERM in the middle of a tool, and another one goes on without the question again", async () => {
    const desk = await openDesk(storeIn);
    const { child, seen, finished } = desk.start("trip", 'slow {"ms":1500}');
    await seen("→ slow");
    await expect.poll(desk.ledger).toEqual(["slow begins"]);
    child.kill("SIGTERM");
    const stopped = await finished;
    expect([stopped.code, stopped.stdout]).toEqual([0, ""]);
    expect(commandAfter("Stopped by SIGTERM, and saved. Go on with: ", stopped)).toMatch(
      /^agentchart sessions resume trip /,
    );
    const [listed] = jsonLines(await desk.sessions("ls"));
    expect(listed).toMatchObject({ sessionId: "trip", phase: "unfinished" });

    const resumed = await desk.run("trip");
    expect(resumed).toMatchObject({ code: 0, stdout: "It says: slowly done\n" });
    expect(desk.ledger()).toEqual(["slow begins", "slow ends"]);
    expect(desk.told().filter((line) => line.startsWith("user: "))).toEqual(['user: slow {"ms":1500}']);
    const [moment] = jsonLines<Moment>(await desk.sessions("show", "trip")) as [Moment];
    expect(rolesOf(moment)).toEqual(["user", "assistant", "tool", "assistant"]);
  });

  test("has it alone: a second process gets one line, and has changed nothing", async () => {
    const desk = await openDesk(storeIn);
    const { child, seen, finished } = desk.start("trip", 'slow {"ms":60000}');
    await seen("→ slow");
    await expect.poll(desk.ledger).toEqual(["slow begins"]);
    const [before] = jsonLines<Moment>(await desk.sessions("show", "trip"));
    const others = await Promise.all([
      desk.run("trip", "Me too"),
      desk.resume("trip"),
      desk.sessions("rm", "trip", "--yes"),
    ]);
    for (const other of others) {
      expect([other.code, other.stdout]).toEqual([1, ""]);
      expect(lastLine(other)).toBe(
        "agentchart: Session 'trip' is open in another process. If that one was killed, its hold ends within 30 s.",
      );
    }
    expect(jsonLines(await desk.sessions("show", "trip"))).toEqual([before]);
    child.kill("SIGKILL");
    await finished;
  });

  test("interrupts the turn at SIGINT, and the session takes the next question", async () => {
    const desk = await openDesk(storeIn);
    const { child, seen, finished } = desk.start("trip", 'slow {"ms":60000}');
    await seen("→ slow");
    await expect.poll(desk.ledger).toEqual(["slow begins"]);
    child.kill("SIGINT");
    const interrupted = await finished;
    expect(interrupted.code).toBe(1);
    expect(interrupted.stderr).toContain("Interrupted: the answer ends where it stands.\n");
    expect(interrupted.stderr).not.toContain("Go on with");
    expect(await desk.run("trip", "Anything else?")).toMatchObject({ code: 0, stdout: "Answer 2\n" });
  });
});

test("A tool that outlives the shutdown is asked about, and not run again by itself", async () => {
  const desk = await openDesk(STORES[0][1]);
  const { child, seen, finished } = desk.start("trip", 'slow {"ms":15000}');
  await seen("→ slow");
  await expect.poll(desk.ledger).toEqual(["slow begins"]);
  child.kill("SIGTERM");
  expect((await finished).code).toBe(0);
  expect(desk.ledger()).toEqual(["slow begins"]);

  const early = await desk.resume("trip", "--retry", "call_1");
  expect([lastLine(early), early.code]).toEqual([
    'agentchart: "--retry call_1" names no open call: the turn was cut off and none waits yet; resume it without a decision first.',
    1,
  ]);
  const asked = await desk.resume("trip");
  expect(asked).toMatchObject({ code: 0, stdout: "" });
  expect(asked.stderr).toContain('Waits for word of what became of slow {"ms":15000}, call call_1.\n');
  expect(commandAfter("If it did run, go on with: ", asked)).toContain(" --answer call_1=TEXT ");
  expect(commandAfter("If it did not, or may run twice: ", asked)).toContain(" --retry call_1 ");
  const answered = await desk.resume("trip", "--answer", "call_1=it went through");
  expect(answered).toMatchObject({ code: 0, stdout: "It says: it went through\n" });
  expect(desk.ledger()).toEqual(["slow begins"]);
});

test("A second SIGTERM exits at once", async () => {
  const desk = await openDesk(STORES[1][1]);
  const { child, seen, finished } = desk.start("trip", 'slow {"ms":60000}');
  await seen("→ slow");
  await expect.poll(desk.ledger).toEqual(["slow begins"]);
  child.kill("SIGTERM");
  const impatience = setInterval(() => child.kill("SIGTERM"), 300);
  const { code, signal } = await finished.then(({ code }) => ({ code, signal: child.signalCode }));
  clearInterval(impatience);
  expect([code, signal]).toEqual([143, null]);
});
