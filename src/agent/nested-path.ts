import { configError } from "../core/base/error.ts";
import type { Permissions } from "./options/agent-config.ts";

/** The default of the maximum depth to which agents may call each other. */
export const MAX_DEPTH = 3;

/** Throws `config/invalid` with the path of the agents if one would run inside of itself, or deeper than `maxDepth` below the first. */
export function checkPath(path: readonly string[], maxDepth: number): void {
  const shown = path.join("/");
  const name = path.at(-1)!;
  if (path.indexOf(name) < path.length - 1)
    throw configError(
      `Agent '${name}' would run inside of itself: ${shown}. Expected agents that do not call each other in a circle.`,
      { data: { path: shown } },
    );
  if (path.length - 1 > maxDepth)
    throw configError(
      `The agents ${shown} are nested ${path.length - 1} deep; expected at most ${maxDepth} (\`maxDepth\`).`,
      { data: { path: shown } },
    );
}

/** Returns the permissions of somebody inside of an agent. Rules of the agent that forbid or ask stand before the own ones; a permission of
 *  the agent is not inherited. `isOptional`: they need not match a tool. */
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
