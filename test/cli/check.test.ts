// The command `check`.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { checkCommand } from "../../src/cli/check-command.ts";
import { openTerminal } from "../../src/cli/terminal.ts";

const fileOf = (rules: string): string => `
import { defineTool } from "agentchart";
import { before, shadow } from "agentchart/rules";
import { scriptedModel } from "agentchart/testing";

const tool = (name: string) =>
  defineTool({ name, description: name, input: { type: "object" }, execute: () => "done" });
export const agents = {
  desk: () => ({ name: "desk", model: scriptedModel([]), tools: [tool("verify"), tool("refund")], rules: [${rules}] }),
};
`;

/** Checks a file of agents with these rules, and returns what is printed. */
async function checked(rules: string, more: object = {}) {
  const folder = mkdtempSync(join(import.meta.dirname, ".check-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "agents.ts");
  writeFileSync(file, fileOf(rules));
  const written = { stdout: "", stderr: "" };
  const output = (name: "stdout" | "stderr") => ({
    isTTY: false,
    write: (part: string) => void (written[name] += part),
  });
  const io = { stdout: output("stdout"), stderr: output("stderr") };
  const flags = {
    iterations: 1,
    batch: 1,
    threads: 1,
    assume: [],
    withoutApproval: [],
    endWithout: [],
    ...more,
  };
  const code = await checkCommand(
    { args: { file }, flags } as never,
    {
      ...io,
      terminal: openTerminal(io.stdout, io.stderr, {}),
    } as never,
  );
  return { code, folder, ...written };
}

test("check prints that rules hold within bounds, walked in a thread", async () => {
  const { code, stdout } = await checked('before("verify", "refund")');
  expect(stdout).toContain("holds    refund after verify: `refund` runs only after `verify` has succeeded");
  expect(stdout).toContain("within 1 turns, 1 iterations, 1 calls an answer, 1 disturbances, 1 resumptions");
  expect(code).toBe(0);
});

test("check prints no control characters of an agent", async () => {
  const { stdout } = await checked('before("verify", "refund")], name: "de\\u001b[2Jsk", hooks: [');
  expect(stdout).toMatch(/^de\[2Jsk: 1 rules/);
});

test("check prints the shortest way round a claim, and writes it as a run", async () => {
  const runs = mkdtempSync(join(import.meta.dirname, ".runs-"));
  onTestFinished(() => rmSync(runs, { recursive: true, force: true }));
  const { code, stdout, stderr } = await checked('shadow(before("verify", "refund"))', { runs });
  expect(stdout).toContain("broken   refund after verify (claim)");
  expect(stdout).toContain("2. The model asks for refund.");
  expect(readdirSync(runs)).toEqual(["desk-1.jsonl"]);
  expect(stderr).toContain("agentchart inspect --open");
  expect(code).toBe(1);
});

test("check prints JSON, and says that nothing is proved if the time was over", async () => {
  const more = { json: true, timeLimit: 1, iterations: 4, batch: 2, turns: 3 };
  const { code, stdout } = await checked('before("verify", "refund")', more);
  expect(JSON.parse(stdout)).toMatchObject([{ agent: "desk", result: "unknown" }]);
  expect(code).toBe(3);
});

test("check refuses a file whose agents have no rules", async () => {
  await expect(checked("")).rejects.toMatchObject({ code: "config/invalid" });
});
