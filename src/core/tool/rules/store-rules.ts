import type { Rule } from "./rule.ts";

/** The key under which a store has its rules: a copy of it and a proxy have them too. */
const RULES = Symbol("rules of a store");

type Ruled = { readonly [RULES]?: readonly Rule[] };

/**
 * Says that every agent whose session lies in a store keeps these rules, beside its own, and returns the store. Rules about tools that
 * an agent does not have are none of it. A second call replaces the first.
 *
 * @example
 * ```ts
 * import { never, withRules } from "agentchart/rules";
 *
 * import { memoryStore } from "agentchart/store/memory";
 *
 * export const store = withRules(memoryStore(), [never("send_mail").after("read_secret")]);
 * ```
 */
export function withRules<Store extends object>(store: Store, rules: readonly Rule[]): Store {
  const value = rules.map((rule) => ({ ...rule, optional: true }));
  return Object.defineProperty(store, RULES, { value, enumerable: true, configurable: true });
}

/** Returns the rules that hold for all agents of a store. */
export function rulesOfStore(store: object | undefined): readonly Rule[] {
  return (store as Ruled | undefined)?.[RULES] ?? [];
}

/** Returns a store that stands for another one, with the rules of that one. */
export function withRulesOf<Store extends object>(store: object, wrapper: Store): Store {
  return Object.defineProperty(wrapper, RULES, { get: () => rulesOfStore(store), enumerable: true });
}
