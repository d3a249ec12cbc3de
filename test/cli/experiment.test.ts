// The command `experiment`.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createAgent, defineTool } from "agentchart";
import { addLabel } from "agentchart/evals";
import { fileStore } from "agentchart/store/file";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { experimentCommand } from "../../src/cli/experiment-command.ts";
import { openTerminal } from "../../src/cli/terminal.ts";

const AGENTS = `import { defineTool } from "agentchart";
import { scriptedModel } from "agentchart/testing";
const pay = () => defineTool({
  name: "pay", description: process.env.PAYS ?? "Pays.", input: { type: "object" }, permission: "ask",
  execute: () => { throw new Error("It must not run."); },
});
const answer = () => process.env.ANSWERS ?? "Paid.";
export default {
  desk: () => ({
    name: "desk", sysPrompt: "Help.", tools: [pay()],
    model: scriptedModel([{ calls: [{ id: "c", name: "pay" }] }, answer()]),
  }),
};
`;

/** Two stored sessions, of which one waits for an approval, and what tries agents on them. */
async function fixture(meta: { readonly agent?: string } = {}) {
  const folder = mkdtempSync(join(import.meta.dirname, ".experiment-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  onTestFinished(() => {
    delete process.env["PAYS"];
    delete process.env["ANSWERS"];
  });
  const dir = join(folder, "sessions");
  const store = fileStore({ dir });
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    input: { type: "object" },
    permission: "ask",
    execute: () => "paid",
  });
  const turns: ScriptedTurn[] = [{ calls: [{ id: "c", name: "pay" }] }, "Paid."];
  for (const sessionId of ["done", "waits"]) {
    const model = scriptedModel(turns);
    const agent = createAgent({
      name: "desk",
      sysPrompt: "Help.",
      model,
      tools: [pay],
      store,
      sessionId,
      meta,
    });
    await agent.call("Pay.");
    if (sessionId === "done") {
      await agent.decide("c", "approve");
      await agent.call();
    }
    await agent.close();
  }
  await store.close();
  const file = join(folder, "agents.ts");
  writeFileSync(file, AGENTS);
  const run = async (more: object = {}, isTTY = false) => {
    const written = { stdout: "", stderr: "" };
    const output = (name: "stdout" | "stderr") => ({
      isTTY,
      write: (part: string) => void (written[name] += part),
    });
    const io = { stdout: output("stdout"), stderr: output("stderr") };
    const terminal = openTerminal(io.stdout as never, io.stderr as never, { NO_COLOR: "1" } as never);
    const flags = { store: `file:${dir}`, session: [], live: [], json: false, running: false, ...more };
    const code = await experimentCommand({ args: { file }, flags: flags as never }, {
      ...io,
      terminal,
    } as never);
    return { code, ...written };
  };
  return { run, folder, dir };
}

test("experiment --label leaves sessions out that were deleted since", async () => {
  const { run, dir } = await fixture();
  const store = fileStore({ dir });
  for (const sessionId of ["done", "waits"]) await addLabel(store, { sessionId, label: "right", by: "ada" });
  await store.delete("waits");
  await store.close();
  const { code, stdout } = await run({ label: "right" });
  expect([code, JSON.parse(stdout).rows.length]).toEqual([0, 1]);
});

test.each([
  [{ agent: "desk" }, { counts: { same: 2 } }],
  [
    { agent: "dsk" },
    { rows: [{ error: { message: expect.stringContaining("is of the agent 'dsk'") } }, {}] },
  ],
  [
    {},
    {
      rows: [
        { error: { code: "config/no-agent", message: expect.stringContaining("no label `agent`") } },
        {},
      ],
    },
  ],
])(
  "experiment takes the agent that the labels %j of sessions name, as a worker does",
  async (meta, report) => {
    const { run, folder } = await fixture(meta);
    const two = AGENTS.replace("desk: () =>", "other: () => { throw new Error(); },\n  desk: () =>");
    writeFileSync(join(folder, "agents.ts"), two);
    expect(JSON.parse((await run()).stdout)).toMatchObject(report);
  },
);

test("experiment tells what an agent does otherwise, as JSON and to a terminal", async () => {
  const { run, folder } = await fixture();
  const same = await run();
  expect(same.code).toBe(0);
  expect(JSON.parse(same.stdout)).toMatchObject({ counts: { same: 2, different: 0 } });
  process.env["ANSWERS"] = "Lost.";
  expect(await run()).toMatchObject({ code: 0 }); // recorded answers
  const other = await run({ answers: "live", times: 2 }, true);
  expect(other.code).toBe(1);
  expect(other.stdout).toMatch(/^SESSION +STATE +KIND +WHAT\ndone +different +message +Paid\. → Lost\./);
  expect(other.stdout).toContain("1 sessions (50 %) part at agent.reasoning.calling → stopped.idle: message");
  expect(other.stdout).toContain("50 % differ (95 %: 15 % to 85 %)");
  expect(await run({ answers: "live", max: 0.5 })).toMatchObject({ code: 0 });
  expect(JSON.parse((await run({ at: '{"said":"nothing"}' })).stdout)).toMatchObject({
    counts: { unmet: 2 },
  });
  expect(await run({ at: '{"said":"nothing"}' }, true)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("no session was run"),
  });
  const into = `sqlite:${folder}/s.db?password=hunter2`;
  expect((await run({ into }, true)).stdout).toContain(
    `inspect --store 'sqlite:${folder}/s.db?password=[redacted]'\n`,
  );
  expect(await run({ prefix: "nobody/" })).toMatchObject({ code: 1 }); // a gate that tried nothing is not a gate
  await expect(run({ at: "later" })).rejects.toThrow("--at must be start");
  await expect(run({ max: 2 })).rejects.toThrow("--max must be a share");
  await expect(run({ store: "file:/nowhere/at/all" })).rejects.toThrow("There is no store");
});

test.each<[flags: object, words: string]>([
  [{ running: true, at: "3" }, "--at has no meaning with --running"],
  [{ running: true, session: ["done"] }, "--session has no meaning with --running"],
  [{ running: true, max: 0 }, "--max has no meaning with --running"],
  [{ running: true, into: "memory" }, "--into has no meaning with --running"],
  [{ session: ["done"], prefix: "d" }, "leave --prefix out"],
  [{ session: ["done"], label: "right" }, "leave --label out"],
])("experiment refuses %j, of which one would not be heard", async (flags, words) => {
  const { run } = await fixture();
  await expect(run(flags)).rejects.toThrow(words);
});

test("experiment --running is a gate for deploys", async () => {
  const { run } = await fixture();
  const same = await run({ running: true });
  expect(same.code).toBe(0);
  expect(JSON.parse(same.stdout).rows).toEqual([
    { sessionId: "waits", phase: "suspended", state: "same", calls: [] },
  ]);
  process.env["PAYS"] = "Pays twice.";
  const other = await run({ running: true }, true);
  expect(other.code).toBe(1);
  expect(other.stdout).toMatch(/waits +asks-again +pay \(c\)\n1 in flight: 0 same, 0 changed, 1 asks-again/);
});
