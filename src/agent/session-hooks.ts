import type { Hook } from "../hook/types.ts";
import type { HookPoint } from "../hook/types.ts";
import type { AgentConfig } from "./types.ts";
import { pointsOf, stopHook } from "./config.ts";
import { sortHooks } from "./services/run-hooks.ts";

/** The hooks of a session, which may change while it lives. */
export class SessionHooks {
  #hooks: readonly Hook<never>[];
  #sorted: readonly Hook<never>[];

  constructor({ hooks = [], stopWhen }: AgentConfig<never>) {
    this.#hooks = [...hooks, ...(stopWhen ? [stopHook(stopWhen)] : [])];
    this.#sorted = sortHooks(this.#hooks);
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
    this.#sorted = sortHooks(hooks);
  }
}
