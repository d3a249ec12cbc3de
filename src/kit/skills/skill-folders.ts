import { readdir, realpath, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { missingPackage } from "../../core/base/missing-package.ts";
import { readInside } from "./read-inside.ts";
import { type Skill, skillSchema } from "./skill.ts";
import { isObject } from "../../core/base/json.ts";
import { problemOf } from "../../core/base/options.ts";

/** A skill, and where its other files are. */
export type FoundSkill = Skill & { readonly folder?: string };

/** The skills of a turn by their names, in the order of names, and what was left out and why. */
export type Found = {
  readonly skills: ReadonlyMap<string, FoundSkill>;
  readonly warnings: readonly string[];
};

/** The maximum number of folders of one directory that are looked at. */
const MAX_FOLDERS = 1_000;

async function yamlParser(): Promise<(text: string) => unknown> {
  const { parse } = await import("yaml").catch(missingPackage("skills with `dirs`", "yaml"));
  return (text) => parse(text, { logLevel: "error" }) as unknown;
}

/** Finds the skills in directories. What has not changed is not read again. */
export class SkillFolders {
  readonly #dirs: readonly string[];
  readonly #known = new Map<string, { readonly stamp: string; readonly parsed: ParsedSkill }>();

  constructor(dirs: readonly string[]) {
    this.#dirs = dirs.map((dir) => resolve(dir));
  }

  /** The skills that are there now. The first of two with one name counts, those given before all others. */
  async find(given: readonly Skill[] = []): Promise<Found> {
    const skills = new Map<string, FoundSkill>(given.map((skill) => [skill.name, skill]));
    const warnings: string[] = [];
    for (const dir of this.#dirs) {
      for (const { folder, parsed } of await this.#inDir(dir, warnings)) {
        if ("problem" in parsed) warnings.push(`${folder}: ${parsed.problem}`);
        else if (skills.has(parsed.skill.name))
          warnings.push(`${folder}: There is a skill of this name already, which counts.`);
        else skills.set(parsed.skill.name, { ...parsed.skill, folder });
      }
    }
    const sorted = [...skills].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return { skills: new Map(sorted), warnings };
  }

  async #inDir(dir: string, warnings: string[]) {
    let names: readonly string[];
    try {
      const entries = await readdir(dir, { withFileTypes: true });
      const folders = entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink());
      names = folders
        .map(({ name }) => name)
        .filter((name) => !name.startsWith("."))
        .toSorted();
    } catch (error) {
      warnings.push(`${dir}: The directory cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
      return [];
    }
    if (names.length > MAX_FOLDERS)
      warnings.push(
        `${dir}: The directory has ${names.length} folders; the first ${MAX_FOLDERS} are looked at.`,
      );
    const found = [];
    for (const name of names.slice(0, MAX_FOLDERS)) {
      const parsed = await this.#inFolder(dir, name);
      if (parsed) found.push({ folder: join(dir, name), parsed });
    }
    return found;
  }

  /** The skill of a folder; undefined if the folder has no SKILL.md. */
  async #inFolder(dir: string, name: string): Promise<ParsedSkill | undefined> {
    const folder = join(dir, name);
    const file = join(folder, "SKILL.md");
    const stats = await stat(file).catch(() => undefined);
    if (!stats) return undefined;
    const [root, real] = await Promise.all([realpath(dir), realpath(folder)]);
    if (real !== join(root, name)) return { problem: "The folder is a symbolic link." };
    const stamp = `${stats.mtimeMs} ${stats.ctimeMs} ${stats.size} ${stats.ino}`;
    const known = this.#known.get(file);
    if (known?.stamp === stamp) return known.parsed;
    const read = await readInside(folder, "SKILL.md");
    const parsed =
      "problem" in read
        ? { problem: `SKILL.md is not read: ${read.problem}.` }
        : parseSkill(read.text, name, await yamlParser());
    this.#known.set(file, { stamp, parsed });
    return parsed;
  }
}

/** A skill, or the reason for which the text is not one. */
type ParsedSkill = { readonly skill: Skill } | { readonly problem: string };

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
function parseSkill(text: string, folder: string, parseYaml: (text: string) => unknown): ParsedSkill {
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
