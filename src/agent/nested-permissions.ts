import type { Permissions } from "./agent-config.ts";

/** The permissions of somebody inside of an agent: rules of the agent that forbid or ask stand before the own ones; a permission of the
 *  agent is none of theirs. `isOptional`: they need not match a tool. */
export function permissionsWithin(
  own: Permissions = {},
  { rules = [] }: Permissions = {},
  isOptional = false,
): Permissions {
  const inherited = rules
    .filter(({ action }) => action !== "allow")
    .map((rule) => (isOptional ? { ...rule, optional: true } : rule));
  return { ...own, rules: [...inherited, ...(own.rules ?? [])] };
}
