import { nearestName } from "../../core/base/nearest-name.ts";
import { matchesName } from "../../core/tool/name-pattern.ts";
import { toolsOf, type Law } from "../../core/tool/rules/law.ts";
import type { Rule } from "../../core/tool/rules/rule.ts";

/** A rule that always stops a tool unless others have succeeded: it is about all calls, whatever they say. */
type Demand = { readonly rule: Rule; readonly law: Extract<Law, { kind: "before" }> };

const isAboutAll = ({ parts, data }: Rule): boolean =>
  parts.functions.length === 0 && data.mode === "enforce" && data.onBreak !== "ask";

/** Returns the reason for which two rules, or a rule itself, leave a tool no way to run; undefined if none do. */
function problemOfRules(rules: readonly Rule[]): string | undefined {
  const firm = rules.filter(isAboutAll);
  const demands = firm.flatMap((rule): Demand[] =>
    rule.data.law.kind === "before" ? [{ rule, law: rule.data.law }] : [],
  );
  const never = firm.find(({ data: { law } }) => law.kind === "limit" && law.max === 0);
  for (const { rule, law } of demands) {
    const own = law.then.find((name) => law.first.every((first) => matchesName(name, first)));
    if (own !== undefined)
      return `The rule '${rule.data.name}' demands a success of '${own}' before '${own}' runs.`;
    const banned = never?.data.law;
    if (
      banned?.kind === "limit" &&
      law.first.every((first) => banned.then.some((name) => matchesName(name, first)))
    )
      return contradiction(rule, never!, `'${law.then[0]}' can never run`);
    for (const other of firm) {
      const ban = other.data.law;
      if (ban.kind !== "never" || ban.within !== undefined) continue;
      const isHit = law.then.some((name) => ban.then.some((pattern) => matchesName(pattern, name)));
      if (isHit && law.first.every((first) => ban.after.some((pattern) => matchesName(pattern, first))))
        return contradiction(rule, other, `'${law.then[0]}' can never run`);
    }
  }
  return circleOf(demands);
}

function contradiction(one: Rule, other: Rule, what: string): string {
  return `The rules '${one.data.name}' and '${other.data.name}' contradict each other: ${what}.`;
}

/** Rules that wait for each other. */
function circleOf(demands: readonly Demand[]): string | undefined {
  const names = new Set(demands.flatMap(({ law }) => [...law.first, ...law.then]));
  const free = new Set<string>();
  const mayRun = (name: string): boolean =>
    demands.every(
      ({ law }) =>
        !law.then.some((each) => matchesName(each, name)) || law.first.some((first) => free.has(first)),
    );
  for (let known = -1; known < free.size;) {
    known = free.size;
    for (const name of names) if (mayRun(name)) free.add(name);
  }
  const first = demands.find(({ law }) => law.then.some((name) => !free.has(name)));
  if (!first) return undefined;
  const other = demands.find(
    ({ law }) =>
      law !== first.law && law.then.some((name) => first.law.first.some((each) => matchesName(name, each))),
  );
  const what = `'${first.law.then[0]}' can never run, since each waits for the other`;
  return contradiction(first.rule, (other ?? first).rule, what);
}

/** Returns what is wrong with the rules of an agent with these tools: two of one name, tools that are not there, contradictions. Without
 *  `tools` it is not known which there are. */
export function problemOf(rules: readonly Rule[], tools: readonly string[] | undefined): string | undefined {
  const names = rules.map(({ data }) => data.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    return `Two rules are named '${twice}'; expected another \`name\` for one of them.`;
  for (const { data, optional } of tools ? rules : []) {
    const patterns = toolsOf(data.law);
    const missing = optional
      ? undefined
      : patterns.find((pattern) => !tools!.some((name) => matchesName(pattern, name)));
    if (missing === undefined) continue;
    const near = nearestName(missing, tools!);
    const hint = near === undefined ? `its tools are [${tools!.join(", ")}].` : `did you mean '${near}'?`;
    return `The rule '${data.name}' names the tool '${missing}', which the agent does not have; ${hint} A rule for a tool that is added later needs \`optional: true\`.`;
  }
  return problemOfRules(rules);
}
