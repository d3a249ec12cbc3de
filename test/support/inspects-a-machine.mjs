// Shows a machine in the inspector, as `agentchart inspect` and a program without an agent do.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspector, startHub } from "agentchart/inspect";
import { fileStore } from "agentchart/store/file";
import { createActor, createMachine } from "xstate";
import { inspectCommand } from "../../src/cli/inspect-command.ts";

assert.equal(typeof inspectCommand, "function"); // the command loads no more
const home = mkdtempSync(join(tmpdir(), "agentchart-loads-"));
const store = fileStore({ dir: join(home, "sessions") });
const hub = await startHub({ home, store });
const made = inspector({ url: hub.workerUrl, retryMs: [10, 50] });
const light = createMachine({
  id: "light",
  initial: "green",
  states: { green: { on: { next: "red" } }, red: {} },
});
const actor = createActor(light, { inspect: made.inspect }).start();
actor.send({ type: "next" });
await made.close();
const ask = async (path) => {
  const answer = await fetch(`${hub.url}${path}`, { headers: { authorization: `Bearer ${hub.token}` } });
  assert(answer.ok, path);
  return answer.json();
};
const { rows } = await ask("/api/runs");
assert.deepEqual(
  rows.map(({ agent, steps }) => [agent, steps]),
  [["light", 2]],
);
const [{ runId, chart }] = rows;
await ask(`/api/runs/${runId}/steps`);
await ask(`/api/runs/${runId}/messages`);
await ask(`/api/charts/${chart}`);
await hub.close();
await store.close();
rmSync(home, { recursive: true });
