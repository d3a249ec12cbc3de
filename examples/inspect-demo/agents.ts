import { setTimeout as sleep } from "node:timers/promises";
import { createAgent, defineHook, defineTool, suspend, type Agent, type AgentConfig } from "agentchart";
import { agentTool } from "agentchart/team";
import { z } from "zod";
import { plannedModel } from "./planned-model.ts";

const readFile = defineTool({
  name: "read_file",
  description: "Reads a file of the project.",
  input: z.object({ path: z.string() }),
  async execute({ path }) {
    await sleep(300 + path.length * 20);
    return `// ${path}\n${Array.from({ length: 12 }, (_, line) => `export const rule${line} = /^\\s*${line}/;`).join("\n")}`;
  },
});

const runTests = defineTool({
  name: "run_tests",
  description: "Runs the tests of a folder.",
  input: z.object({ folder: z.string() }),
  async execute({ folder }, { emit, signal }) {
    for (let file = 1; file <= 12; file++) {
      await sleep(250, undefined, { signal });
      emit(`✓ ${folder}/case-${file}.test.ts  ${20 + file * 3} ms\n`);
    }
    return { passed: 184, failed: 0 };
  },
});

const gitPush = defineTool({
  name: "git_push",
  description: "Pushes a branch.",
  input: z.object({
    branch: z.string().describe("The branch to push"),
    force: z.boolean().describe("Overwrite the remote branch"),
    reviewers: z.array(z.string()).optional(),
  }),
  permission: "ask",
  async execute({ branch, force }) {
    await sleep(700);
    return `pushed ${branch}${force ? " with force" : ""}`;
  },
});

const askCustomer = defineTool({
  name: "ask_customer",
  description: "Asks the customer, and waits for the answer.",
  input: z.object({ question: z.string() }),
  execute: ({ question }) =>
    suspend(question, {
      answerSchema: z.object({
        satisfied: z.boolean(),
        stars: z.int().min(1).max(5),
        comment: z.string().optional(),
      }),
    }),
});

const lookUpOrder = defineTool({
  name: "look_up_order",
  description: "Looks an order up.",
  input: z.object({ order: z.number() }),
  async execute({ order }) {
    await sleep(350);
    return { order, paid: 31, currency: "EUR" };
  },
});

const refund = defineTool({
  name: "refund",
  description: "Pays an order back.",
  input: z.object({ order: z.number(), euros: z.number() }),
  execution: { maxAttempts: 2, initialBackoffMs: 400 },
  async execute({ order, euros }) {
    await sleep(450);
    throw new Error(`The bank refused to pay ${euros} euros back: order ${order} was less.`);
  },
});

/** The bug of the demo: the bank once wanted cents, and nobody remembers this hook. */
const centsForTheBank = defineHook({
  name: "cents-for-the-bank",
  postActing: ({ call, result: { state, output } }) => {
    if (call.name !== lookUpOrder.name || state !== "success") return undefined;
    const inCents = output.map((part) =>
      part.type === "text" ? { ...part, text: part.text.replace('"paid":31', '"paid":3100') } : part,
    );
    return { result: { state, output: inCents } };
  },
});

type Common = Pick<AgentConfig, "inspect" | "store">;

/** An agent that cannot pay 31 euros back, because of a hook. */
function refundDesk(common: Common): AgentConfig {
  const policy = agentTool({
    agent: {
      name: "refund-policy",
      sysPrompt: "You know when an order may be paid back.",
      ...(common.inspect !== undefined && { inspect: common.inspect }),
      model: plannedModel("planned-small", [
        { text: "The customer may have all of it back: the parcel never came." },
      ]),
    },
    description: "Says whether an order may be paid back.",
  });
  return {
    ...common,
    name: "refund-desk",
    sysPrompt: "You pay orders back that never came. Ask for the policy first.",
    tools: [lookUpOrder, refund, policy],
    hooks: [centsForTheBank],
    model: plannedModel("planned-large", [
      {
        text: "I look the order up.",
        calls: [{ name: "look_up_order", input: { order: 4812 } }],
      },
      {
        text: "3100 euros is much. I ask whether I may pay it back.",
        calls: [
          {
            name: "call_refund-policy",
            input: { message: "Order 4812 over 3100 euros never came. May I pay it back?" },
          },
        ],
      },
      {
        text: "I may. I pay 3100 euros back.",
        calls: [{ name: "refund", input: { order: 4812, euros: 3100 } }],
      },
      { text: "I am sorry: the bank refuses to pay your order back, and I do not know why." },
    ]),
  };
}

/** Creates the agents of the demo, each with its task; all of them get the inspector and the store in `common`. */
export const demoAgents = (common: Common): readonly { readonly agent: Agent; readonly task: string }[] =>
  demoConfigs(common).map(({ config, task }) => ({ agent: createAgent(config), task }));

/** The configurations of the agents of the demo. */
export function demoConfigs(
  common: Common,
): readonly { readonly config: AgentConfig; readonly task: string }[] {
  const parser: AgentConfig = {
    ...common,
    name: "parser-fix",
    sysPrompt: "You repair parsers. Push a branch only after its tests have passed.",
    tools: [readFile, runTests, gitPush],
    parallelToolCalls: true,
    modelOptions: { prices: { "planned-large": { input: 2, output: 8 } } },
    model: plannedModel("planned-large", [
      {
        thinking: "The report names two files. I will read both before I change anything.",
        text: "First I will read the **lexer** and the **parser**.",
        calls: [
          { name: "read_file", input: { path: "src/lexer.ts" } },
          { name: "read_file", input: { path: "src/parser/expressions.ts" } },
        ],
      },
      {
        thinking: "rule4 consumes the newline. If it is fixed, the other rules should pass.",
        text: "`rule4` consumed a newline. I have fixed it; now I run the tests.",
        calls: [{ name: "run_tests", input: { folder: "test/parser" } }],
      },
      {
        text: "All 184 tests pass. I would like to push the branch.",
        calls: [
          { name: "git_push", input: { branch: "fix/newline-in-lexer", force: false, reviewers: ["ada"] } },
        ],
      },
      {
        text: "Done:\n\n1. `rule4` keeps its newline\n2. 184 tests pass\n3. the branch is pushed\n\n| file | lines |\n|---|---|\n| lexer.ts | 3 |\n",
      },
    ]),
  };
  const care: AgentConfig = {
    ...common,
    name: "customer-care",
    tools: [askCustomer],
    model: plannedModel("planned-small", [
      {
        text: "The refund has arrived. I will ask the customer whether the case is settled.",
        calls: [{ name: "ask_customer", input: { question: "Is everything in order now?" } }],
      },
      { text: "Thank you. I have noted the answer and closed the case." },
    ]),
  };
  const nightly: AgentConfig = {
    ...common,
    name: "nightly-scan",
    tools: [readFile],
    budget: { modelCalls: 3 },
    model: plannedModel(
      "planned-small",
      Array.from({ length: 6 }, (_, round) => ({
        text: `Part ${round + 1} of 6.`,
        calls: [{ name: "read_file", input: { path: `src/part-${round + 1}.ts` } }],
      })),
    ),
  };
  return [
    {
      config: refundDesk(common),
      task: "My order 4812 over 31 euros never came. Please pay it back.",
    },
    { config: nightly, task: "Scan all parts of the project." },
    { config: care, task: "Case 4812: is the customer satisfied?" },
    { config: parser, task: "The parser loses newlines. Find the cause, fix it and push the branch." },
  ];
}
