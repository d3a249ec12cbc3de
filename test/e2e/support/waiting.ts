import { createAgent, defineTool, suspend, type Agent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";

const look = defineTool({
  name: "look",
  description: "Looks at a shelf.",
  input: z.object({ shelf: z.number() }),
  execute: () => "There are four boxes.",
});

/** An agent whose turn rests because it may ask its model only once. */
export async function outOfBudget(inspect: string): Promise<Agent> {
  const agent = createAgent({
    name: "stock-taker",
    model: scriptedModel([{ calls: [{ id: "look", name: "look", input: { shelf: 3 } }] }, "Four."]),
    tools: [look],
    budget: { modelCalls: 1 },
    inspect,
  });
  await agent.call("How many boxes are on shelf 3?");
  return agent;
}

/** An agent whose call "clerk" waits for an answer from outside, with a schema. */
export async function asksClerk(inspect: string): Promise<Agent> {
  const clerk = defineTool({
    name: "ask_clerk",
    description: "Asks a clerk.",
    input: z.object({ order: z.string() }),
    execute: () =>
      suspend("The clerk must look at the order.", {
        answerSchema: z.object({ allowed: z.boolean(), limit: z.number(), note: z.string().optional() }),
      }),
  });
  const agent = createAgent({
    name: "refunds",
    model: scriptedModel([
      { calls: [{ id: "clerk", name: "ask_clerk", input: { order: "A-1042" } }] },
      "Done.",
    ]),
    tools: [clerk],
    inspect,
  });
  await agent.call("Refund order A-1042.");
  return agent;
}

/** An agent whose call "wire" ran when its process ended, so that nobody knows what came of it. */
export async function cutOffWhileWiring(inspect: string): Promise<Agent> {
  const begun = Promise.withResolvers<void>();
  const stuck = Promise.withResolvers<string>();
  const wire = defineTool({
    name: "wire",
    description: "Wires money.",
    input: z.object({ cents: z.number() }),
    onRestart: "ask",
    execute: () => {
      begun.resolve();
      return stuck.promise;
    },
  });
  const config = {
    name: "payer",
    model: scriptedModel([{ calls: [{ id: "wire", name: "wire", input: { cents: 1_250 } }] }, "Wired."]),
    tools: [wire],
  };
  const died = createAgent(config);
  const cut = died.call("Wire 12.50.").catch(() => {});
  await begun.promise;
  const agent = createAgent({ ...config, snapshot: died.snapshot(), inspect });
  await agent.call();
  stuck.resolve("never mind");
  await cut;
  await died.close();
  return agent;
}
