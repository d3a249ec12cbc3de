import { createAgent, defineTool, suspend, type Agent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";

const look = defineTool({
  name: "look",
  description: "Looks at a shelf.",
  input: z.object({ shelf: z.number() }),
  execute: () => "There are four boxes.",
});

/** Creates an agent whose turn is suspended because its budget allows one model call. */
export async function agentOverBudget(inspect: string): Promise<Agent> {
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

/** Creates an agent whose call "clerk" waits for an external result, with a schema. */
export async function agentWaitingForAnswer(inspect: string): Promise<Agent> {
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

/** Creates an agent whose call "wire" was running when its process ended, so that its outcome is unknown. */
export async function agentWithUnknownOutcome(inspect: string): Promise<Agent> {
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
  const killed = createAgent(config);
  const interrupted = killed.call("Wire 12.50.").catch(() => {});
  await begun.promise;
  const agent = createAgent({ ...config, sessionOptions: { snapshot: killed.snapshot() }, inspect });
  await agent.call();
  stuck.resolve("never mind");
  await interrupted;
  await killed.close();
  return agent;
}
