// The crash test finds nothing in the projects of `npm create agentchart` that have an agent, and in the agents of the inspector's demo.
import { cpSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { crashTest } from "agentchart/testing";
import { isSoak } from "../../laws/kill/live.ts";
import { ROOT } from "../../project/source-files.ts";
import { scratch } from "../../store/scratch.ts";

const TEMPLATES = join(ROOT, "create/templates");

type Project = {
  /** The folder of the template. */
  readonly name: string;
  /** The file that the crash test reads. */
  readonly crash: string;
  /** A kill; with SOAK=1 all points. */
  readonly at: string;
};

const PROJECTS: readonly Project[] = [
  {
    name: "worker-postgres",
    crash: `export { default } from "./agents.ts";
export const scenario = { input: ["Where is order 17?", "And now?"] };`,
    at: "kill:tool:order_status:1:after",
  },
  {
    name: "chat-page",
    crash: `export { default } from "./agents.ts";
export const scenario = { input: ["Roll two dice.", "Teach me a game."] };`,
    at: "kill:append:5:after",
  },
  {
    name: "hello",
    crash: `import { helloConfig } from "./agent.ts";
import { chooseModel, resultIn } from "./model.ts";
const model = chooseModel((request) =>
  resultIn(request) ? "It is late." : { tool: "clock", input: { timeZone: "Asia/Tokyo" } });
export default { hello: () => helloConfig(model) };
export const scenario = { input: "What time is it in Tokyo?" };`,
    at: "kill:tool:clock:1:before",
  },
  {
    name: "approval-desk",
    crash: `import { deskConfig } from "./desk.ts";
import { chooseModel, resultIn } from "./model.ts";
const model = chooseModel(
  (request) => resultIn(request) ?? { tool: "refund", input: { orderId: "17", cents: 4_900 } });
export default { desk: () => deskConfig(model) };
export const scenario = { input: ["Refund order 17, 49 euros.", "And once more."] };`,
    at: "kill:decided:1.1",
  },
  {
    name: "coding-assistant",
    crash: `import { cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { folderWorkspace } from "agentchart/workspace";
import { coderConfig } from "./agent.ts";
import { chooseModel } from "./model.ts";
import { nextOf } from "./script.ts";
const sumOf = (folder) => join(folder, "playground", "sum.mjs");
export default {
  async coder() {
    const root = join(process.env.AGENTCHART_CRASHTEST, "playground");
    if (!existsSync(root)) cpSync(join(import.meta.dirname, "playground"), root, { recursive: true });
    return coderConfig(chooseModel(nextOf), await folderWorkspace({ root, sandbox: "none" }));
  },
};
export const scenario = {
  input: "Make the test pass.",
  effects: ({ folder }) => readFileSync(sumOf(folder), "utf8"),
};`,
    at: "kill:tool:edit_file:1:after",
  },
];

async function expectSound(file: string, scenario: string | undefined, at: readonly string[]): Promise<void> {
  const options = isSoak ? { timeLimitMs: 3_600_000 } : { at };
  const report = await crashTest(file, { lifeLimitMs: 120_000, scenario, ...options });
  onTestFinished(() =>
    rmSync(dirname(report.store.slice("sqlite:".length)), { recursive: true, force: true }),
  );
  expect(report).toMatchObject({ state: "sound", findings: [] });
  expect(report.points).toMatchObject({ unreached: 0, run: report.points.total });
  expect(report.points.total).toBeGreaterThan(0);
}

test.each(PROJECTS)(
  "crashTest finds nothing in the template $name",
  { timeout: 3_600_000 },
  async ({ name, crash, at }) => {
    const { dir, remove } = scratch();
    onTestFinished(remove);
    for (const from of [name, "shared"]) cpSync(join(TEMPLATES, from), dir, { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(dir, "node_modules"));
    writeFileSync(join(dir, "package.json"), '{ "type": "module" }');
    writeFileSync(join(dir, "crash.ts"), crash);
    await expectSound(join(dir, "crash.ts"), undefined, [at]);
  },
);

/** The agents of the demo take the time of a language model: without SOAK=1 two of them. */
const DEMO = [
  ["customer-care", "kill:waiting:1"],
  ["nightly-scan", "stop:append:3:before"], // its budget of three model calls is used up by the call that is repeated
  ...(isSoak ? (["refund-desk", "parser-fix"] as const).map((name) => [name, ""] as const) : []),
] as const;

test.each(DEMO)(
  "crashTest finds nothing in the agent %s of the inspector's demo",
  { timeout: 3_600_000 },
  async (name, at) => {
    await expectSound(join(import.meta.dirname, "agents/inspect-demo.ts"), name, [at]);
  },
);
