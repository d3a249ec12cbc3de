import type { RunRow } from "../wire/types.ts";
import { t } from "../words/t.ts";

type ForkOf = NonNullable<RunRow["forkOf"]>;

const WHAT: { readonly [what: string]: (of: string) => string } = {
  system: () => t("system prompt"),
  model: () => t("model"),
  options: () => t("options"),
  tools: () => t("tools"),
  message: (role) => t`message of ${role}`,
  arguments: (tool) => t`arguments of ${tool}`,
  result: (tool) => t`result of ${tool}`,
};

/** Returns what a fork changed, in a line: "model → gpt-5, result of search → 3 hits"; "" for one without known changes. */
export function forkText({ changed = [] }: ForkOf): string {
  return changed
    .map(({ what, of, now }) => {
      const name = WHAT[what]?.(of) ?? what;
      return now === undefined ? t`${name} removed` : `${name} → ${now === "" ? t("empty") : now}`;
    })
    .join(", ");
}
