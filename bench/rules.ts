// bench/rules.ts measures what rules add to a call: the CPU of runs with many rules, less that of the same runs without any.
import { createAgent, defineTool, type JsonObject } from "agentchart";
import { atMost, before, never, onlyIf, sum, type Rule } from "agentchart/rules";
import { scriptedModel } from "agentchart/testing";

const RUNS = Number(process.argv[2] ?? 120);
/** The calls of one answer, and how many such answers a run has. */
const SIZES = [
  [1, 40],
  [8, 10],
  [40, 5],
] as const;

/** Rules of each kind about the tool that is called, none of which breaks. */
const KINDS: { readonly [kind: string]: (at: number) => Rule } = {
  "before, per subject": (at) => before("verify", "act", { per: "id", name: `before ${at}` }),
  never: (at) => never("act").after("read_secret", { name: `never ${at}` }),
  "atMost, per subject": (at) => atMost(1_000, "act", { per: "id", name: `at most ${at}` }),
  "sum within 1h": (at) =>
    sum("act", ({ cents }) => cents as number, { max: 1e9, within: "1h", name: `sum ${at}` }),
  onlyIf: (at) => onlyIf("act", ({ cents }) => (cents as number) < 100, { name: `if ${at}` }),
};
const MANY = 10;

const tools = ["verify", "act", "read_secret"].map((name) =>
  defineTool({ name, description: name, input: { type: "object" }, execute: () => "done" }),
);

async function run(rules: readonly Rule[], calls: number, rounds: number): Promise<number> {
  const input = (id: number): JsonObject => ({ id, cents: 5 });
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
  for (let at = 0; at < RUNS; at++) {
    for (const [kind, rule] of [["none", undefined], ...Object.entries(KINDS)] as const) {
      const rules = rule ? Array.from({ length: MANY }, (_, index) => rule(index)) : [];
      const spent = await run(rules, calls, rounds);
      best.set(kind, Math.min(best.get(kind) ?? Number.POSITIVE_INFINITY, spent));
    }
  }
  const without = best.get("none")!;
  const all = calls * rounds;
  console.log(`${calls} calls an answer: ${(without / all).toFixed(0)} µs a call without rules`);
  for (const [kind, spent] of best)
    if (kind !== "none") console.log(`  ${kind}: ${((spent - without) / all / MANY).toFixed(1)}`);
}
