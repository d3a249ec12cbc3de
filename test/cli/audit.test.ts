// The command `audit`.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createAgent } from "agentchart";
import { fileStore } from "agentchart/store/file";
import { scriptedModel } from "agentchart/testing";
import { auditCommand } from "../../src/cli/sessions/audit-command.ts";
import { openTerminal } from "../../src/cli/terminal.ts";
import { toolOf } from "../support/agents.ts";

const RULES = `import { before } from "agentchart/rules";
export const rules = [before("verify", "refund")];
`;

/** A store with a session that breaks a rule, one that would be put in order, and one that keeps it; and what audits it. */
async function fixture(text = RULES, name = "rules.ts") {
  const folder = mkdtempSync(join(import.meta.dirname, ".audit-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const dir = join(mkdtempSync(join(tmpdir(), "agentchart-audit-")), "sessions");
  const tools = [toolOf("verify", () => "yes"), toolOf("refund", () => "paid")];
  for (const [sessionId, ...names] of [
    ["breaks", "refund"],
    ["ordered", "refund", "verify"],
    ["keeps", "verify", "refund"],
  ] as const) {
    const model = scriptedModel([{ calls: names.map((name) => ({ name, input: {} })) }, "ok"]);
    const agent = createAgent({ name: "a", model, tools, store: fileStore({ dir }), sessionId });
    await agent.call("go");
    await agent.close();
  }
  const rules = join(folder, name);
  writeFileSync(rules, text);
  const run = async (more: { readonly prefix?: string } = {}) => {
    const written = { stdout: "", stderr: "" };
    const output = (name: "stdout" | "stderr") => ({
      isTTY: false,
      write: (part: string) => void (written[name] += part),
    });
    const io = { stdout: output("stdout"), stderr: output("stderr") };
    const terminal = openTerminal(io.stdout as never, io.stderr as never, {} as never);
    const flags = { rules, store: `file:${dir}`, json: true, ...more } as never;
    const code = await auditCommand({ args: {}, flags }, { ...io, terminal } as never);
    const lines = written.stdout.trim().split("\n").filter(Boolean);
    return {
      code,
      stderr: written.stderr,
      found: lines.map((line) => JSON.parse(line) as { readonly [key: string]: unknown }),
    };
  };
  return { run };
}

test("audit prints what rules make of stored sessions, and exits with 1 if a call breaks one", async () => {
  const { run } = await fixture();
  const { code, found } = await run();
  expect(code).toBe(1);
  expect(
    found
      .map(({ sessionId, what, tool }) => `${String(sessionId)}: ${String(what)} ${String(tool)}`)
      .toSorted(),
  ).toEqual(["breaks: broke refund", "ordered: ordered refund"]);
  expect((await run({ prefix: "keeps" })).code).toBe(0);
  expect((await run({ prefix: "ordered" })).code).toBe(0);
});

test("audit says what is wrong with a file without rules", async () => {
  const { run } = await fixture("export const rules = [];\n");
  await expect(run()).rejects.toMatchObject({
    code: "config/invalid",
    message: expect.stringContaining("exports no rules"),
  });
});

test("audit reads arguments as the file of the rules says", async () => {
  const { run } = await fixture(`import { onlyIf } from "agentchart/rules";
export const rules = [onlyIf("refund", ({ asked }) => asked === 1, { name: "asked once" })];
export const inputOf = ({ input }, before) => ({ ...input, asked: before.length });
`);
  const { code, found } = await run();
  expect(code).toBe(0);
  expect(found).toEqual([]);
  const other = await fixture(`import { onlyIf } from "agentchart/rules";
export const rules = [onlyIf("refund", ({ asked }) => asked === 2)];
export const inputOf = ({ input }, before) => ({ ...input, asked: before.length });
`);
  expect((await other.run()).found.map(({ what }) => what)).toEqual(["broke", "broke", "broke"]);
  const wrong = await fixture(`import { atMost } from "agentchart/rules";
export const rules = [atMost(1, "refund")];
export const inputOf = "refund";
`);
  await expect(wrong.run()).rejects.toMatchObject({
    code: "config/invalid",
    message: expect.stringContaining("`inputOf` must be a function"),
  });
});

test("audit reads a policy in Dogwood, and says where it is wrong", async () => {
  const policy = (kind: string) =>
    `forbid (principal, action == A::"refund", resource) unless temporal { formerly within 1h A::"verify"::${kind}{} };`;
  const { run } = await fixture(policy("response"), "policy.dw");
  const { code, found } = await run();
  expect(code).toBe(1);
  expect(found.map(({ sessionId, what }) => `${String(sessionId)} ${String(what)}`).toSorted()).toEqual([
    "breaks broke",
    "ordered ordered",
  ]);
  const wrong = await fixture(policy("request"), "policy.dw");
  await expect(wrong.run()).rejects.toMatchObject({
    code: "config/invalid",
    message: expect.stringMatching(/policy\.dw:1:\d+: `::request` is not read/u),
  });
});
