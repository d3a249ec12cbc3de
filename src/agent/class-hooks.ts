import type { AnyHook } from "../core/hook/types.ts";
import type { AnyAgentConfig } from "./options/agent-config.ts";
import { stopHook } from "./options/config.ts";
import { sortHooks } from "./services/run-hooks.ts";

/** An agent of a class while it lives. */
export type ClassMember = {
  /** True once the agent has ended for good. */
  readonly isOver: boolean;
  /** Adds a hook and its tools. Throws `config/invalid` if a tool cannot be added; then nothing has changed. */
  addHook(hook: AnyHook): void;
  /** Removes this very hook and its tools. */
  dropHook(hook: AnyHook): void;
};

/** The key under which a configuration has the hooks of the class of its agent. A symbol is copied with the options, and is not one of them. */
export const CLASS_HOOKS = Symbol("hooks of the class");

/** The type of a value that may have hooks of a class: the class, and those that it had when the configuration was made. */
export type WithClassHooks = {
  readonly [CLASS_HOOKS]?: { readonly ofClass: ClassHooks; readonly known: readonly AnyHook[] };
};

type WithHooks = WithClassHooks & { readonly hooks?: readonly AnyHook[] | undefined };

/** So many agents are noted before those that are gone are looked for. */
const FEW = 16;

/** The hooks of a class of agents, which may change while its agents live. A class of a class has those of both. */
export class ClassHooks {
  readonly #parent: ClassHooks | undefined;
  #own: readonly AnyHook[];
  /** All hooks that the class has had: a configuration that was made before has those of that time. */
  readonly #ever = new WeakSet<AnyHook>();
  #members = new Set<WeakRef<ClassMember>>();
  #sweepAt = FEW;

  constructor(hooks: readonly AnyHook[], parent: ClassHooks | undefined) {
    this.#parent = parent;
    this.#own = hooks.filter((hook) => !parent?.has(hook));
    for (const hook of this.#own) this.#ever.add(hook);
  }

  /** The hooks as they are now, those of the class above first. */
  get all(): readonly AnyHook[] {
    return this.#parent ? [...this.#parent.all, ...this.#own] : this.#own;
  }

  has(hook: AnyHook): boolean {
    return this.#ever.has(hook) || (this.#parent?.has(hook) ?? false);
  }

  /** Notes an agent of the class. This does not keep it in memory. */
  join(member: ClassMember): void {
    this.#parent?.join(member);
    if (this.#members.size >= this.#sweepAt) {
      this.#members = new Set([...this.#members].filter((ref) => ref.deref()?.isOver === false));
      this.#sweepAt = Math.max(FEW, 2 * this.#members.size);
    }
    this.#members.add(new WeakRef(member));
  }

  /** Adds a hook to the class and to its living agents, or to none of them if one cannot have it: then it throws what that one has
   *  thrown. */
  add(hook: AnyHook): void {
    if (this.all.includes(hook)) return;
    const before = this.#own;
    const wasThere = this.#ever.has(hook);
    this.#own = [...before, hook];
    this.#ever.add(hook);
    const done: ClassMember[] = [];
    try {
      for (const member of this.#living()) {
        member.addHook(hook);
        done.push(member);
      }
    } catch (error) {
      this.#own = before;
      if (!wasThere) this.#ever.delete(hook); // else an agent that brings it itself would not have it
      for (const member of done) member.dropHook(hook);
      throw error;
    }
  }

  /** Removes the hooks of this name that the class has itself from it and from its living agents. Returns false if there are none. */
  remove(name: string): boolean {
    const removed = this.#own.filter((hook) => hook.name === name);
    this.#own = this.#own.filter((hook) => !removed.includes(hook));
    for (const member of removed.length > 0 ? this.#living() : [])
      for (const hook of removed) member.dropHook(hook);
    return removed.length > 0;
  }

  #living(): readonly ClassMember[] {
    return [...this.#members].flatMap((ref) => {
      const member = ref.deref();
      return member && !member.isOver ? [member] : [];
    });
  }
}

/** The hooks of an agent that is made now: those that its class has now, then its own. One of the class that somebody has taken out of
 *  the configuration stays out. */
export function currentHooks(config: WithHooks): { readonly hooks?: readonly AnyHook[] } {
  const { [CLASS_HOOKS]: above, hooks = [] } = config;
  if (!above) return {};
  const { ofClass, known } = above;
  const ofNow = ofClass.all.filter((hook) => !known.includes(hook) || hooks.includes(hook));
  return { hooks: [...ofNow, ...hooks.filter((hook) => !ofClass.has(hook))] };
}

/** Notes an agent as one of the class of its configuration, if that has one. */
export function joinClass({ [CLASS_HOOKS]: above }: WithHooks, member: ClassMember): void {
  above?.ofClass.join(member);
}

/** Most sessions have no hooks. */
const NONE: readonly never[] = Object.freeze([]);

/** The hooks with which a session begins, in the order in which they were added. */
export function hooksOf({ hooks = [], turnOptions: { stopWhen } = {} }: AnyAgentConfig): readonly AnyHook[] {
  if (stopWhen) return [...hooks, stopHook(stopWhen)];
  return hooks.length > 0 ? [...hooks] : NONE;
}

/** The hooks of a session in the order in which they run: those of the class of its agent run before the others. */
export function inOrder(config: AnyAgentConfig, hooks: readonly AnyHook[]): readonly AnyHook[] {
  if (hooks.length === 0) return NONE;
  const first = (config as WithClassHooks)[CLASS_HOOKS]?.ofClass.all ?? NONE;
  const isFirst = (hook: AnyHook): boolean => first.includes(hook);
  const others = hooks.filter((hook) => !isFirst(hook));
  return [...sortHooks(hooks.filter(isFirst)), ...sortHooks(others)];
}
