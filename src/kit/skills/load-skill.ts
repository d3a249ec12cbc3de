import { posix } from "node:path";
import { z } from "zod";
import { nearestName } from "../../core/base/nearest-name.ts";
import { defineTool } from "../../core/tool/define.ts";
import { toolError } from "../../core/tool/suspend.ts";
import type { Slot, Tool, ToolContext } from "../../core/tool/types.ts";
import { cutToTokens } from "./cut.ts";
import { loadedSlot, loading } from "./loaded.ts";
import { readInside, type FileText } from "./read-inside.ts";
import type { Found, FoundSkill } from "./skill-folders.ts";

/** The name of the tool with which the model loads skills. */
export const LOAD_SKILL = "load_skill";

/** Returns the beginning of the text of a loaded skill. */
export const opening = (name: string): string => `<skill name="${name}">`;

/** The tokens of what stands around instructions. */
const FRAME_TOKENS = 60;

/** The instructions of a skill as the model reads them, in at most so many tokens. */
export function bodyText({ name, body }: FoundSkill, maxTokens: number): string {
  const cut = cutToTokens(body, maxTokens - FRAME_TOKENS);
  const note = `\n[Cut here; the whole text is the file SKILL.md of this skill.]`;
  return `${opening(name)}\n${cut === body ? body : cut + note}\n</skill>`;
}

async function fileOf({ folder, body, files = {} }: FoundSkill, path: string): Promise<FileText> {
  if (folder !== undefined) return readInside(folder, path);
  const name = posix.normalize(path);
  const text = Object.hasOwn(files, name) ? files[name] : name === "SKILL.md" ? body : undefined;
  if (text === undefined) return { problem: "there is no such file", isMissing: true };
  return { text, isCut: false, bytes: Buffer.byteLength(text) };
}

function unknownSkill(name: string, { skills }: Found): string {
  const names = [...skills.keys()];
  const near = nearestName(name, names);
  const known = names.slice(0, 20).join(", ") || "none";
  return `There is no skill ${JSON.stringify(name)}. ${near === undefined ? `There are: ${known}${names.length > 20 ? ", …" : ""}.` : `Did you mean ${near}?`}`;
}

/** The tool with which the model loads skills. `findFor` returns the skills of the session's turn. */
export function loadSkillTool(findFor: (ctx: ToolContext) => Promise<Found>, maxTokens: number): Tool {
  return defineTool({
    name: LOAD_SKILL,
    description:
      "Loads the instructions of a skill, or reads one of its files, such as references/rates.md, if the instructions name it.",
    input: z.object({
      name: z.string().describe("The name of the skill."),
      path: z
        .string()
        .optional()
        .describe("A file in the folder of the skill. Without it, the instructions."),
    }),
    writes: [loadedSlot as Slot],
    idempotent: true,
    deferred: false,
    execute: async ({ name, path }, ctx) => {
      const found = await findFor(ctx);
      const skill = found.skills.get(name);
      if (!skill) return toolError(unknownSkill(name, found));
      if (path !== undefined) {
        const file = await fileOf(skill, path);
        if ("problem" in file)
          return toolError(
            `The file ${JSON.stringify(path)} of skill '${name}' is not read: ${file.problem}.`,
          );
        const note = `\n[These are the first 256 KB of ${file.bytes} bytes.]`;
        return { output: [{ type: "text", text: file.isCut ? file.text + note : file.text }] };
      }
      return {
        output: [{ type: "text", text: bodyText(skill, maxTokens) }],
        slots: { [loadedSlot.name]: loading(ctx.slots.get(loadedSlot), name) },
      };
    },
  });
}
