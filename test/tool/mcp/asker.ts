// Opens session `s`, answers its question if it has an answer, goes on, prints what waits then, and stays until it is killed.
import { setTimeout as sleep } from "node:timers/promises";
import { AgentError, createAgent } from "agentchart";
import { mcp } from "agentchart/mcp";
import { scriptedModel } from "agentchart/testing";
import type { Decision } from "../../../src/tool/pending.ts";
import { openStore, type StoreSpec } from "../../support/open-store.ts";

const { spec, url, answer } = JSON.parse(process.argv[2]!) as {
  readonly spec: StoreSpec;
  readonly url: string;
  readonly answer?: Decision;
};
const store = await openStore(spec);
const server = await mcp({ name: "hotel", url });
const turns = [{ calls: [{ id: "call_1", name: "hotel__book", input: { city: "Rome" } }] }, "Booked."];
const model = scriptedModel(answer === undefined ? turns : turns.slice(1));
const agent = createAgent({
  name: "bot",
  model,
  tools: server.tools(),
  store,
  sessionId: "s",
  leaseMs: 2_500,
});
/** The process before was killed, and its lease ends soon. */
async function open(): Promise<unknown> {
  try {
    return await agent.open();
  } catch (error) {
    if (!AgentError.is(error) || error.code !== "session/conflict") throw error;
    await sleep(100);
    return open();
  }
}
await open();
if (answer !== undefined) await agent.decide("call_1", answer);
const { reason, text, pending } = await agent.call(answer === undefined ? "go" : undefined);
console.log(JSON.stringify({ reason, text, pending: pending.map(({ callId }) => callId) }));
setInterval(() => {}, 1_000);
