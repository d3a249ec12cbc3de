import { defineHook, defineTool, type AgentConfig } from "agentchart";
import { checkRules } from "agentchart/check";
import { approvedBy, atMost, before, never, onlyIf, sum } from "agentchart/rules";
import { scriptedModel } from "agentchart/testing";
import { benchOptions, whole } from "./options.ts";

const { values } = benchOptions(
  `Measures a check of a desk with twelve tools, four hooks and six rules: states and seconds over rising bounds.

Usage: npm run bench:check -- [options]

  --disturbances N  disturbances of each walk (default: 1)
  --help            prints this`,
  { disturbances: { type: "string", default: "1" } },
);

const TOOLS = ["verify", "refund", "payout", "read_secret", "send_mail", "cancel"];
const OTHERS = ["look_up", "search", "ship", "note", "report", "close"];

const config = {
  name: "desk",
  model: scriptedModel([]),
  parallelToolCalls: true,
  tools: [...TOOLS, ...OTHERS].map((name) =>
    defineTool({ name, description: name, input: { type: "object" }, execute: () => "done" }),
  ),
  hooks: [
    defineHook({ name: "input", preCall: () => undefined }),
    defineHook({ name: "answers", postReasoning: () => undefined }),
    defineHook({ name: "calls", preActing: () => undefined }),
    defineHook({ name: "results", postActing: () => undefined }),
  ],
  rules: [
    before("verify", "refund", { per: "customer" }),
    atMost(1, "payout", { per: "order" }),
    sum("refund", ({ cents }) => Number(cents), { max: 50_000, per: "customer", within: "24h" }),
    approvedBy(["ana", "ben"], "refund", ({ cents }) => Number(cents) > 10_000),
    never("send_mail").after("read_secret"),
    onlyIf("cancel", ({ hour }) => Number(hour) >= 9),
  ],
} satisfies AgentConfig;

const disturbances = whole("disturbances", values.disturbances);
const report = await checkRules(config, { disturbances, timeLimitMs: 600_000 });
for (const { rule, result, walks } of report.rules) {
  console.log(rule, result);
  console.table(walks);
}
console.log(`${report.result} in ${report.seconds.toFixed(1)} s`);
