// A process that is killed while its command runs.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createAgent } from "agentchart";
import { fileStore } from "agentchart/store/file";
import { scriptedModel } from "agentchart/testing";
import { codingTools, folderWorkspace } from "agentchart/workspace";
import { ROOT } from "../project/source-files.ts";
import { BARE_ENV } from "../support/bare-env.ts";
import { NO_BUBBLEWRAP } from "../support/bubblewrap.ts";
import { scratchFolder } from "./folder.ts";

const LINE = "echo begun >> log; while :; do echo x >> ticks; sleep 0.02; done";

/** Begins the call in a process, kills it with SIGKILL while the call runs, and opens the session in this one. */
async function killed(sandbox: "bubblewrap" | "none") {
  const { root, outside, remove } = scratchFolder();
  const sessions = join(outside, "sessions");
  onTestFinished(remove);
  const call = { name: "run_command", input: { command: LINE } };
  const orders = JSON.stringify({ root, sessions, sandbox, call });
  const script = join(ROOT, "test/workspace/killed-worker.ts");
  const args = ["--conditions=agentchart-source", script, orders];
  const child = spawn(process.execPath, args, { env: BARE_ENV, stdio: "inherit" });
  await expect.poll(() => existsSync(join(root, "ticks"))).toBe(true);
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
  const workspace = await folderWorkspace({ root, sandbox });
  onTestFinished(() => workspace.close());
  const model = scriptedModel(["I shall look what it did."]);
  const store = fileStore({ dir: sessions });
  const agent = createAgent({
    name: "coder",
    model,
    tools: codingTools({ workspace }),
    store,
    sessionId: "s",
    sessionOptions: { leaseMs: 500 },
  });
  onTestFinished(() => agent.close());
  await expect
    .poll(async () =>
      agent.open().then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  return { agent, root };
}

const sizeOf = (path: string): number => statSync(path).size;

describe.skipIf(NO_BUBBLEWRAP)(
  `a process that is killed${NO_BUBBLEWRAP ? ` (${NO_BUBBLEWRAP})` : ""}`,
  () => {
    test("its command ends with it, is not repeated, and its outcome is unknown until a person decides", async () => {
      const { agent, root } = await killed("bubblewrap");
      let before = -1;
      // it stands still as soon as the system has ended the sandbox
      await expect
        .poll(
          () => {
            const now = sizeOf(join(root, "ticks"));
            const isStill = now === before;
            before = now;
            return isStill;
          },
          { interval: 200 },
        )
        .toBe(true);
      const reply = await agent.call();
      expect(reply.reason).toBe("OUTCOME_UNKNOWN");
      expect(reply.pending.map(({ name }) => name)).toEqual(["run_command"]);
      expect(readFileSync(join(root, "log"), "utf8")).toBe("begun\n");
      await agent.decide(reply.pending[0]!.callId, { answer: "It was cut off." });
      expect((await agent.call()).text).toBe("I shall look what it did.");
      expect(readFileSync(join(root, "log"), "utf8")).toBe("begun\n");
    });
  },
);
