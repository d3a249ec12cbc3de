// Opens session `s`, answers its question if it has an answer, goes on, prints what waits then, and stays until it is killed.
import { setTimeout as sleep } from "node:timers/promises";
import { AgentError, createAgent } from "agentchart";
import { mcp, type McpOptions } from "agentchart/mcp";
import { scriptedModel } from "agentchart/testing";
import type { JsonObject } from "../../../src/core/base/json.ts";
import type { Decision } from "../../../src/core/tool/pending.ts";
import { outputOf, resultsOf } from "../../support/agents.ts";
import { openStore, type StoreSpec } from "../../support/open-store.ts";

export type AskerArgs = {
  readonly spec: StoreSpec;
  readonly server: McpOptions;
  readonly tool: string;
  readonly input: JsonObject;
  readonly answer?: Decision;
};
const { spec, server: options, tool, input, answer } = JSON.parse(process.argv[2]!) as AskerArgs;
const store = await openStore(spec);
const server = await mcp(options);
const turns = [{ calls: [{ id: "call_1", name: tool, input }] }, "Done."];
const model = scriptedModel(answer === undefined ? turns : turns.slice(1));
const tools = server.tools();
const agent = createAgent({
  name: "bot",
  model,
  tools,
  store,
  sessionId: "s",
  sessionOptions: { leaseMs: 2_500 },
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
const results = resultsOf(await agent.messages()).map(outputOf);
console.log(JSON.stringify({ reason, text, pending: pending.map(({ callId }) => callId), results }));
setInterval(() => {}, 1_000);
