import { configError } from "../../core/base/error.ts";
import { nearestName } from "../../core/base/nearest-name.ts";
import { matchesName } from "../../core/tool/name-pattern.ts";
import type { Rule } from "../../core/tool/rules/rule.ts";
import { approvedBy, before } from "../../kit/rules/build.ts";
import { shadow } from "../../kit/rules/combine.ts";
import type { AgentUnderCheck } from "./agent-under-check.ts";

/** Questions about an agent beside its rules. Each becomes a claim, and the shortest story against it is its answer. */
export type Questions = {
  /** Tools of which no call may begin without the approval of a person, whoever that is. */
  readonly withoutApproval?: readonly string[] | undefined;
  /** Tools that have to succeed in each turn that ends by an answer of the model. */
  readonly endWithout?: readonly string[] | undefined;
};

/** A question as a rule that is not enforced. */
export type Claim = { readonly rule: Rule; readonly endsOnlyAfter?: string };

/** The people who may approve in a walk: those whom rules name, anybody else, and somebody without a name. */
const ANYBODY = ["somebody else", "somebody"];

/** The name of no tool: a rule for it follows what has succeeded, and judges nothing. */
const NO_TOOL = " ";

/** Returns the questions as claims. Throws `config/invalid` for a tool that the agent does not have. */
export function claimsOf(
  { withoutApproval = [], endWithout = [] }: Questions,
  { classes, rules }: AgentUnderCheck,
): readonly Claim[] {
  const names = classes.flatMap((each) => each.names);
  for (const tool of [...withoutApproval, ...endWithout]) {
    if (names.some((name) => matchesName(tool, name))) continue;
    const near = nearestName(tool, names);
    const hint = near === undefined ? `its tools are [${names.join(", ")}].` : `did you mean '${near}'?`;
    throw configError(`checkRules: the agent has no tool '${tool}'; ${hint}`);
  }
  const people = rules.flatMap(({ data: { law } }) => (law.kind === "approved" ? law.by : []));
  return [
    ...withoutApproval.map((tool) => ({
      rule: shadow(
        approvedBy([...people, ...ANYBODY], tool, undefined, {
          name: `${tool} never without an approval`,
          says: `\`${tool}\` never runs without the approval of a person.`,
        }),
      ),
    })),
    ...endWithout.map((tool) => ({
      rule: shadow(
        before(tool, NO_TOOL, {
          name: `no end without ${tool}`,
          says: `A turn that the model ends has had a success of \`${tool}\`.`,
        }),
      ),
      endsOnlyAfter: tool,
    })),
  ];
}
