import type { AgentConfig } from "agentchart";

const GROUPS = ["modelOptions", "toolOptions", "turnOptions", "sessionOptions"] as const;

/** The options of `config`, with those of `more` in their place, also within the groups of options. */
export function layered<Config extends Partial<AgentConfig>>(
  config: Config,
  more: Partial<AgentConfig>,
): Config {
  const groups = GROUPS.filter((name) => config[name] || more[name]);
  return {
    ...config,
    ...more,
    ...Object.fromEntries(groups.map((name) => [name, { ...config[name], ...more[name] }])),
  };
}
