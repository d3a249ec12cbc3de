import { configError } from "../../core/base/error.ts";
import { isRule, type Rule } from "../../core/tool/rules/rule.ts";
import type { Judge } from "./types.ts";

/**
 * Judges that no call of a run breaks one of these rules, whether or not the agent has them. A call that cannot be judged does not pass. Throws
 * `config/invalid` for what is not a rule.
 *
 * @example
 * ```ts
 * import { obeys } from "agentchart/evals";
 * import { before } from "agentchart/rules";
 *
 * export const verifies = obeys(before("verify", "refund"));
 * ```
 */
export function obeys(...rules: readonly Rule[]): Judge {
  if (rules.length === 0 || !rules.every(isRule))
    throw configError("obeys: expected rules, as the functions of agentchart/rules make them.");
  return {
    name: `obeys ${rules.length} rules`,
    judge: async ({ sessionId }, { store }) => {
      const { auditSession } = await import("../../kit/rules/audit.ts");
      const findings = await auditSession(store, sessionId, rules);
      const found = findings.filter(({ what }) => what !== "ordered");
      const said = found.map(
        ({ what, tool, says }) => `${tool} ${what === "broke" ? "breaks" : "is not judged by"}: ${says}`,
      );
      return { pass: found.length === 0, reason: said.join(" ") || "No call breaks a rule." };
    },
  };
}
