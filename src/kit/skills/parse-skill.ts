import { isObject } from "../../core/base/json.ts";
import { problemOf } from "../../core/base/options.ts";
import { skillSchema, type Skill } from "./skill.ts";

/** A skill, or the reason for which the text is not one. */
export type ParsedSkill = { readonly skill: Skill } | { readonly problem: string };

const FILE =
  /^\uFEFF?---[^\S\n]*\r?\n(?<front>[\s\S]*?)(?:\r?\n|(?<=\n))---[^\S\n]*(?:\r?\n(?<body>[\s\S]*))?$/u;

const texts = (value: unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value).map(([key, each]) => [key, isScalar(each) ? String(each) : each]),
      )
    : value;
const isScalar = (value: unknown): boolean => typeof value === "number" || typeof value === "boolean";

/** The skill that a SKILL.md in the folder of this name describes. Fields that the standard does not have are passed over. */
export function parseSkill(text: string, folder: string, parseYaml: (text: string) => unknown): ParsedSkill {
  const { front, body = "" } = FILE.exec(text)?.groups ?? {};
  if (front === undefined)
    return { problem: "SKILL.md does not begin with front matter between two lines of ---." };
  let fields: unknown;
  try {
    fields = parseYaml(front);
  } catch (error) {
    const [line = ""] = (error as Error).message.split("\n");
    return { problem: `The front matter of SKILL.md is not YAML: ${line.replace(/:$/u, "")}.` };
  }
  if (!isObject(fields)) return { problem: "The front matter of SKILL.md has no fields." };
  const { name, description, license, compatibility, metadata, "allowed-tools": allowed } = fields;
  if (allowed !== undefined && allowed !== null && typeof allowed !== "string")
    return { problem: "`allowed-tools` must be names with spaces between them." };
  const skill = Object.fromEntries(
    Object.entries({
      name,
      description,
      body: body.trim(),
      license,
      compatibility,
      metadata: texts(metadata),
      allowedTools: typeof allowed === "string" ? toolNames(allowed) : undefined,
    }).filter(([, value]) => value !== undefined && value !== null),
  );
  const problem = problemOf(skillSchema(), skill, "The front matter of SKILL.md");
  if (problem !== undefined) return { problem };
  if (name !== folder)
    return {
      problem: `\`name\` is ${JSON.stringify(name)}; expected the name of the folder, ${JSON.stringify(folder)}.`,
    };
  return { skill: skill as Skill };
}

/** The names in `allowed-tools`, without what may stand in parentheses behind them, as in `Bash(git:*)`. */
function toolNames(allowed: string): readonly string[] {
  return allowed
    .replaceAll(/\([^)]*\)/gu, "")
    .split(/[\s,]+/u)
    .filter((name) => name !== "");
}
