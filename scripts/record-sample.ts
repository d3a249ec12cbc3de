// Records the sample run that a page without runs offers, from the agent of npm run inspect:demo: npm run docs:sample.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspector, startHub } from "agentchart/inspect";
import { memoryStore } from "agentchart/store/memory";
import { demoAgents } from "../examples/inspect-demo/agents.ts";

const FILE = join(import.meta.dirname, "../visualizer/public/sample-run.ndjson");
const home = mkdtempSync(join(tmpdir(), "agentchart-sample-"));
const hub = await startHub({ home });
const inspect = inspector({ home });
const agents = demoAgents({ inspect, store: memoryStore() });
const desk = agents.find(({ agent }) => agent.name === "refund-desk")!;
await desk.agent.call(desk.task);
await inspect.close(); // all that it has to report is sent
const response = await fetch(`${hub.url}/api/runs/${encodeURIComponent(desk.agent.sessionId)}/export`, {
  headers: { authorization: `Bearer ${hub.token}` },
});
if (!response.ok) throw new Error(`The run cannot be exported: status ${response.status}.`);
writeFileSync(FILE, await response.text());
await Promise.all(agents.map(({ agent }) => agent.close()));
await hub.close();
rmSync(home, { recursive: true, force: true });
console.log(`${FILE} is recorded.`);
