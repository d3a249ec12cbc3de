import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ROOT } from "../../../test/project/source-files.ts";
import { BARE_ENV } from "../../../test/support/bare-env.ts";
import { NO_BUBBLEWRAP } from "../../../test/support/bubblewrap.ts";

const MAIN = join(ROOT, "examples/coder/main.ts");

test("the example has at most 120 lines", () => {
  expect(readFileSync(MAIN, "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(120);
});

test.skipIf(NO_BUBBLEWRAP)(
  `the coder mends a failing test with approvals, is steered and interrupted, and undoes a step${NO_BUBBLEWRAP ? ` (${NO_BUBBLEWRAP})` : ""}`,
  async () => {
    const cwd = mkdtempSync(join(tmpdir(), "agentchart-coder-"));
    const child = spawn(process.execPath, ["--conditions=agentchart-source", MAIN], { cwd, env: BARE_ENV });
    onTestFinished(() => void child.kill("SIGKILL"));
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => void (output += text));
    const shown = async (text: string): Promise<string> => {
      await expect.poll(() => output).toContain(text);
      const upTo = output.slice(0, output.indexOf(text) + text.length);
      output = output.slice(upTo.length);
      return upTo;
    };
    const say = (line: string): void => void child.stdin.write(`${line}\n`);
    const sum = (): string => readFileSync(join(cwd, ".agentchart-coder/project/sum.mjs"), "utf8");
    const broken = expect.stringContaining("all - each");
    const mended = expect.stringContaining("all + each");

    await shown("> ");
    say("Mend the failing test.");
    const begun = await shown("y, or why not: ");
    expect(begun).toMatch(/plan: .*Find what fails.*in_progress/u);
    expect(begun).toMatch(/# fail 1|fail 1/u); // the tests ran, without being asked about
    expect(begun).toContain("The agent wants to change a file. edit_file");
    expect(sum()).toEqual(broken);
    say("y");
    const done = await shown("[MODEL_STOP]");
    expect(done).toMatch(/^-export const sum = .*\n\+export const sum = /mu);
    expect(done).toMatch(/pass 1/u);
    expect(done).toMatch(/The test passes/u);
    expect(sum()).toEqual(mended);

    say("Now wait for the server.");
    expect(await shown("y, or why not: ")).toContain("is not one of those that are allowed. run_command");
    say("y");
    await shown("waiting\n");
    say("It will not come.");
    await shown("(the agent sees it in its next step)");
    say("/stop");
    await shown("[INTERRUPTED]");

    say("/undo 3"); // before the file was changed
    await shown("[back at step 3]");
    expect(sum()).toEqual(broken);
    say("/mode plan");
    await shown("> ");
    say("And now?");
    expect(await shown("[MODEL_STOP]")).toContain("I am here again.");
    say("/undo 5"); // what was undone can be had again
    await shown("[back at step 5]");
    expect(sum()).toEqual(mended);
    say("/undo 99");
    await shown("no such step");
    const ended = once(child, "exit");
    child.stdin.end();
    expect(await ended).toEqual([0, null]);
  },
);
