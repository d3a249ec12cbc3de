import type { Hook } from "../hook/types.ts";
import type { HookPoint } from "../hook/types.ts";
import type { AgentConfig } from "./agent-config.ts";
import { CLASS_HOOKS, type ClassHooks, type WithClassHooks } from "./class-hooks.ts";
import { pointsOf, stopHook } from "./config.ts";
import { sortHooks } from "./services/run-hooks.ts";

/** Most sessions have no hooks. */
const NONE: readonly never[] = Object.freeze([]);

/** The hooks of a session, which may change while it lives. Those of the class of its agent run before the others. */
export class SessionHooks {
  #hooks: readonly Hook<never>[];
  #sorted: readonly Hook<never>[];
  /** What has the hooks that run first; undefined for an agent without a class. */
  readonly #ofClass: ClassHooks | undefined;

  /** `kept`: the hooks of a former runtime, instead of those of the configuration. */
  constructor(config: AgentConfig<never>, kept?: readonly Hook<never>[]) {
    const { hooks = [], turnOptions: { stopWhen } = {} } = config;
    this.#ofClass = (config as WithClassHooks)[CLASS_HOOKS]?.ofClass;
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
    const first = this.#ofClass?.all ?? NONE;
    const isFirst = (hook: Hook<never>): boolean => first.includes(hook);
    const others = this.#hooks.filter((hook) => !isFirst(hook));
    return [...sortHooks(this.#hooks.filter(isFirst)), ...sortHooks(others)];
  }
}
