import { createAgent, defineHook, defineTool, type Agent, type AgentConfig, type Tool } from "agentchart";
import { agentTool } from "agentchart/team";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";

type Place = Pick<AgentConfig, "inspect" | "store">;

const tool = (name: string, result = "done", more: Partial<Parameters<typeof defineTool>[0]> = {}): Tool =>
  defineTool({
    name,
    description: `Does what ${name} says.`,
    input: z.object({ about: z.string() }),
    execute: () => result,
    ...more,
  } as Parameters<typeof defineTool>[0]);

const call = (name: string, about: string, id = `${name} ${about}`) => ({ id, name, input: { about } });

/** The smallest agent: a model without tools, which has answered. */
export async function smallestAgent(place: Place): Promise<Agent> {
  const agent = createAgent({ ...place, name: "hello", model: scriptedModel(["Good morning."]) });
  await agent.call("Hello!");
  return agent;
}

/** An agent that has used each kind of place of the map: hooks at four points, a failure, a retry, an approval, a sub-agent. */
export async function fullAgent(place: Place): Promise<Agent> {
  let attempts = 0;
  const flaky = tool("read_invoice", "", {
    idempotent: true,
    execution: { maxAttempts: 2, initialBackoffMs: 1 },
    execute: () => {
      if (attempts++ === 0) throw new Error("ETIMEDOUT");
      return "Invoice 31 is over 120 euros.";
    },
  } as never);
  const broken = tool("read_ledger", "", {
    execute: () => {
      throw new Error("The ledger is closed.");
    },
  } as never);
  const pay = tool("pay", "Paid 120 euros.", { permission: "ask" } as never);
  const clerk = agentTool({
    agent: { name: "clerk", model: scriptedModel(["The customer is Ada Moor."]), ...place },
    description: "Knows the customers.",
  });
  const agent = createAgent({
    ...place,
    name: "accountant",
    sysPrompt: "You pay invoices.",
    modelOptions: { prices: { scripted: { input: 2, output: 8 } } },
    tools: [flaky, broken, pay, clerk, tool("archive"), tool("cancel")],
    hooks: [
      defineHook({ name: "tidy-input", preCall: ({ input }) => ({ input: input.slice() }) }),
      defineHook({
        name: "house-rules",
        preReasoning: ({ system }) => ({ system: `${system} Never pay twice.` }),
      }),
      defineHook({
        name: "in-cents",
        postActing: () => ({
          result: { state: "success" as const, output: [{ type: "text", text: "12000 cents" }] },
        }),
      }),
    ],
    model: scriptedModel([
      { text: "I read the invoice.", calls: [call("read_invoice", "31"), call("read_ledger", "31")] },
      { calls: [{ id: "ask the clerk", name: "call_clerk", input: { message: "Who is it?" } }] },
      { text: "Now I pay it.", calls: [call("pay", "invoice 31", "pay")] },
      "The invoice is paid.",
    ]),
  });
  await agent.call("Please pay invoice 31.");
  return agent;
}

const PERSONAS = ["billing", "shipping", "returns-and-complaints", "escalation-manager"] as const;

/** An agent of 60 tools, 6 sub-agents and 4 personas, of which some were called often. */
export async function largestAgent(place: Place): Promise<Agent> {
  const servers = ["github", "calendar", "warehouse_of_the_eastern_district"];
  const tools = servers.flatMap((server) =>
    Array.from({ length: 14 }, (_, at) => tool(`${server}__operation_${at + 1}`)),
  );
  const own = Array.from({ length: 18 }, (_, at) => tool(`own_tool_${at + 1}`));
  const agents = ["researcher", "translator", "reviewer", "lawyer", "geographer", "statistician"].map(
    (name) =>
      agentTool({
        agent: {
          name,
          model: scriptedModel(Array.from({ length: 4 }, () => `The ${name} is done.`)),
          ...place,
        },
        description: `Is a ${name}.`,
      }),
  );
  const personas = Object.fromEntries(
    PERSONAS.map((name) => [name, { sysPrompt: `You do ${name}.`, tools: own.slice(0, 6) }]),
  );
  const searches = Array.from({ length: 14 }, (_, at) => ({
    calls: [call("github__operation_3", String(at)), call("own_tool_2", String(at))],
  }));
  const agent = createAgent({
    ...place,
    name: "front-desk-of-everything",
    maxIters: 40,
    tools: [...tools, ...own, ...agents],
    personas,
    handoffs: PERSONAS.map((to) => ({ to, description: `Hands over to ${to}.` })),
    model: scriptedModel([
      ...searches,
      {
        calls: [
          { id: "r", name: "call_researcher", input: { message: "What is it?" } },
          { id: "l", name: "call_lawyer", input: { message: "May we?" } },
        ],
      },
      { calls: [{ id: "t", name: "transfer_to_billing", input: { reason: "It is about money." } }] },
      { calls: [call("own_tool_2", "bill")] },
      "The bill is sent.",
    ]),
  });
  await agent.call("Please send the bill of March.");
  return agent;
}
