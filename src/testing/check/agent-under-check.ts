import { AllowedTools } from "../../agent/allowed-tools.ts";
import type { AgentConfig } from "../../agent/options/agent-config.ts";
import { rulesOption } from "../../agent/options/agent-rules.ts";
import { checkConfig, pointsOf, settingsOf, toolkitOf } from "../../agent/options/config.ts";
import { isAgentTool } from "../../agent/services/run-call.ts";
import { toolTerms } from "../../agent/services/run-call.ts";
import type { HookPoint } from "../../core/hook/types.ts";
import { matchesName } from "../../core/tool/name-pattern.ts";
import { isCounted, isJudged, type RuleData } from "../../core/tool/rules/law.ts";
import type { Rule } from "../../core/tool/rules/rule.ts";
import type { CallTerms } from "../../../machines/agent/call-record.ts";
import type { Settings } from "../../../machines/agent/settings.ts";

/** A tool of the agent, or several that no rule and no term tells apart. */
export type ToolClass = {
  /** The names of all of them; the first stands for them. */
  readonly names: readonly string[];
  readonly terms: CallTerms;
  readonly mayAsk: boolean;
  readonly isFree: boolean;
  readonly isExternal: boolean;
  readonly isInner: boolean;
};

/** An agent, as far as a walk has to know it. */
export type AgentUnderCheck = {
  readonly name: string;
  readonly settings: Settings;
  readonly rules: readonly Rule[];
  readonly classes: readonly ToolClass[];
  readonly points: readonly HookPoint[];
  /** The parts of the agent that no walk follows. */
  readonly leftOut: readonly string[];
};

/** The points that have nothing to do with a call. */
const FAR: ReadonlySet<HookPoint> = new Set(["preCompact", "postCompact"]);
/** The most attempts of a call that a walk follows: another one after the second is like the second. */
const ATTEMPTS = 2;

/** Reads the configuration of an agent; `asked` are tools that are told apart beside those of its rules. Throws `config/invalid` as
 *  `createAgent` does. */
export function agentUnderCheck(given: AgentConfig<never>, asked: readonly string[] = []): AgentUnderCheck {
  checkConfig(given);
  const config = { ...given, ...rulesOption(given) };
  const rules = config.rules ?? [];
  const toolkit = toolkitOf(config);
  const settings = settingsOf(config);
  const { current: allowed } = new AllowedTools(config, toolkit);
  const mayAsk = config.permissions !== undefined;
  const classes = new Map<string, ToolClass>();
  const add = (name: string, kind: Omit<ToolClass, "names">): void => {
    const key = `${signature(name, kind, rules)} ${asked.filter((each) => matchesName(each, name)).join()}`;
    classes.set(key, { ...kind, names: [...(classes.get(key)?.names ?? []), name] });
  };
  for (const tool of toolkit.tools())
    add(tool.name, {
      terms: fewAttempts(toolTerms({ config }, tool)),
      mayAsk: mayAsk || tool.permission !== undefined,
      isFree: Object.hasOwn(allowed, tool.name),
      isExternal: tool.external,
      isInner: isAgentTool(tool),
    });
  for (const name of config.toolOptions?.clientTools ?? [])
    add(name, { terms: { onRestart: "ask" }, mayAsk, isFree: false, isExternal: true, isInner: false });
  return {
    name: config.name,
    settings,
    rules,
    classes: [...classes.values()],
    points: pointsOf(config.hooks ?? []).filter((point) => !FAR.has(point)),
    leftOut: leftOutOf(settings),
  };
}

const fewAttempts = ({ execution, writes: _, ...rest }: CallTerms): CallTerms => ({
  ...rest,
  ...(execution && {
    execution: { ...execution, maxAttempts: Math.min(execution.maxAttempts ?? 1, ATTEMPTS) },
  }),
});

/** Tells tools apart as the rules and the chart do. */
function signature(name: string, kind: Omit<ToolClass, "names">, rules: readonly Rule[]): string {
  const roles = rules.map(({ data: { law } }) => rolesOf(law, name));
  return JSON.stringify([roles, kind]);
}

function rolesOf(law: RuleData["law"], name: string): unknown {
  if (law.kind === "any") return law.of.map((part) => rolesOf(part, name));
  const knows =
    law.kind === "if" ? law.knows.map((known) => isCounted({ ...law, knows: [known] }, name)) : [];
  return [isJudged(law, name), isCounted(law, name), ...knows];
}

function leftOutOf({ compaction, handoffs, budget }: Settings): readonly string[] {
  return [
    ...(compaction?.auto ? ["compaction of the conversation"] : []),
    ...(handoffs ? ["handoffs"] : []),
    ...(Object.keys(budget).length > 0 ? ["budgets"] : []),
  ];
}
