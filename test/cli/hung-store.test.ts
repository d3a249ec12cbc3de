// Commands on files that do not answer.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { hang } from "../store/fifo.ts";
import { scratch } from "../store/scratch.ts";
import { start } from "./agentchart.ts";

test("a command on files that do not answer says so and ends, although a call of the operating system still hangs", async () => {
  const { dir, remove } = scratch();
  onTestFinished(remove);
  mkdirSync(join(dir, "s"));
  hang(join(dir, "s", "journal.ndjson"));
  const { finished, child } = start(["sessions", "show", "s", "--store", `file:${dir}`]);
  const { stderr } = await finished;
  expect(stderr).toContain("The store did not answer within 10000 ms");
  expect(child.signalCode).toBe("SIGKILL");
});
