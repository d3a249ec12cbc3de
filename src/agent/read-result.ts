import { toolResultsOf } from "../core/message/msg.ts";
import type { Msg, ToolResultBlock } from "../core/message/types.ts";
import { defineTool } from "../core/tool/define.ts";
import { READ_RESULT } from "../core/tool/reserved-names.ts";
import type { AnyTool, ToolOutcome } from "../core/tool/types.ts";
import type { AgentContext } from "../../machines/agent/context.ts";
import { formAt, mediaOf, resultText, shown } from "../../machines/agent/prompt/shown.ts";
import { ALL_WHOLE, WHOLE } from "../../machines/agent/prompt/view.ts";

/** The number of characters that are read by default, and the maximum. */
const [CHARACTERS, MOST_CHARACTERS] = [20_000, 100_000];
/** The maximum number of lines that match a pattern and are returned, and the number of lines that are shown around each. */
const [MATCHES, AROUND] = [50, 2];
/** Of a longer line so many characters are shown, around what was looked for. */
const LINE = 500;

type Input = {
  readonly id: string;
  readonly offset?: number;
  readonly limit?: number;
  readonly pattern?: string;
};

function failure(text: string): ToolOutcome {
  return { state: "error", output: [{ type: "text", text: `Error: ${text}` }] };
}

function excerpt(line: string, around: number): string {
  if (line.length <= LINE) return line;
  const begin = Math.max(0, Math.min(around - LINE / 2, line.length - LINE));
  const end = begin + LINE;
  return `${begin > 0 ? "…" : ""}${line.slice(begin, end)}${end < line.length ? "…" : ""}`;
}

/** Returns the lines that contain the text, each with the lines around it, numbered from 1. */
function matchesIn(text: string, pattern: string): string {
  const lines = text.split("\n");
  const wanted = pattern.toLowerCase();
  const found = lines.flatMap((line, index) => (line.toLowerCase().includes(wanted) ? [index] : []));
  if (found.length === 0) return `No line contains "${pattern}".`;
  const shown = new Set<number>();
  for (const index of found.slice(0, MATCHES))
    for (let near = index - AROUND; near <= index + AROUND; near++) shown.add(near);
  const numbered = lines.flatMap((line, index) => {
    if (!shown.has(index)) return [];
    return [`${index + 1}: ${excerpt(line, line.toLowerCase().indexOf(wanted))}`];
  });
  const more = found.length > MATCHES ? [`(${found.length - MATCHES} more lines contain it)`] : [];
  return [...numbered, ...more].join("\n");
}

function partOf(text: string, offset: number, limit: number): string {
  const end = Math.min(text.length, offset + limit);
  const rest = end < text.length ? `\n[${text.length - end} more characters; go on with offset ${end}]` : "";
  return `${text.slice(offset, end)}${rest}`;
}

/** The result of a call, without what a provider refused of it. */
function resultOf(
  { transcript, view }: Pick<AgentContext, "transcript" | "view">,
  id: string,
): ToolResultBlock | undefined {
  const has = (message: Msg): boolean => toolResultsOf(message).some((each) => each.id === id);
  const index = transcript.slice().findLastIndex(has);
  if (index < 0) return undefined;
  const form = formAt({ ...WHOLE, ...(view?.omitted && { omitted: view.omitted }) }, index);
  return toolResultsOf(shown(transcript.at(index)!, form, ALL_WHOLE)).findLast((each) => each.id === id);
}

/** The tool with which a model reads tool results that it sees in part: from the transcript, as hooks have left them. */
export function readResultTool(session: () => Pick<AgentContext, "transcript" | "view">): AnyTool {
  return defineTool({
    name: READ_RESULT,
    description:
      "Reads a tool result of this conversation that is shown in part or was cleared. Give its id, and either an offset and a limit in characters, or a text to find the lines that contain it.",
    input: {
      type: "object",
      properties: {
        id: { type: "string", description: "The id of the result, as its shortened form says." },
        offset: { type: "integer", minimum: 0, description: "The first character; default 0." },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: MOST_CHARACTERS,
          description: `How many characters; default ${CHARACTERS}.`,
        },
        pattern: { type: "string", description: "Only the lines that contain this text, in any case." },
      },
      required: ["id"],
    },
    idempotent: true,
    execute: async (input) => {
      const { id, offset = 0, limit = CHARACTERS, pattern } = input as Input;
      await session().transcript.load();
      const result = resultOf(session(), id);
      if (!result) return failure(`There is no result ${id}.`);
      const text = resultText(result);
      if (pattern !== undefined && pattern !== "") return matchesIn(text, pattern);
      if (offset > 0 && offset >= text.length)
        return failure(
          `The result ${id} has ${text.length} characters, so that none is at offset ${offset}.`,
        );
      const part = partOf(text, offset, limit);
      const media = offset === 0 ? mediaOf(result) : [];
      if (media.length === 0) return part;
      return { output: [...(text === "" ? [] : [{ type: "text" as const, text: part }]), ...media] };
    },
  }) as AnyTool;
}
