import * as s from "../../core/base/option-schema.ts";
import { type AgentError, configError } from "../../core/base/error.ts";
import { check } from "../../core/base/options.ts";
import type { Hook } from "../../core/hook/types.ts";
import { userMsg, toolResultsOf } from "../../core/message/msg.ts";
import type { Msg } from "../../core/message/types.ts";
import { countText } from "../../core/model/request.ts";
import { RESERVED_NAMES } from "../../core/tool/reserved-names.ts";
import type { Slot, Tool } from "../../core/tool/types.ts";
import { bodyText, LOAD_SKILL, loadSkillTool, opening } from "./load-skill.ts";
import { known, loadedSlot, shortened, skillWarningsSlot, type LoadedSkill } from "./loaded.ts";
import { SkillFolders, type Found } from "./skill-folders.ts";
import { skillSchema, toolsSchema, type Skill } from "./skill.ts";
import { largest, withoutTag } from "./cut.ts";

/** Options of {@link skills}: `dirs`, `skills`, or both. */
export type SkillsOptions = {
  /** Directories with a folder for each skill, such as `.agents/skills`. Of two skills with one name the first counts. */
  readonly dirs?: readonly string[] | undefined;
  /** Skills that a program brings. They come before those of `dirs`. */
  readonly skills?: readonly Skill[] | undefined;
  /** Tools for skills of `dirs`, by the names of the skills: the model has them once it has loaded the skill. */
  readonly tools?: { readonly [skill: string]: readonly Tool[] } | undefined;
  /** The most tokens of the names and descriptions in the system text; default 2,000. */
  readonly catalogueTokens?: number | undefined;
  /** The most tokens of instructions that are loaded; default 5,000. */
  readonly loadTokens?: number | undefined;
};

/** The schema of {@link SkillsOptions}. */
export const skillsSchema = s.lazily(() =>
  s.options<SkillsOptions>(
    {
      dirs: s.optional(s.listOf(s.nonEmpty("the path of a directory"))),
      skills: s.optional(s.listOf(skillSchema())),
      tools: s.optional(s.recordOf(toolsSchema())),
      catalogueTokens: s.optional(s.integer(100)),
      loadTokens: s.optional(s.integer(100)),
    },
    { what: "an object with `dirs` or `skills`" },
  ),
);

/** The most tokens of instructions that are shown again. */
const SHOWN_AGAIN_TOKENS = 10_000;

/** The maximum number of sessions whose skills a hook knows at once. */
const MAX_SESSIONS = 1_000;

/** Checks the options, and returns the skill that each tool of a skill belongs to. */
function ownersOf({ dirs, skills = [], tools = {} }: SkillsOptions): ReadonlyMap<string, string> {
  const invalid = (problem: string): AgentError => configError(`skills: ${problem}`);
  if (dirs === undefined && skills.length === 0) throw invalid("expected `dirs` or `skills`.");
  const twice = skills.find(({ name }, index) => skills.findIndex((each) => each.name === name) !== index);
  if (twice) throw invalid(`two skills are named '${twice.name}'.`);
  const owners = new Map<string, string>();
  const all = [...skills.map(({ name, tools: own = [] }) => [name, own] as const), ...Object.entries(tools)];
  for (const [skill, own] of all)
    for (const { name } of own) {
      if (owners.has(name)) throw invalid(`two skills have a tool named '${name}'.`);
      owners.set(name, skill);
    }
  return owners;
}

/** The names of the skills whose instructions are still among the messages. */
function visibleIn(messages: readonly Msg[], loaded: readonly LoadedSkill[]): ReadonlySet<string> {
  const texts = messages
    .flatMap(toolResultsOf)
    .flatMap(({ name, output: [first] }) =>
      name === LOAD_SKILL && first?.type === "text" ? [first.text] : [],
    );
  const names = loaded.map(({ name }) => name);
  return new Set(names.filter((name) => texts.some((text) => text.startsWith(opening(name)))));
}

/** The skills of a turn, and the tools that its last model call would have without them. */
type Turn = Found & { readonly offered: readonly string[] };

/** Returns what says why the model does not have a tool: undefined if it has. */
function refusalOf(
  { skills: all, offered }: Turn,
  loaded: readonly LoadedSkill[],
  owners: ReadonlyMap<string, string>,
): (tool: string) => string | undefined {
  const recent = loaded.flatMap(({ name, isNew }) => (isNew ? (all.get(name) ?? []) : []));
  const lists = recent.map(
    ({ allowedTools }) => allowedTools?.filter((name) => offered.includes(name)) ?? [],
  );
  const isNarrow = lists.length > 0 && lists.every((list) => list.length > 0);
  const allowed = lists.flat();
  return (tool) => {
    if (tool === LOAD_SKILL || RESERVED_NAMES.includes(tool)) return undefined;
    const owner = owners.get(tool);
    if (owner !== undefined)
      return loaded.some(({ name }) => name === owner)
        ? undefined
        : `The tool '${tool}' belongs to the skill '${owner}': load the skill first.`;
    if (!isNarrow || allowed.includes(tool)) return undefined;
    return `In this turn the skills ${recent.map(({ name }) => name).join(", ")} leave only these tools: ${allowed.join(", ")}.`;
  };
}

