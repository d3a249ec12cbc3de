import { AgentError } from "../base/error.ts";
import { isObject } from "../base/is-object.ts";
import { check } from "../base/options.ts";
import { configSchema } from "./config-schema.ts";
import { classHooks, CLASS_HOOKS, type WithClassHooks } from "./session-hooks.ts";
import type { AgentConfig } from "./agent-config.ts";

/** The options of one agent of a class. Those that the class has may be left out. */
export type InstanceConfig<Given extends keyof AgentConfig, Ctx = unknown> = Omit<AgentConfig<Ctx>, Given> &
  Partial<AgentConfig<Ctx>>;

/** Options of which an agent has one or the other: that of the agent takes the place of both. */
const EITHER = [
  ["tools", "toolkit"],
  ["store", "snapshot"],
] as const;

/** Stands for what the class leaves to its agents, while its options are checked. */
const REST = { name: "agent", model: { name: "none", stream: () => {} } };

/** The options without those that are undefined. */
function given(options: object, what: string): object {
  if (!isObject(options))
    throw new AgentError("config/invalid", `${what}: expected options, such as { name, model }.`);
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/**
 * Defines a class of agents: what all of them have. Returns a function that makes the configuration of one, for `createAgent`, for
 * `agentTool` or for a worker. An option of the agent takes the place of that of the class; `hooks` do not: those of the class run
 * at each point before those of the agent, whatever the priorities are, also before those that `addHook` adds. Throws
 * `config/invalid` for wrong options of the class; wrong options of an agent are found by `createAgent`.
 *
 * @example
 * ```ts
 * import { createAgent, defineAgent, type ChatModel, type Hook } from "agentchart";
 *
 * export function clerks(model: ChatModel, audit: Hook, greeting: Hook) {
 *   const clerk = defineAgent({ model, hooks: [audit], budget: { modelCalls: 20 } });
 *   return [
 *     createAgent(clerk({ name: "ada", hooks: [greeting] })), // audit runs before greeting
 *     createAgent(clerk({ name: "bob", budget: { modelCalls: 5 } })),
 *   ];
 * }
 * ```
 */
export function defineAgent<
  Ctx = unknown,
  const D extends Partial<AgentConfig<Ctx>> = Partial<AgentConfig<Ctx>>,
>(defaults: D): (config: InstanceConfig<keyof D & keyof AgentConfig, Ctx>) => AgentConfig<Ctx> {
  const common = given(defaults, "defineAgent") as Partial<AgentConfig<Ctx>>;
  check(configSchema(), { ...REST, ...common }, "defineAgent");
  const shared = [...new Set([...classHooks(defaults as WithClassHooks), ...(common.hooks ?? [])])];
  return (config) => {
    const own = given(config, "The agent of a class") as Partial<AgentConfig<Ctx>>;
    const replaced = EITHER.filter((pair) => pair.some((name) => name in own)).flat();
    const kept = Object.entries(common).filter(([name]) => !(replaced as readonly string[]).includes(name));
    return {
      ...Object.fromEntries(kept),
      ...own,
      hooks: [...shared, ...(own.hooks ?? [])],
      [CLASS_HOOKS]: shared,
    } as unknown as AgentConfig<Ctx>;
  };
}
