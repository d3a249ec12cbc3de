// Ctrl-C in a command that works for long: one line says how far it came, and nothing else is printed.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createAgent } from "agentchart";
import { fileStore } from "agentchart/store/file";
import { scriptedModel } from "agentchart/testing";
import { start, type Started } from "./agentchart.ts";

// Every test starts processes, on machines that are busy with other tests.

const AGENTS = `
import { writeFileSync } from "node:fs";
/** Says that it has begun, and never ends. */
export const forever = () => new Promise(() => {
  writeFileSync(import.meta.dirname + "/begun", "");
  setInterval(() => {}, 1_000);
});
export default { desk: forever };
export const scenario = { input: "Hello." };
`;
const SUITE = `import { reply } from "agentchart/evals";
import { forever } from "./agents.ts";
export default {
  name: "slow",
  agent: forever,
  cases: [{ name: "first", input: "Hello." }, { name: "second", input: "Hello." }],
  judge: reply.contains("Hello"),
  concurrency: 1,
};
`;

/** Files of agents that never answer, and two stored sessions. */
async function filesOfSlowAgents() {
  const folder = mkdtempSync(join(import.meta.dirname, ".interruptible-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [agents, suite, sessions] = ["agents.ts", "suite.ts", "sessions"].map((name) => join(folder, name));
  writeFileSync(agents!, AGENTS);
  writeFileSync(suite!, SUITE);
  const store = fileStore({ dir: sessions! });
  for (const sessionId of ["one", "two"]) {
    const agent = createAgent({ name: "desk", model: scriptedModel(["Hello."]), store, sessionId });
    await agent.call("Hello.");
    await agent.close();
  }
  await store.close();
  return { folder, agents: agents!, suite: suite!, store: `file:${sessions!}` };
}

type Files = Awaited<ReturnType<typeof filesOfSlowAgents>>;

const COMMANDS: readonly (readonly [
  name: string,
  args: (files: Files) => readonly string[],
  says: RegExp,
])[] = [
  [
    "eval",
    ({ suite }) => ["eval", suite],
    /^agentchart: The evaluation 'slow' was aborted after 0 of 2 runs\.\n$/,
  ],
  [
    "experiment",
    ({ agents, store }) => ["experiment", agents, "--store", store],
    /^agentchart: The experiment was aborted after 0 of 2 runs\.\n$/,
  ],
  ["crashtest", ({ agents }) => ["crashtest", agents], /^agentchart: The crash test was aborted\.\n$/],
];

/** Starts a command, and resolves when its agent is being made. */
async function begun(args: (files: Files) => readonly string[]): Promise<Started> {
  const files = await filesOfSlowAgents();
  const command = start(args(files));
  await expect.poll(() => existsSync(join(files.folder, "begun"))).toBe(true);
  return command;
}

test.each(COMMANDS)("%s ends at Ctrl-C", async (_, args, says) => {
  const { child, finished } = await begun(args);
  child.kill("SIGINT");
  const { code, stdout, stderr } = await finished;
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(says);
});

test.each(COMMANDS)("%s ends at once at the second Ctrl-C", async (_, args) => {
  const { child, finished } = await begun(args);
  child.kill("SIGINT");
  const repeat = setInterval(() => child.kill("SIGINT"), 300);
  const { code } = await finished;
  clearInterval(repeat);
  expect([1, 130]).toContain(code);
});
