import type { Hook } from "../hook/types.ts";
import type { HookPoint } from "../hook/types.ts";
import type { AgentConfig } from "./agent-config.ts";
import { pointsOf, stopHook } from "./config.ts";
import { sortHooks } from "./services/run-hooks.ts";

/** Where a configuration has the hooks of the class of its agent. A symbol is copied with the options, and is none of them. */
export const CLASS_HOOKS = Symbol("hooks of the class");

/** Most sessions have no hooks. */
const NONE: readonly never[] = Object.freeze([]);

/** What may have hooks of a class. */
export type WithClassHooks = { readonly [CLASS_HOOKS]?: readonly Hook<never>[] };

/** The hooks of the class of an agent; none if it has no class. */
export function classHooks(config: WithClassHooks): readonly Hook<never>[] {
  return config[CLASS_HOOKS] ?? NONE;
}

/** The hooks of a session, which may change while it lives. Those of the class of its agent run before the others. */
export class SessionHooks {
  #hooks: readonly Hook<never>[];
  #sorted: readonly Hook<never>[];
  readonly #first: readonly Hook<never>[];

  /** `kept`: the hooks of a former runtime, instead of those of the configuration. */
  constructor(config: AgentConfig<never>, kept?: readonly Hook<never>[]) {
    const { hooks = [], turnOptions: { stopWhen } = {} } = config;
    this.#first = classHooks(config as WithClassHooks);
    this.#hooks = kept ?? (stopWhen ? [...hooks, stopHook(stopWhen)] : hooks.length > 0 ? [...hooks] : NONE);
    this.#sorted = this.#sort();
  }

  /** The hooks in the order in which they were added. */
  get all(): readonly Hook<never>[] {
    return this.#hooks;
  }

  /** The hooks in the order in which they run. */
  get sorted(): readonly Hook<never>[] {
    return this.#sorted;
  }

  /** The points that some hook listens to. */
  get points(): readonly HookPoint[] {
    return pointsOf(this.#hooks);
  }

  /** Replaces the hooks. */
  replace(hooks: readonly Hook<never>[]): void {
    this.#hooks = hooks;
    this.#sorted = this.#sort();
  }

  #sort(): readonly Hook<never>[] {
    if (this.#hooks.length === 0) return NONE;
    const isFirst = (hook: Hook<never>): boolean => this.#first.includes(hook);
    const others = this.#hooks.filter((hook) => !isFirst(hook));
    return [...sortHooks(this.#hooks.filter(isFirst)), ...sortHooks(others)];
  }
}
