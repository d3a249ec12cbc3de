import { check } from "../base/options.ts";
import { hookSchema } from "./hook-schema.ts";
import type { AnyHook, Hook } from "./types.ts";

/**
 * Returns the hook as it is, typed. Annotate `Ctx` to type `event.context`. Throws `config/invalid`, as `createAgent` and
 * `addHook` do, for a hook without a name, a point that is not a function, and a function whose name is nearly that of a point.
 *
 * @example
 * ```ts
 * import { createAgent, defineHook, type ChatModel } from "agentchart";
 *
 * const politeness = defineHook({
 *   name: "politeness",
 *   preReasoning: ({ system }) => ({ system: `${system}\nBe polite.` }),
 * });
 *
 * const limitRefunds = defineHook({
 *   name: "limit-refunds",
 *   preActing: ({ call }) =>
 *     call.name === "refund" && Number(call.input["amount"]) > 100 ? { deny: "At most 100." } : undefined,
 * });
 *
 * export const agentOf = (model: ChatModel) =>
 *   createAgent({ name: "clerk", model, hooks: [politeness, limitRefunds] });
 * ```
 */
export function defineHook<Ctx = unknown>(hook: Hook<Ctx>): Hook<Ctx> {
  check(hookSchema(), hook as AnyHook, "defineHook", "The hook");
  return hook;
}
