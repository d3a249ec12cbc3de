import { writeFileSync } from "node:fs";
import type { Agent, Snapshot } from "agentchart";
import { memoryStore } from "../../src/store/memory.ts";
import { failingOnce, finish, pausing, plannedAgent, plannedModel } from "../support/planned.ts";

/** Writes a golden journal, or one golden snapshot for every state a session can be seen in. Run it for a NEW format only: a
 *  released golden session is never written again. */
const [what, version] = process.argv.slice(2);
if (!version || (what !== "journal" && what !== "snapshots"))
  throw new Error("usage: golden-make.ts journal|snapshots v<format>");

const seen = new Map<string, Snapshot>();
const watch = (agent: Agent): Agent => {
  agent.actor.subscribe(() => {
    const snapshot = agent.snapshot();
    const state = String(snapshot["state"]);
    if (!seen.has(state)) seen.set(state, snapshot);
  });
  return agent;
};
const config = {
  sessionId: "golden",
  hooks: [pausing],
  modelOptions: { execution: { initialBackoffMs: 5 } },
};

await finish(watch(plannedAgent({ ...config, model: failingOnce(plannedModel) })));
await finish(watch(plannedAgent({ ...config, maxIters: 1 })));
const interrupted = watch(plannedAgent(config));
interrupted.subscribe((event) => event.type === "tool.start" && void interrupted.interrupt("wait"));
await interrupted.call("go");
const refused = watch(plannedAgent(config));
await refused.call("go");
await refused.call("text").catch(() => {});
const failing = watch(
  plannedAgent({
    ...config,
    turnOptions: { maxGotos: 0 },
    hooks: [pausing, { name: "g", postReasoning: () => ({ goto: [] }) }],
  }),
);
await failing.call("go").catch(() => {});

const store = memoryStore();
const durable = watch(plannedAgent({ ...config, hooks: [], store }));
await finish(durable);
const entries: string[] = [];
for await (const entry of store.read("golden")) entries.push(JSON.stringify(entry));
const folder = `${import.meta.dirname}/../fixtures/sessions`;
if (what === "journal") writeFileSync(`${folder}/${version}.ndjson`, `${entries.join("\n")}\n`);

for (const [state, snapshot] of what === "snapshots" ? seen : []) {
  writeFileSync(`${folder}/${version}-${state}.json`, `${JSON.stringify(snapshot, null, 1)}\n`);
}
process.stdout.write(`${[...seen.keys()].toSorted().join("\n")}\n`);
