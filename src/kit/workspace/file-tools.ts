import { z } from "zod";
import { defineTool } from "../../core/tool/define.ts";
import { toolError } from "../../core/tool/suspend.ts";
import type { Tool, ToolContext, ToolOutcome } from "../../core/tool/types.ts";
import { contentHash } from "./content-hash.ts";
import { editText } from "./edit-text.ts";
import { mediaOf } from "./media-file.ts";
import type { Workspace } from "./port.ts";
import { filesSlot, withSeen } from "./seen-files.ts";
import { linesOf, textOf } from "./text-file.ts";
import { changeText, findText, keyOf, said, told } from "./tool-context.ts";

const MAX_LINES = 2_000;
const MAX_CHARACTERS = 50_000;
const MAX_LINE = 2_000;
const MAX_MEDIA = 5 * 1024 * 1024;

const path = z.string().min(1).describe("The path of the file, relative to the root of the workspace.");

const cutLine = (line: string): string =>
  line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}… [${line.length} characters]` : line;

/** Lines with their numbers, as many as fit, and what is left out. */
function numbered(lines: readonly string[], offset: number, limit: number): string {
  if (lines.length === 0) return "[The file is empty.]";
  if (offset > lines.length) return `[The file has ${lines.length} lines; there is no line ${offset}.]`;
  const shown: string[] = [];
  let size = 0;
  for (const line of lines.slice(offset - 1, offset - 1 + Math.min(limit, MAX_LINES))) {
    const text = `${String(offset + shown.length).padStart(6)}\t${cutLine(line)}`;
    if (size + text.length > MAX_CHARACTERS) break;
    size += text.length + 1;
    shown.push(text);
  }
  const last = offset + shown.length - 1;
  const more = lines.length - last;
  const rest = more > 0 ? [`[${more} more lines; go on with offset ${last + 1}]`] : [];
  return [...shown, ...rest].join("\n");
}

function readTool(workspace: Workspace): Tool {
  return defineTool({
    name: "read_file",
    description:
      "Reads a file. Text comes with line numbers, which are not part of the file, at most 2,000 lines or 50,000 characters at once; images, audio and video come as such.",
    input: z.object({
      path,
      offset: z.number().int().min(1).optional().describe("The first line, from 1. Default 1."),
      limit: z.number().int().min(1).optional().describe("The most lines. Default 2,000."),
    }),
    idempotent: true,
    writes: [filesSlot],
    execute: ({ path: at, offset = 1, limit = MAX_LINES }, { slots }) =>
      told(async (): Promise<ToolOutcome> => {
        const content = await workspace.read(at);
        const seen = withSeen(slots, keyOf(workspace, at), contentHash(content));
        const media = mediaOf(content);
        if (media && content.length > MAX_MEDIA)
          return toolError(`'${at}' is ${media.type} of ${content.length} bytes; the most is ${MAX_MEDIA}.`);
        if (media) return { output: [media], slots: seen };
        const text = textOf(content);
        if (!text) return toolError(`'${at}' is a binary file of ${content.length} bytes.`);
        return said(numbered(linesOf(text.text), offset, limit), { slots: seen });
      }),
  });
}

function writeTool(workspace: Workspace): Tool {
  return defineTool({
    name: "write_file",
    description:
      "Writes a whole file, and makes it if it is not there. A file that is there must have been read before. To change a part of it use edit_file.",
    input: z.object({ path, content: z.string().describe("The whole new content.") }),
    idempotent: true,
    writes: [filesSlot],
    execute: ({ path: at, content }, ctx) =>
      told(async () =>
        changeText(workspace, ctx, {
          path: at,
          found: await findText(workspace, at),
          text: content,
          said: ({ change, added, removed }) =>
            change === "created" ? `Created ${at}.` : `Wrote ${at} (+${added} −${removed} lines).`,
        }),
      ),
  });
}

async function edit(
  workspace: Workspace,
  at: string,
  change: Parameters<typeof editText>[1],
  ctx: ToolContext,
): Promise<ToolOutcome> {
  const found = await findText(workspace, at);
  if (!found) return toolError(`'${at}' is not in the workspace.`);
  const plain = (text: string): string => (found.isCrlf ? text.replaceAll("\r\n", "\n") : text);
  const edited = editText(found.text, {
    ...change,
    oldString: plain(change.oldString),
    newString: plain(change.newString),
  });
  if ("problem" in edited) return toolError(edited.problem);
  const times = edited.count === 1 ? "" : `, ${edited.count} places`;
  return changeText(workspace, ctx, {
    path: at,
    found,
    text: edited.text,
    said: ({ added, removed }) => `Edited ${at} (+${added} −${removed} lines${times}).`,
  });
}

function editTool(workspace: Workspace): Tool {
  return defineTool({
    name: "edit_file",
    description:
      "Replaces a string in a file that was read before. old_string must be exactly what is in the file, without line numbers, and occur once unless replace_all is true.",
    input: z.object({
      path,
      old_string: z.string().describe("What is replaced."),
      new_string: z.string().describe("What it is replaced with."),
      replace_all: z.boolean().optional().describe("Replaces every occurrence. Default false."),
    }),
    writes: [filesSlot],
    execute: (
      { path: at, old_string: oldString, new_string: newString, replace_all: replaceAll = false },
      ctx,
    ) => told(() => edit(workspace, at, { oldString, newString, replaceAll }, ctx)),
  });
}

/** Returns the tools that read and write files. */
export function fileTools(workspace: Workspace): readonly Tool[] {
  return [readTool(workspace), writeTool(workspace), editTool(workspace)];
}
