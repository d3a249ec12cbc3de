import { z } from "zod";
import { defineTool } from "../../core/tool/define.ts";
import { toolError } from "../../core/tool/suspend.ts";
import type { Tool, ToolContext, ToolOutcome } from "../../core/tool/types.ts";
import { contentHash } from "./content-hash.ts";
import { linesText } from "./file-diff.ts";
import type { Workspace } from "./port.ts";
import { filesSlot, withSeen } from "./seen-files.ts";
import { linesOf, textOf } from "./text-file.ts";
import { changeText, findText, keyOf, said, told } from "./tool-context.ts";
import type { MediaBlock } from "../../core/message/types.ts";
import { nearestName } from "../../core/base/nearest-name.ts";

const MAX_LINES = 2_000;
const MAX_CHARACTERS = 50_000;
const MAX_LINE = 2_000;
const MAX_MEDIA = 5 * 1024 * 1024;

const path = z.string().min(1).describe("The path of the file, relative to the root of the workspace.");

const cutLine = (line: string): string =>
  line.length > MAX_LINE ? `${line.slice(0, MAX_LINE).toWellFormed()}… [${line.length} characters]` : line;

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
        const text = textOf(content);
        if (text) return said(numbered(linesOf(text.text), offset, limit), { slots: seen });
        const media = mediaOf(content);
        if (media && content.length > MAX_MEDIA)
          return toolError(`'${at}' is ${media.type} of ${content.length} bytes; the most is ${MAX_MEDIA}.`);
        if (media) return { output: [media], slots: seen };
        return toolError(`'${at}' is a binary file of ${content.length} bytes.`);
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
          said: (diff) =>
            diff.change === "created" ? `Created ${at}.` : `Wrote ${at} (${linesText(diff)}).`,
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
    said: (diff) => `Edited ${at} (${linesText(diff)}${times}).`,
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

type Kind = readonly [type: MediaBlock["type"], mediaType: string, at: number, signature: string];

const KINDS: readonly Kind[] = [
  ["image", "image/png", 0, "\x89PNG\r\n\x1a\n"],
  ["image", "image/jpeg", 0, "\xff\xd8\xff"],
  ["image", "image/gif", 0, "GIF8"],
  ["image", "image/webp", 8, "WEBP"],
  ["audio", "audio/wav", 8, "WAVE"],
  ["audio", "audio/mpeg", 0, "ID3"],
  ["audio", "audio/mpeg", 0, "\xff\xfb"],
  ["audio", "audio/ogg", 0, "OggS"],
  ["audio", "audio/flac", 0, "fLaC"],
  ["video", "video/mp4", 4, "ftyp"],
  ["video", "video/webm", 0, "\x1a\x45\xdf\xa3"],
];

/** Returns the media that a file that is not text holds, told by its first bytes and not by its name; undefined if it holds none. */
function mediaOf(content: Uint8Array): MediaBlock | undefined {
  const head = Buffer.from(content.subarray(0, 16)).toString("latin1");
  const kind = KINDS.find(([, , at, signature]) => head.startsWith(signature, at));
  if (!kind) return undefined;
  const [type, mediaType] = kind;
  return { type, source: { type: "base64", mediaType, data: Buffer.from(content).toString("base64") } };
}

/** The change that is to be made in a text. */
type TextEdit = {
  readonly oldString: string;
  readonly newString: string;
  readonly replaceAll: boolean;
};

const MAX_SHOWN = 200;

function occurrences(text: string, part: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) found.push(at);
  return found;
}

const lineAt = (text: string, at: number): number => text.slice(0, at).split("\n").length;
const squeezed = (line: string): string => line.trim().replaceAll(/\s+/gu, " ");

/** Returns the place that the model probably meant: the line that differs in white space or in a few letters only. */
function nearest(text: string, oldString: string): string {
  const wanted = squeezed(linesOf(oldString).find((line) => line.trim() !== "") ?? "");
  if (wanted === "") return "";
  const lines = linesOf(text);
  let at = lines.findIndex((line) => squeezed(line) === wanted);
  if (at < 0) at = lines.findIndex((line) => squeezed(line).includes(wanted));
  if (at < 0) {
    const near = nearestName(wanted, lines.slice(0, 5_000).map(squeezed));
    at = near === undefined ? -1 : lines.findIndex((line) => squeezed(line) === near);
  }
  return at < 0 ? "" : ` The nearest line is ${at + 1}: ${lines[at]!.slice(0, MAX_SHOWN).toWellFormed()}`;
}

/** Returns the text with the edit, or what is wrong with it. The old string must occur, and once unless all are replaced. */
function editText(
  text: string,
  { oldString, newString, replaceAll }: TextEdit,
): { readonly text: string; readonly count: number } | { readonly problem: string } {
  if (oldString === "") return { problem: "old_string is empty; to write a whole file use write_file." };
  if (oldString === newString) return { problem: "old_string and new_string are the same." };
  const found = occurrences(text, oldString);
  if (found.length === 0) return { problem: `old_string is not in the file.${nearest(text, oldString)}` };
  if (found.length > 1 && !replaceAll) {
    const lines = found.slice(0, 10).map((at) => lineAt(text, at));
    return {
      problem: `old_string occurs ${found.length} times (lines ${lines.join(", ")}${found.length > 10 ? ", …" : ""}); add context or set replace_all.`,
    };
  }
  const count = replaceAll ? found.length : 1;
  return { text: text.split(oldString).join(newString), count };
}
