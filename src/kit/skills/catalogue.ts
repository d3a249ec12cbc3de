import { countText } from "../../core/model/request.ts";
import { withoutTag } from "./cut.ts";
import type { Skill } from "./skill.ts";

const TAG = "available_skills";
const NO_CUT = 1_024;

function line({ name, description }: Skill, characters: number): string {
  const flat = description.replaceAll(/\s+/gu, " ").trim();
  const whole = Array.from(flat);
  const cut = whole.length > characters ? `${whole.slice(0, characters).join("").trimEnd()}…` : flat;
  return withoutTag(characters === 0 ? `- ${name}` : `- ${name}: ${cut}`, TAG);
}

function block(lines: readonly string[], more: number): string {
  return [
    `<${TAG}>`,
    "A skill has instructions for one kind of task. Before such a task, load its skill with load_skill, and follow it.",
    ...lines,
    ...(more > 0 ? [`There are ${more} more, whose names do not fit here.`] : []),
    `</${TAG}>`,
  ].join("\n");
}

/** The largest number up to `most` that fits, if smaller ones fit too; undefined if 0 does not. */
function largest(most: number, fits: (n: number) => boolean): number | undefined {
  if (!fits(0)) return undefined;
  let [low, high] = [0, most + 1];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** The skills as the model sees them before it loads one: names and descriptions. If they have too many tokens, all descriptions are
 *  cut at the same length; if the names alone have, the last ones are left out. "" without skills. */
export function catalogueOf(skills: readonly Skill[], maxTokens: number): string {
  if (skills.length === 0) return "";
  const withCut = (characters: number): string =>
    block(
      skills.map((skill) => line(skill, characters)),
      0,
    );
  const whole = withCut(NO_CUT);
  if (countText(whole) <= maxTokens) return whole;
  const characters = largest(NO_CUT, (n) => countText(withCut(n)) <= maxTokens);
  if (characters !== undefined) return withCut(characters);
  const named = (n: number): string =>
    block(
      skills.slice(0, n).map((skill) => line(skill, 0)),
      skills.length - n,
    );
  return named(largest(skills.length, (n) => countText(named(n)) <= maxTokens) ?? 0);
}
