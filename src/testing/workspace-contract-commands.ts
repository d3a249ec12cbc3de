import assert from "node:assert/strict";
import {
  bytes,
  outcome,
  textAt,
  type WorkspaceTests,
  type WorkspaceUnderTest,
} from "./workspace-contract-kit.ts";

const NEVER = "sleep 1000";

/** Resolves when a command has said something. Fails if it ends before. */
async function said(commands: AsyncIterator<unknown>): Promise<void> {
  const { done, value } = await commands.next();
  assert.ok(!done && (value as { type: string }).type === "output", "the command has ended");
}

/** Whether a file grows no more: what wrote it has ended. */
async function isStill(under: WorkspaceUnderTest, path: string): Promise<boolean> {
  const before = (await under.workspace.stat(path))?.size;
  await new Promise((resolve) => setTimeout(resolve, 150));
  return (await under.workspace.stat(path))?.size === before;
}

/** A line that starts a writer which has left the group and the output of the command, and waits until it writes. */
const DAEMON =
  "setsid sh -c 'while :; do echo x >> ticks; sleep 0.02; done' >/dev/null 2>&1 & until [ -s ticks ]; do sleep 0.01; done; echo up; ";

export const commandTests: WorkspaceTests = {
  "a command tells its output, by stream, and its exit code": async (under) => {
    const { stdout, stderr, exitCode, stopped } = await outcome(under, "echo out; echo err >&2; exit 3");
    assert.deepEqual([stdout, stderr, exitCode, stopped], ["out\n", "err\n", 3, undefined]);
  },
  "a command works on the files of the workspace": async (under) => {
    await under.workspace.write("in/a.txt", bytes("1"));
    const { stdout, exitCode } = await outcome(under, "pwd; cat a.txt; echo 2 > b.txt", { cwd: "in" });
    assert.deepEqual([stdout, exitCode], [`${under.workspace.root}/in\n1`, 0]);
    assert.equal(await textAt(under, "in/b.txt"), "2\n");
  },
  "output comes while the command runs": async (under) => {
    const events = under.workspace.exec!("echo first; until [ -e go ]; do sleep 0.01; done; echo last");
    const texts: string[] = [];
    for await (const event of events) {
      if (event.type !== "output") continue;
      texts.push(Buffer.from(event.data).toString());
      if (texts.length === 1) await under.workspace.write("go", bytes(""));
    }
    assert.deepEqual(texts.join(""), "first\nlast\n");
  },
  "a command has no input, and the variables that it is given": async (under) => {
    const { stdout, exitCode } = await outcome(under, "cat; env", { env: { GIVEN: "yes" } });
    assert.equal(exitCode, 0);
    assert.match(stdout, /^GIVEN=yes$/mu);
  },
  "a command whose time is over is stopped": async (under) => {
    const { exitCode, stopped } = await outcome(under, NEVER, { timeoutMs: 100 });
    assert.deepEqual([exitCode, stopped], [null, "timeout"]);
  },
  "a command is stopped by its signal, also by one that was aborted before": async (under) => {
    const stopping = new AbortController();
    const ended = outcome(under, `touch up; ${NEVER}`, { signal: stopping.signal });
    while (!(await under.workspace.stat("up"))) await new Promise((resolve) => setTimeout(resolve, 5));
    stopping.abort();
    assert.equal((await ended).stopped, "aborted");
    assert.equal((await outcome(under, "touch no", { signal: stopping.signal })).stopped, "aborted");
    assert.equal(await under.workspace.stat("no"), undefined);
  },
  "a grandchild does not outlive a command that is stopped, even if it has left the group": async (under) => {
    const stopping = new AbortController();
    const events = under.workspace.exec!(DAEMON + NEVER, { signal: stopping.signal })[Symbol.asyncIterator]();
    await said(events);
    stopping.abort();
    for (let next = await events.next(); !next.done; next = await events.next());
    assert.ok(await isStill(under, "ticks"), "a process outlives the command");
  },
  "a grandchild does not outlive a command that ends by itself": async (under) => {
    const { stdout, exitCode } = await outcome(under, `${DAEMON} sleep 1000 & echo done`);
    assert.deepEqual([stdout, exitCode], ["up\ndone\n", 0]);
    assert.ok(await isStill(under, "ticks"), "a process outlives the command");
  },
  "leaving the loop stops the command": async (under) => {
    for await (const event of under.workspace.exec!(DAEMON + NEVER)) if (event.type === "output") break;
    assert.ok(await isStill(under, "ticks"), "a process outlives the loop");
  },
  "closing the workspace stops its commands": async (under) => {
    const ended = outcome(under, `touch up; ${NEVER}`);
    while (!(await under.workspace.stat("up"))) await new Promise((resolve) => setTimeout(resolve, 5));
    await under.workspace.close();
    assert.equal((await ended).stopped, "closed");
  },
  "huge output neither fills the memory nor hangs: the command waits for its reader": async (under) => {
    let size = 0;
    for await (const event of under.workspace.exec!("head -c 40000000 /dev/zero; touch printed")) {
      if (event.type === "exit") {
        assert.equal(event.exitCode, 0);
        continue;
      }
      if (size === 0) {
        await new Promise((resolve) => setTimeout(resolve, 200));
        assert.equal(await under.workspace.stat("printed"), undefined, "all of the output was taken");
      }
      size += event.data.length;
    }
    assert.equal(size, 40_000_000);
  },
  "a command that is not there, and one that ends by a signal, say so": async (under) => {
    const missing = await outcome(under, "no-such-command-1");
    assert.equal(missing.exitCode, 127);
    const killed = await outcome(under, "kill -9 $$");
    assert.ok(killed.signal === "SIGKILL" || killed.exitCode === 137, JSON.stringify(killed));
  },
  "a directory out of the workspace, or that is not there, runs nothing": async (under) => {
    await under.workspace.write("f", bytes("1"));
    for (const cwd of ["..", "/etc", "missing", "f"])
      await assert.rejects(outcome(under, "touch ran", { cwd }), /'|root/u);
    assert.equal(await under.workspace.stat("ran"), undefined);
  },
};
