import { nearestName } from "../base/nearest-name.ts";
import { matchesName } from "../tool/name-pattern.ts";
import type { Permissions } from "./agent-config.ts";

/** The tool that was probably meant by a pattern that matches none: its letters are near those of the name, or of its beginning. */
function nearestTool(pattern: string, names: readonly string[]): string | undefined {
  const letters = pattern.replaceAll(/[*?]/g, "");
  if (letters === "") return undefined;
  const isNear = (name: string): boolean =>
    nearestName(letters, [name.slice(0, letters.length)]) !== undefined;
  return nearestName(letters, names) ?? names.find(isNear);
}

/** What is wrong with the first rule that no tool of the agent is subject to; undefined if there is none. A rule for every tool and
 *  an optional one are right without tools. */
export function ruleProblem(
  rules: NonNullable<Permissions["rules"]>,
  names: readonly string[],
): string | undefined {
  const index = rules.findIndex(
    ({ tool, optional }) =>
      optional !== true && !/^\*+$/.test(tool) && !names.some((name) => matchesName(tool, name)),
  );
  if (index < 0) return undefined;
  const { tool } = rules[index]!;
  const near = nearestTool(tool, names);
  const hint = near === undefined ? `its tools are [${names.join(", ")}].` : `did you mean '${near}'?`;
  return `\`permissions.rules[${index}].tool\` is '${tool}', which matches no tool of the agent; ${hint} A rule for a tool that is added later needs \`optional: true\`.`;
}
