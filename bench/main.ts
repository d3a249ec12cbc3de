import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bareChunks, calledChunks, hookedChunks, streamedChunks } from "./chunks.ts";
import { inTurns } from "./cpu.ts";
import { emptyRounds } from "./empty-chart.ts";
import { iterations } from "./iteration.ts";
import { loopback } from "./loopback.ts";
import { prefixHits } from "./prefix-share.ts";
import { report } from "./report.ts";
import { bareRuns, shortRuns } from "./short-run.ts";

const { values } = parseArgs({ options: { write: { type: "boolean", default: false } } });

const endless = { timeoutMs: Number.POSITIVE_INFINITY };
const noDeadlines = { modelExecution: endless, toolExecution: endless };
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

console.error("one iteration …");
const iteration = await inTurns(
  {
    empty: emptyRounds,
    bare10: iterations(10, noDeadlines),
    bare1000: iterations(1_000, noDeadlines),
    default10: iterations(10, {}),
    default1000: iterations(1_000, {}),
    hooks10: iterations(10, { ...noDeadlines, hooks }),
    limits10: iterations(10, { ...noDeadlines, permissions, budget, prices }),
  },
  { samples: 45, warmUp: 25 },
);

console.error("streamed chunks …");
const chunks = await inTurns(
  { bare: bareChunks, called: calledChunks, hooked: hookedChunks, streamed: streamedChunks },
  { samples: 15, warmUp: 5 },
);

console.error("a run of one round …");
const short = await inTurns(
  {
    bare: bareRuns,
    called: shortRuns("call"),
    streamed: shortRuns("stream"),
    packaged: shortRuns("call", { transport: "openai" }),
    packagedStream: shortRuns("stream", { transport: "openai" }),
  },
  { samples: 31, warmUp: 12 },
);

console.error("a task over loopback HTTP …");
const often = { samples: 21, warmUp: 8 };
const small = await loopback("small", often);
const usual = await loopback("usual", often);

console.error("what a prompt cache can serve …");
const prefixes = {
  "small, the whole history": await prefixHits("small"),
  "usual, the whole history": await prefixHits("usual"),
  "usual, `contextWindow: { maxTokens: 32_000 }`": await prefixHits("usual", {
    contextWindow: { maxTokens: 32_000 },
  }),
};

const text = report({ iteration, chunks, short, small, usual, prefixes });
console.log(text);
if (values.write) writeFileSync(join(import.meta.dirname, "../docs/bench.md"), text);