/**
 * Lets an agent load instructions when a task needs them, as agentskills.io describes: folders with a SKILL.md. Names and descriptions
 * stand in the system text, sorted by name; the model loads the rest with the tool `load_skill`. A change on the disk counts from the
 * next turn on. What is invalid is left out, and is in `skillWarningsSlot`. Skills in directories need the package `yaml`; without it
 * the turn fails. Throws `config/invalid` for wrong options.
 *
 * @example
 * ```ts
 * import { createAgent, type ChatModel } from "agentchart";
 * import { skills } from "agentchart/skills";
 *
 * export const agentOf = (model: ChatModel) =>
 *   createAgent({ name: "clerk", model, hooks: [skills({ dirs: [".agents/skills"] })] });
 * ```
 */
export function skills(options: SkillsOptions): Hook {
  check(skillsSchema(), options, "skills");
  const owners = ownersOf(options);
  const {
    dirs = [],
    skills: given = [],
    tools: more = {},
    catalogueTokens = 2_000,
    loadTokens = 5_000,
  } = options;
  const folders = new SkillFolders(dirs);
  /** The knowledge about the turn of each session. */
  const turns = new Map<string, Turn>();
  const keep = (sessionId: string, turn: Turn): Turn => {
    turns.delete(sessionId);
    turns.set(sessionId, turn);
    for (const [oldest] of turns) if (turns.size > MAX_SESSIONS) turns.delete(oldest);
    return turn;
  };
  const look = async (sessionId: string): Promise<Turn> =>
    keep(sessionId, { ...(await folders.find(given)), offered: [] });
  /** A turn that goes on in another process has not been looked at there. */
  const turnOf = async (sessionId: string): Promise<Turn> => turns.get(sessionId) ?? look(sessionId);

  return {
    name: "skills",
    priority: 110,
    writes: [loadedSlot as Slot, skillWarningsSlot as Slot],
    tools: [
      loadSkillTool(({ sessionId }) => turnOf(sessionId), loadTokens),
      ...given.flatMap(({ tools = [] }) => tools),
      ...Object.values(more).flat(),
    ],
    preCall: async ({ sessionId, system, slots }) => {
      const { skills: all, warnings } = await look(sessionId);
      const catalogue = catalogueOf([...all.values()], catalogueTokens);
      const loaded = slots.get(loadedSlot);
      const short = shortened(warnings);
      const isSame = JSON.stringify(short) === JSON.stringify(slots.get(skillWarningsSlot));
      return {
        ...(catalogue !== "" && { system: [system, catalogue].filter(Boolean).join("\n\n") }),
        slots: {
          ...(loaded.some(({ isNew }) => isNew) && { [loadedSlot.name]: known(loaded) }),
          ...(!isSame && { [skillWarningsSlot.name]: short }),
        },
      };
    },
    preReasoning: async ({ sessionId, slots, tools, messages }) => {
      const loaded = slots.get(loadedSlot);
      if (loaded.length === 0 && owners.size === 0) return undefined;
      const turn = keep(sessionId, { ...(await turnOf(sessionId)), offered: tools });
      const refusal = refusalOf(turn, loaded, owners);
      const left = tools.filter((tool) => refusal(tool) === undefined);
      const visible = visibleIn(messages, loaded);
      const again: string[] = [];
      let tokens = 0;
      for (const { name } of loaded.toReversed()) {
        const skill = turn.skills.get(name);
        if (!skill || visible.has(name)) continue;
        const text = bodyText(skill, loadTokens);
        tokens += countText(text);
        if (tokens > SHOWN_AGAIN_TOKENS) break;
        again.push(text);
      }
      const shown = ["<loaded_skills>", "You have loaded these skills before.", ...again, "</loaded_skills>"];
      return {
        ...(left.length < tools.length && { tools: left }),
        ...(again.length > 0 && {
          append: [userMsg(shown.join("\n"), { name: "skills", metadata: { ephemeral: true } })],
        }),
      };
    },
    preActing: async ({ sessionId, slots, call }) => {
      const deny = refusalOf(await turnOf(sessionId), slots.get(loadedSlot), owners)(call.name);
      return deny === undefined ? undefined : { deny };
    },
  };
}

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

/** The skills as the model sees them before it loads one: names and descriptions. If they have too many tokens, all descriptions are
 *  cut at the same length; if the names alone have, the last ones are left out. "" without skills. */
function catalogueOf(skills: readonly Skill[], maxTokens: number): string {
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
