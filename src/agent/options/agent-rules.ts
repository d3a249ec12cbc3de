import type { JsonObject } from "../../core/base/json.ts";
import type { RuleData, RuleStates } from "../../core/tool/rules/law.ts";
import type { Rule } from "../../core/tool/rules/rule.ts";
import { rulesOfStore } from "../../core/tool/rules/store-rules.ts";
import type { CallRules } from "../../../machines/agent/call-record.ts";
import { useRuleEngine, type RuleEngine } from "../../../machines/agent/rule-engine.ts";
import type { AgentContext } from "../../../machines/agent/context.ts";
import type { AnyTool } from "../../core/tool/types.ts";
import type { AnyAgentConfig, Permissions } from "./agent-config.ts";
import { nearestName } from "../../core/base/nearest-name.ts";
import { matchesName } from "../../core/tool/name-pattern.ts";

type Config = Pick<AnyAgentConfig, "rules" | "permissions" | "sessionOptions">;

/** The interface through which an agent with rules asks the engine that enforces them. It comes with the rules: an agent without rules does
 *  not load it. */
export type AgentRules = RuleEngine & {
  /** Returns what is wrong with the rules of an agent that has these tools, by their names. */
  problemOf(rules: readonly Rule[], tools: readonly AnyTool[], names: readonly string[]): string | undefined;
  /** True if a rule must see the calls of a tool before they run. */
  mustBeRead(rules: readonly Rule[], tool: AnyTool): boolean;
  /** Returns what the rules have to know of a call that may run, with the arguments that it would run with. */
  read(config: Config, tool: AnyTool, input: JsonObject, argsHash: string): CallRules | undefined;
  /** Returns the place of a call that starts among those of its agent: none overtakes another one. */
  startIn(
    agent: object,
    signal: AbortSignal,
  ): { readonly before: Promise<unknown> | undefined; begun(): void };
  /** Returns the rules of an agent inside of a call of another one. */
  within(own: readonly Rule[], outer: readonly Rule[]): readonly Rule[];
  /** Returns what the rules remember of a session that is begun, opened or loaded; `around`: what is remembered around it. */
  enter(
    config: Config,
    context: AgentContext,
    around: RuleStates | undefined,
    tools: readonly AnyTool[],
  ): RuleStates;
};

/** Returns the engine that enforces the rules of an agent; undefined if it has none. */
export function engineOf({ rules = [] }: Pick<Config, "rules">): AgentRules | undefined {
  return rules[0]?.engine as AgentRules | undefined;
}

/** The rules of an agent, if there are any: those of its store, then its own, each once. */
export function rulesOption({
  rules = [],
  store,
}: Pick<AnyAgentConfig, "rules" | "store">): Pick<Config, "rules"> {
  const given = rulesOfStore(store).filter(
    ({ data }) => !rules.some((own) => own.data.id === data.id && own.data.name === data.name),
  );
  const all = [...given, ...rules];
  return all.length > 0 ? { rules: all } : {};
}

/** The rules as the chart needs them; undefined if there are none. */
export function ruleSettings({ rules = [] }: Pick<Config, "rules">): readonly RuleData[] | undefined {
  const engine = engineOf({ rules });
  if (!engine) return undefined;
  useRuleEngine(engine);
  return rules.map(({ data }) => data);
}

/** The tool that was probably meant by a pattern that matches none: its letters are near those of the name, or of its beginning. */
function nearestTool(pattern: string, names: readonly string[]): string | undefined {
  const letters = pattern.replaceAll(/[*?]/g, "");
  if (letters === "") return undefined;
  const isNear = (name: string): boolean =>
    nearestName(letters, [name.slice(0, letters.length)]) !== undefined;
  return nearestName(letters, names) ?? names.find(isNear);
}

/** Returns the problem with the first rule that no tool of the agent is subject to; undefined if there is no such rule. A rule for every
 *  tool and an optional one are right without tools. */
export function ruleProblem(
  rules: NonNullable<Permissions["rules"]>,
  names: readonly string[],
): string | undefined {
  const index = rules.findIndex(
    ({ tool, optional }) =>
      optional !== true && !/^\*+$/.test(tool) && !names.some((name) => matchesName(tool, name)),
  );
  if (index < 0) return undefined;
  const { tool } = rules[index]!;
  const near = nearestTool(tool, names);
  const hint = near === undefined ? `its tools are [${names.join(", ")}].` : `did you mean '${near}'?`;
  return `\`permissions.rules[${index}].tool\` is '${tool}', which matches no tool of the agent; ${hint} A rule for a tool that is added later needs \`optional: true\`.`;
}
