import { iterations } from "../iteration.ts";
import { bareRounds } from "../two-states.ts";
import type { Workload } from "../workload.ts";

const endless = { timeoutMs: Number.POSITIVE_INFINITY };
const noDeadlines = { modelOptions: { execution: endless }, toolOptions: { execution: endless } };
const hooks = [
  {
    name: "noop",
    preReasoning: () => {},
    postReasoning: () => {},
    preActing: () => {},
    postActing: () => {},
  },
];
const permissions = {
  rules: [
    { tool: "pay", action: "ask", optional: true },
    { tool: "noop", action: "deny", when: () => false, optional: true },
  ],
  otherwise: "allow",
} as const;
const budget = { modelCalls: 10_000, toolCalls: 10_000, totalTokens: 1e9, cost: 1e6, wallMs: 1e9 };
const prices = { instant: { input: 1, output: 2 } };

/** One model call and one tool call, both instant. */
export async function iteration(): Promise<Workload> {
  return {
    title: "One iteration",
    text: `One model call and one tool call, both instant, so this is the cost of the chart and of what is around it. The bare machine has two
states of XState's, each with one invoked promise, and does nothing.`,
    unit: "µs",
    digits: 0,
    reference: "a bare machine",
    variants: {
      "a bare machine": { run: bareRounds },
      "an iteration": {
        run: iterations(10, {}),
        aim: 4,
        why: "an iteration checks permissions, limits and deadlines, folds a message, keeps a transcript and tells observers; the machine does none of it",
      },
      "without deadlines": { run: iterations(10, noDeadlines) },
      "with a hook at four points": { run: iterations(10, { hooks }) },
      "with permission rules, five limits and prices": {
        run: iterations(10, { permissions, budget, modelOptions: { prices } }),
      },
    },
    sampling: { samples: 31, warmUpMs: 1_500, sampleMs: 250 },
  };
}

/** The same at the end of a long conversation. */
export async function history(): Promise<Workload> {
  const acquainted = { isAcquainted: true };
  const why =
    "each request has a list of the pieces of its history, and a long history is more for the caches";
  return {
    title: "A long history",
    text: `The same iteration by agents whose conversation is already so many messages long. The model reads none of them, so that no list is made of them. Each agent has
answered one message before: its first request looks at the whole history, once in each process. Then another agent has taken such a
turn: after a look at 10,000 messages nothing of an iteration is left in the caches (measured without that turn, the last ratio was 1.20
rather than 1.10 in one run).`,
    unit: "µs",
    digits: 0,
    reference: "10 messages",
    variants: {
      "10 messages": { run: iterations(10, {}, acquainted) },
      "1,000 messages": { run: iterations(1_000, {}, acquainted), aim: 1.1, why },
      "10,000 messages": { run: iterations(10_000, {}, acquainted), aim: 1.1, why },
    },
    sampling: { samples: 31, warmUpMs: 1_500, sampleMs: 250 },
  };
}
