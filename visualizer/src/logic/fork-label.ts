import type { RunRow } from "../wire/types.ts";

type ForkOf = NonNullable<RunRow["forkOf"]>;

const WHAT: { readonly [what: string]: (of: string) => string } = {
  system: () => "system prompt",
  model: () => "model",
  options: () => "options",
  tools: () => "tools",
  message: (role) => `message of ${role}`,
  arguments: (tool) => `arguments of ${tool}`,
  result: (tool) => `result of ${tool}`,
};

/** Returns what a fork changed, in a line: "model → gpt-5, result of search → 3 hits"; "" for one without known changes. */
export function forkText({ changed = [] }: ForkOf): string {
  return changed
    .map(({ what, of, now }) => {
      const name = WHAT[what]?.(of) ?? what;
      return now === undefined ? `${name} removed` : `${name} → ${now === "" ? "empty" : now}`;
    })
    .join(", ");
}
