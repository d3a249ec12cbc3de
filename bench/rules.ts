import { createAgent, defineTool, type AgentConfig, type JsonObject } from "agentchart";
import { anyOf, approvedBy, atMost, before, never, onlyIf, sum, within, type Rule } from "agentchart/rules";
import { scriptedModel } from "agentchart/testing";
import { benchOptions, whole } from "./options.ts";

const { values } = benchOptions(
  `Measures what rules add to a call: the CPU of runs with many rules, less that of the same runs without any.

Usage: npm run bench:rules -- [options]

  --runs N  runs of each kind of rule (default: 120)
  --help    prints this`,
  { runs: { type: "string", default: "120" } },
);
const RUNS = whole("runs", values.runs);
/** The calls of one answer, and how many such answers a run has. */
const SIZES = [
  [1, 40],
  [8, 10],
  [40, 5],
] as const;

const OTHER = "about another tool";
const cents = (input: JsonObject): number => input["cents"] as number;

/** Rules of each kind about the tool that is called, none of which breaks. Those that read arguments need a review of each call, which many rules share with
 *  permissions: they are compared with runs whose calls are reviewed anyway. */
const KINDS: { readonly [kind: string]: (at: number) => Rule } = {
  [OTHER]: (at) => atMost(1, "read_secret", { per: "id", name: `other ${at}` }),
  never: (at) => never("act").after("read_secret", { name: `never ${at}` }),
  "never, per subject": (at) => never("act").after("read_secret", { per: "id", name: `never ${at}` }),
  "before, per subject": (at) => before("verify", "act", { per: "id", name: `before ${at}` }),
  "before within 1h": (at) => within("1h", before("verify", "act", { per: "id", name: `before ${at}` })),
  atMost: (at) => atMost(1_000, "act", { name: `at most ${at}` }),
  "atMost, per subject": (at) => atMost(1_000, "act", { per: "id", name: `at most ${at}` }),
  "sum within 1h": (at) => sum("act", cents, { max: 1e9, within: "1h", name: `sum ${at}` }),
  "approvedBy, above": (at) =>
    approvedBy("ana", "act", (input) => cents(input) > 100, { name: `approved ${at}` }),
  onlyIf: (at) => onlyIf("act", (input) => cents(input) < 100, { name: `if ${at}` }),
  "onlyIf, knows": (at) =>
    onlyIf("act", (input, done) => cents(input) < 1 || done.has("verify"), {
      knows: ["verify"],
      name: `if ${at}`,
    }),
  "anyOf before and sum": (at) =>
    anyOf([before("verify", "act", { per: "id" }), sum("act", cents, { max: 1e9 })], { name: `any ${at}` }),
};
const MANY = 10;

const tools = ["verify", "act", "read_secret"].map((name) =>
  defineTool({ name, description: name, input: { type: "object" }, execute: () => "done" }),
);

/** What has a call reviewed without any rule. */
const REVIEWED: NonNullable<AgentConfig["permissions"]> = {
  rules: ["verify", "act"].map((tool) => ({ tool, action: "allow", when: () => true })),
};

async function run(
  rules: readonly Rule[],
  calls: number,
  rounds: number,
  isReviewed: boolean,
): Promise<number> {
  const input = (id: number): JsonObject => ({ id: `order-${id}`, cents: 5 });
  const batch = (name: string) => ({
    calls: Array.from({ length: calls }, (_, id) => ({ name, input: input(id) })),
  });
  const script = [batch("verify"), ...Array.from({ length: rounds }, () => batch("act")), "done"];
  const agent = createAgent({
    name: "bench",
    model: scriptedModel(script),
    tools,
    maxIters: rounds + 2,
    ...(rules.length > 0 && { rules }),
    ...(isReviewed && { permissions: REVIEWED }),
  });
  const start = process.cpuUsage();
  await agent.call("go");
  const { user, system } = process.cpuUsage(start);
  await agent.close();
  return user + system;
}

console.log(`${MANY} rules of one kind; the least CPU of ${RUNS} runs each, in turns; µs a call and rule`);
for (const [calls, rounds] of SIZES) {
  const best = new Map<string, number>();
  const measure = async (name: string, rules: readonly Rule[], isReviewed: boolean): Promise<void> => {
    const spent = await run(rules, calls, rounds, isReviewed);
    best.set(name, Math.min(best.get(name) ?? Number.POSITIVE_INFINITY, spent));
  };
  const made = Object.entries(KINDS).map(([kind, rule]) => {
    const rules = Array.from({ length: MANY }, (_, index) => rule(index));
    return { kind, rules, reads: rules.some(({ data }) => data.reads) && kind !== OTHER };
  });
  for (let at = 0; at < RUNS; at++) {
    await measure("none", [], false);
    await measure("reviewed", [], true);
    for (const { kind, rules, reads } of made) await measure(kind, rules, reads);
  }
  const all = calls * rounds;
  const of = (name: string): number => best.get(name)! / all;
  console.log(
    `${calls} calls an answer: ${of("none").toFixed(0)} µs a call without rules, ${of("reviewed").toFixed(0)} with a review`,
  );
  for (const { kind, reads } of made)
    console.log(`  ${kind}: ${((of(kind) - of(reads ? "reviewed" : "none")) / MANY).toFixed(1)}`);
}
