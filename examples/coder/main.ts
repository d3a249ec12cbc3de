// npx node --conditions=agentchart-source examples/coder/main.ts [folder] [--no-sandbox]
import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { createAgent, defineHook, textOf, type AgentEvent } from "agentchart";
import { openaiModel } from "agentchart/openai";
import { todoTool } from "agentchart/plan";
import { openSession } from "agentchart/session";
import { fileStore } from "agentchart/store/file";
import { scriptedModel } from "agentchart/testing";
import { codingPermissions, codingTools, folderWorkspace } from "agentchart/workspace";
import type { CodingMode, FileDiff } from "agentchart/workspace";
import { newProject, SCRIPT } from "./script.ts";

const home = resolve(".agentchart-coder"); // its sessions, and what the folder was like at each step
const folder = process.argv.slice(2).find((arg) => !arg.startsWith("--")) ?? (await newProject(home));
const sandbox = process.argv.includes("--no-sandbox") ? "none" : "bubblewrap";
const workspace = await folderWorkspace({ root: folder, sandbox });
const store = fileStore({ dir: join(home, "sessions") });
/** Keeps what the folder is like at each step, in a git repository that no tool of the agent reaches. */
const env = { ...process.env, GIT_DIR: join(home, "steps"), GIT_WORK_TREE: workspace.root };
const git = (...args: readonly string[]): string =>
  execFileSync("git", args, { cwd: workspace.root, env, encoding: "utf8" }).trim();
const snapshot = (): string => git("add", "--all", "--", ".", ":!.agentchart-coder") + git("write-tree");
git("init", "--quiet");
type Step = { readonly tree: string; readonly seq: number; readonly sessionId: string };
const steps: Step[] = [];
const remember = defineHook({
  name: "steps",
  preReasoning: ({ sessionId }) => {
    steps.push({ tree: snapshot(), seq: agent.status().seq, sessionId });
    console.log(`[step ${steps.length}]`);
  },
});
const ALLOWED = ["node --test*", "npm test*", "git diff*"]; // all other commands are asked about
let mode: CodingMode = "default";
const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseURL = "https://api.openai.com/v1" } = process.env;
const model = apiKey ? openaiModel({ model: "gpt-4.1", apiKey, baseURL }) : scriptedModel([...SCRIPT]);
const begin = (sessionId: string) => {
  const begun = createAgent({
    name: "coder",
    model,
    sysPrompt: "You mend and write programs. Plan long tasks with write_todos, and run the tests at the end.",
    tools: [todoTool(), ...codingTools({ workspace })],
    permissions: codingPermissions({ workspace, mode: () => mode, allow: ALLOWED }),
    hooks: [remember],
    maxIters: 50,
    store,
    sessionId,
  });
  begun.subscribe(show);
  return begun;
};

/** Prints what the agent does: what it says, its calls, what commands print, differences, and the plan. */
function show(event: AgentEvent): void {
  if (event.type === "message" && event.message.role === "assistant") console.log(textOf(event.message));
  if (event.type === "tool.start") console.log(`→ ${event.call.name} ${JSON.stringify(event.call.input)}`);
  if (event.type === "tool.delta") process.stdout.write(event.delta);
  if (event.type === "slot" && event.name === "todos") console.log(`plan: ${JSON.stringify(event.value)}`);
  if (event.type !== "tool.end") return;
  const { hunks = [] } = (event.result.metadata?.["diff"] ?? {}) as Partial<FileDiff>;
  for (const { lines } of hunks) console.log(lines.join("\n"));
}

let answer: ((line: string) => void) | undefined;
const typed: string[] = []; // before it was asked for
const ask = (prompt: string): Promise<string> => {
  process.stdout.write(prompt);
  const early = typed.shift();
  return early === undefined ? new Promise((done) => (answer = done)) : Promise.resolve(early);
};
createInterface({ input: process.stdin })
  .on("line", (line) => {
    const waiting = answer;
    answer = undefined;
    if (waiting) waiting(line);
    else if (line === "/stop") agent.interrupt();
    else if (agent.steer(line)) console.log("(the agent sees it in its next step)");
    else typed.push(line);
  })
  .on("close", () => process.exit());
process.on("SIGINT", () => agent.interrupt() || process.exit());

/** Runs a turn to its end; a person decides about what needs an approval. */
async function run(input: string): Promise<void> {
  let reply = await agent.call(input);
  while (reply.pending.length > 0) {
    for (const { callId, name, input: asked, reason } of reply.pending) {
      const said = await ask(`${reason ?? name} ${name} ${JSON.stringify(asked)}\ny, or why not: `);
      await agent.decide(callId, said === "y" ? "approve" : { deny: said || "No." });
    }
    reply = await agent.call();
  }
  console.log(`[${reply.reason}]`);
}

/** Brings the folder and the conversation back to what they were at a step. */
async function undo({ tree, seq, sessionId }: Step): Promise<void> {
  snapshot(); // else files that are new would stay
  git("read-tree", "--reset", "-u", tree);
  const fork = await (await openSession(store, sessionId)).fork(seq, { edits: (all) => all });
  await agent.close();
  agent = begin(fork.sessionId);
}

let agent = begin(`coder-${Date.now()}`);
console.log(
  "Say what to do, or /mode default|acceptEdits|plan, /undo STEP; while it works /stop, or a hint.",
);
for (;;) {
  const line = await ask("> ");
  const [, command, value = ""] = /^\/(\w+) (\w+)$/u.exec(line) ?? [];
  const step = steps[Number(value) - 1];
  if (command === "mode" && (value === "default" || value === "acceptEdits" || value === "plan"))
    mode = value;
  else if (command === "undo" && step) await undo(step).then(() => console.log(`[back at step ${value}]`));
  else if (line.startsWith("/")) console.log("There is no such command, or no such step.");
  else await run(line);
}
