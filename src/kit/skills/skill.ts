import * as s from "../../core/base/option-schema.ts";
import { toolSchema } from "../../core/tool/tool-schema.ts";
import type { Tool } from "../../core/tool/types.ts";

/** Instructions for one kind of task, which the model loads when it needs them. The fields are those of agentskills.io. */
export type Skill = {
  /** 1 to 64 letters a-z, digits and single hyphens between them. In a folder it is the folder's name too. */
  readonly name: string;
  /** The purpose of the skill and the occasion to use it, 1 to 1,024 characters: the model chooses by it. */
  readonly description: string;
  /** The instructions, in Markdown. */
  readonly body: string;
  readonly license?: string | undefined;
  /** The requirements of the skill, such as a program or the network; at most 500 characters. */
  readonly compatibility?: string | undefined;
  readonly metadata?: { readonly [key: string]: string } | undefined;
  /** The tools that the model has in the turn in which it loads the skill; default: all. It never permits a tool. */
  readonly allowedTools?: readonly string[] | undefined;
  /** Tools that the model has once it has loaded the skill. */
  readonly tools?: readonly Tool[] | undefined;
  /** Further files by their paths, such as `references/rates.md`, which the model can read. */
  readonly files?: { readonly [path: string]: string } | undefined;
};

const NAME = /^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/u;

const text = (most: number) =>
  s.value<string>(
    (value) => typeof value === "string" && value.trim() !== "" && Array.from(value).length <= most,
    `1 to ${most.toLocaleString("en")} characters`,
  );

/** Tools of any context. */
export const toolsSchema = () => s.listOf(toolSchema()) as unknown as s.OptionSchema<readonly Tool[]>;

/** The schema of {@link Skill}. */
export const skillSchema = s.lazily(() =>
  s.options<Skill>(
    {
      name: s.matching(NAME, "1 to 64 letters a-z, digits and single hyphens between them"),
      description: text(1_024),
      body: s.string(),
      license: s.optional(s.string()),
      compatibility: s.optional(text(500)),
      metadata: s.optional(s.recordOf(s.string())),
      allowedTools: s.optional(s.listOf(s.nonEmpty())),
      tools: s.optional(toolsSchema()),
      files: s.optional(s.recordOf(s.string())),
    },
    { what: "an object with `name`, `description` and `body`" },
  ),
);
