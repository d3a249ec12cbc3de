import { configError } from "../../core/base/error.ts";
import { isObject } from "../../core/base/json.ts";
import { check } from "../../core/base/options.ts";
import { configSchema } from "./config-schema.ts";
import { hookSchema } from "../../core/hook/hook-schema.ts";
import type { Hook, AnyHook } from "../../core/hook/types.ts";
import { CLASS_HOOKS, ClassHooks, type WithClassHooks } from "../class-hooks.ts";
import type { AgentConfig, AnyAgentConfig } from "./agent-config.ts";
import { withoutSnapshot } from "./config-groups.ts";

/** The options of one agent of a class. Those that the class has may be left out. */
export type InstanceConfig<Given extends keyof AgentConfig, Ctx = unknown> = Omit<AgentConfig<Ctx>, Given> &
  Partial<AgentConfig<Ctx>>;

/** A class of agents: a function that makes the configuration of one. Made by {@link defineAgent}. */
export interface AgentClass<Given extends keyof AgentConfig = never, Ctx = unknown> {
  (config: InstanceConfig<Given, Ctx>): AgentConfig<Ctx>;
  /** Adds a hook and its tools to the class. They are added to the agents that live in this process, from their next hook point on, and to
   *  all that are made from now on, also of a configuration that was made before. One that is there already is not added again. Throws
   *  `config/invalid` for what is not a hook, and if an agent cannot have its tools; then no agent has it. */
  addHook(hook: Hook<Ctx>): void;
  /** Removes the hooks of this name, and their tools, from the class and from its agents in this process; hooks that an agent has itself
   *  stay. Returns false if the class has none of this name. */
  removeHook(name: string): boolean;
}

/** The names of groups of options: an option of the agent takes the place of that one of the class, and leaves the others. */
const GROUPS = ["modelOptions", "toolOptions", "turnOptions", "sessionOptions"] as const;

/** Stands for what the class leaves to its agents, while its options are checked. */
const REST = { name: "agent", model: { name: "none", stream: () => {} } };

/** The options of a class without those that an option of the agent excludes. */
function without(common: Partial<AnyAgentConfig>, own: Partial<AnyAgentConfig>): object {
  const { tools, toolkit, store, ...rest } = common;
  const hasTools = own.tools !== undefined || own.toolkit !== undefined;
  const hasSnapshot = own.sessionOptions?.snapshot !== undefined;
  return { ...rest, ...(!hasTools && given({ tools, toolkit })), ...(!hasSnapshot && given({ store })) };
}

/** The groups of options of an agent: each option of its own takes the place of that of the class. */
function groupsOf(common: Partial<AnyAgentConfig>, own: Partial<AnyAgentConfig>): object {
  const of = own.store ? withoutSnapshot(common) : common;
  const both = GROUPS.filter((name) => own[name] !== undefined || of[name] !== undefined);
  return Object.fromEntries(both.map((name) => [name, { ...of[name], ...given(own[name] ?? {}) }]));
}

/** The options without those that are undefined. */
function given(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function optionsOf(options: object, what: string): object {
  if (isObject(options)) return given(options);
  throw configError(`${what}: expected options, such as { name, model }.`);
}

/**
 * Defines a class of agents: what all of them have. Returns a function that makes the configuration of one, for `createAgent`, for
 * `agentTool` or for a worker. An option of the agent takes the place of that of the class, as does each option in a group such as
 * `modelOptions`; `hooks` do not: those of the class run at each point before those of the agent, whatever the priorities are, also
 * before those that `addHook` adds. `addHook` and `removeHook` of the class reach the agents that live, too. Throws `config/invalid` for wrong options of the class; wrong options of an agent are found by
 * `createAgent`.
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
>(defaults: D): AgentClass<keyof D & keyof AgentConfig, Ctx> {
  const common = optionsOf(defaults, "defineAgent") as Partial<AnyAgentConfig>;
  check(configSchema(), { ...REST, ...common }, "defineAgent");
  const ofClass = new ClassHooks(
    [...new Set(common.hooks)],
    (defaults as WithClassHooks)[CLASS_HOOKS]?.ofClass,
  );
  const make = (config: InstanceConfig<keyof D & keyof AgentConfig, Ctx>): AgentConfig<Ctx> => {
    const own = optionsOf(config, "The agent of a class") as Partial<AnyAgentConfig>;
    const known = ofClass.all;
    return {
      ...without(common, own),
      ...own,
      ...groupsOf(common, own),
      hooks: [...known, ...(own.hooks ?? [])],
      [CLASS_HOOKS]: { ofClass, known },
    } as unknown as AgentConfig<Ctx>;
  };
  return Object.assign(make, {
    addHook: (hook: Hook<Ctx>): void => {
      check(hookSchema(), hook as AnyHook, "addHook", "The hook");
      ofClass.add(hook as AnyHook);
    },
    removeHook: (name: string): boolean => ofClass.remove(name),
  });
}
