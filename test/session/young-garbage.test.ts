// The garbage of a session that works.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createAgent, userMsg, type Agent, type ChatModel } from "agentchart";
import { expect, test } from "vitest";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as (options?: { readonly type: "minor" }) => void;

const model: ChatModel = {
  name: "brief",
  async *stream() {
    yield { type: "text.delta", delta: "Done" };
    yield { type: "usage", usage: { inputTokens: 1, outputTokens: 1 } };
    yield { type: "finish", reason: "stop" };
  },
};

/** Each agent copies these, so that it holds more than 100 KB. */
const messages = Array.from({ length: 500 }, (_, index) => userMsg(`message ${index}`));
/** What one agent may leave behind, bytes. */
const LEFT = 20_000;

/** Makes agents, one after the other, and keeps none. */
async function dropped(count: number, use: (agent: Agent) => Promise<unknown>): Promise<void> {
  for (let made = 0; made < count; made++) {
    const agent = createAgent({ name: "brief", model, messages });
    await use(agent);
    await agent.close();
  }
  await new Promise(setImmediate);
}

async function read(agent: Agent): Promise<void> {
  const stream = agent.stream("Hi");
  for await (const _ of stream);
  await stream.reply;
}

test.each<readonly [string, (agent: Agent) => Promise<unknown>]>([
  ["called", (agent) => agent.call("Hi")],
  ["streamed", read],
])("an agent that was %s and closed is freed by a collection of young objects alone", async (_, use) => {
  const COUNT = 60;
  await dropped(COUNT, use);
  for (let times = 0; times < 3; times++) collect();
  const before = process.memoryUsage().heapUsed;
  await dropped(COUNT, use);
  for (let times = 0; times < 2; times++) collect({ type: "minor" });
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(COUNT * LEFT);
});
