import { setTimeout as sleep } from "node:timers/promises";
import {
  createAgent,
  defineTool,
  type Agent,
  type AgentConfig,
  type ChatModel,
  type StreamPart,
} from "agentchart";
import { z } from "zod";

const PLAN = `The failing test is in \`lexer.test.ts\`. Before I change anything I want to see

1. how the lexer keeps its **state**, and
2. what the last commit changed.

\`\`\`ts
case State.String:
  this.pos += width;
\`\`\``;

type Answer = {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly input: object }[];
};

const ANSWERS: readonly Answer[] = [
  {
    thinking: "The report says that strings with an escaped quote end too early. I read the lexer first.",
    text: PLAN,
    calls: [
      { id: "c1", name: "read_file", input: { path: "src/lexer.ts" } },
      { id: "c2", name: "read_file", input: { path: "test/lexer.test.ts" } },
    ],
  },
  {
    text: "`width` is 1 for an escaped quote. I correct it and run the tests.",
    calls: [{ id: "c3", name: "edit_file", input: { path: "src/lexer.ts", from: "width", to: "width + 1" } }],
  },
  { text: "Now the tests.", calls: [{ id: "c4", name: "run_tests", input: { pattern: "lexer" } }] },
  {
    text: "All 41 tests pass. I push the branch, so that you can look at it.",
    calls: [{ id: "c5", name: "shell", input: { command: "git push origin fix/lexer-state", timeoutS: 60 } }],
  },
  {
    text: "The branch is pushed. The lexer now skips *both* characters of an escape; nothing else has changed.",
  },
];

const USAGE = [1_840, 2_610, 3_120, 3_480, 3_790].map((inputTokens, index) => ({
  inputTokens,
  cachedInputTokens: index * 900,
  outputTokens: 140 + index * 11,
}));

/** A model that streams its answers with a pause of `msPerPart` ms before each part. */
function paced(answers: readonly Answer[], msPerPart: number): ChatModel {
  let requests = 0;
  return {
    name: "gpt-4.1",
    async *stream() {
      const answer = answers[requests % answers.length]!;
      const usage = USAGE[requests % USAGE.length]!;
      requests += 1;
      for (const part of partsOf(answer)) {
        await sleep(msPerPart);
        yield part;
      }
      yield { type: "usage", usage };
      yield { type: "finish", reason: answer.calls ? "tool_calls" : "stop" };
    },
  };
}

function partsOf({ thinking = "", text = "", calls = [] }: Answer): StreamPart[] {
  const pieces = (content: string): string[] => content.match(/[^]{1,24}/g) ?? [];
  return [
    ...pieces(thinking).map((delta) => ({ type: "thinking.delta", delta }) as const),
    ...pieces(text).map((delta) => ({ type: "text.delta", delta }) as const),
    ...calls.map(({ id, name, input }, key) => ({
      type: "tool.delta" as const,
      key,
      id,
      name,
      args: JSON.stringify(input),
    })),
  ];
}

const SOURCE = Array.from(
  { length: 24 },
  (_, line) => `${line + 70}: ${line === 18 ? "this.pos += width;" : "case State.Word:"}`,
);

/** Creates an agent that repairs a parser: it reads, edits, tests, and needs approval to push. */
export function parserFixer(config: Partial<AgentConfig> = {}, msPerPart = 0): Agent {
  const tool = (name: string, ms: number, result: string) =>
    defineTool({
      name,
      description: name,
      input:
        name === "shell"
          ? z.object({ command: z.string(), timeoutS: z.number() })
          : z.record(z.string(), z.json()),
      execute: async () => {
        await sleep(ms && msPerPart ? ms : 0);
        return result;
      },
    });
  return createAgent({
    name: "parser-fix",
    sysPrompt: "You mend parsers. Change as little as you can.",
    model: paced(ANSWERS, msPerPart),
    tools: [
      tool("read_file", 120, SOURCE.join("\n")),
      tool("edit_file", 40, "1 replacement"),
      tool("run_tests", 900, "41 passed"),
      tool("shell", 300, "To github.com:acme/parser\n * [new branch]"),
    ],
    parallelToolCalls: true,
    permissions: {
      rules: [
        { tool: "shell", action: "ask", reason: "It changes what others see." },
        { tool: "*_file", action: "allow", when: () => true }, // their calls are reviewed, too
      ],
    },
    ...config,
    modelOptions: {
      prices: { "gpt-4.1": { input: 2, output: 8, cachedInput: 0.5 } },
      ...config.modelOptions,
    },
  });
}
