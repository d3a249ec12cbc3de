// npm run inspect:demo — starts the inspector with four running agents. The models are scripted; no API key is needed.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { styleText } from "node:util";
import { inspector, startHub } from "agentchart/inspect";
import { fileStore } from "agentchart/store/file";
import { demoAgents } from "./inspect-demo/agents.ts";
import { HINTS } from "./inspect-demo/hints.ts";

const root = join(import.meta.dirname, "..");
if (!existsSync(join(root, "dist/visualizer/index.html"))) {
  console.log("Building the page …");
  const { status } = spawnSync("npm", ["run", "--silent", "build:page"], { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), "agentchart-inspect-demo-"));
const store = fileStore({ dir: join(folder, "sessions") });
const hub = await startHub({ store, home: folder });
const inspect = inspector({ home: folder });
console.log(`Open ${styleText("bold", `${hub.link}/guide`)}`);
console.log(
  "In a few seconds three runs will wait for you: for an approval, an answer and a larger budget. Ctrl-C ends the demo.",
);
console.log("A fourth one goes wrong. Why? Three hints, which the page shows too:");
for (const [at, hint] of HINTS.entries()) console.log(`  ${at + 1}. ${hint}`);

const { promise: stopped, resolve } = Promise.withResolvers<void>();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());

const agents = demoAgents({ inspect, store });
for (const { agent, task } of agents) agent.call(task).catch(() => {}); // the page shows the outcome
await stopped;
await Promise.all(agents.map(({ agent }) => agent.close()));
await inspect.close();
await hub.close();
await store.close();
rmSync(folder, { recursive: true, force: true });
