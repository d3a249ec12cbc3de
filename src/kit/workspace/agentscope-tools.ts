import { z } from "zod";
import { check } from "../../core/base/options.ts";
import { defineTool } from "../../core/tool/define.ts";
import { toolError } from "../../core/tool/suspend.ts";
import type { Tool, ToolContext, ToolOutcome } from "../../core/tool/types.ts";
import { codingToolsSchema, type CodingToolsOptions } from "./coding-tools.ts";
import { OutputTail } from "./output-tail.ts";
import type { Workspace } from "./port.ts";
import { filesSlot, withSeen } from "./seen-files.ts";
import { changeText, findText, keyOf, said, told } from "./tool-context.ts";

const MAX_OUTPUT = 25_000;
const MAX_SHOWN = 50_000;
const MAX_SECONDS = 600;
const SNIPPET = 5;

const filePath = z.string().min(1).describe("The target file path.");
const timeout = z.number().positive().max(MAX_SECONDS).optional().describe("The most seconds. Default 300.");
const range = z.array(z.number().int()).length(2).nullish();

/** The lines of a text with their ends, as Python reads them. */
const linesWithEnds = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/gu) ?? [];

function viewed(lines: readonly string[], start: number, end: number): string {
  const text = lines
    .slice(start - 1, end)
    .map((line, at) => `${start + at}: ${line}`)
    .join("");
  return text.length > MAX_SHOWN
    ? `${text.slice(0, MAX_SHOWN).toWellFormed()}\n[${text.length - MAX_SHOWN} characters more]\n`
    : text;
}

async function view(
  workspace: Workspace,
  path: string,
  ranges: readonly number[] | null | undefined,
  ctx: ToolContext,
) {
  const stat = await workspace.stat(path);
  if (!stat) return toolError(`The file ${path} does not exist.`);
  if (stat.type !== "file") return toolError(`The path ${path} is not a file.`);
  const found = (await findText(workspace, path))!;
  const lines = linesWithEnds(found.text);
  const slots = withSeen(ctx.slots, keyOf(workspace, path), found.hash);
  if (!ranges)
    return said(`The content of ${path}:\n\`\`\`\n${viewed(lines, 1, lines.length)}\`\`\``, { slots });
  const [start, end] = ranges.map((each) => (each < 0 ? lines.length + each + 1 : each)) as [number, number];
  const shown = `[${ranges.join(", ")}]`;
  if (start > lines.length || start < 1 || end < start)
    return toolError(
      `The range '${shown}' is out of bounds for the file '${path}', which has only ${lines.length} lines.`,
    );
  return said(`The content of ${path} in ${shown} lines:\n\`\`\`\n${viewed(lines, start, end)}\`\`\``, {
    slots,
  });
}

/** The lines around a change. */
function snippet(text: string, from: number, to: number): { start: number; end: number; shown: string } {
  const lines = linesWithEnds(text);
  const start = Math.max(1, from - SNIPPET);
  const end = Math.min(lines.length, to + SNIPPET);
  return { start, end, shown: viewed(lines, start, end) };
}

async function insert(
  workspace: Workspace,
  { file_path: path, content, line_number: at }: { file_path: string; content: string; line_number: number },
  ctx: ToolContext,
): Promise<ToolOutcome> {
  if (at <= 0) return toolError(`The line number ${at} is invalid.`);
  const found = await findText(workspace, path);
  if (!found) return toolError(`The target file ${path} does not exist.`);
  const lines = linesWithEnds(found.text);
  if (at > lines.length + 1)
    return toolError(`The given line_number (${at}) is not in the valid range [1, ${lines.length + 1}].`);
  const last = lines.at(-1);
  const isAppended = at === lines.length + 1;
  const before = isAppended && last !== undefined && !last.endsWith("\n") ? "\n" : "";
  const text = [
    ...lines.slice(0, at - 1),
    before,
    content,
    isAppended ? "" : "\n",
    ...lines.slice(at - 1),
  ].join("");
  const { start, end, shown } = snippet(text, at, at + linesWithEnds(content).length - 1);
  return changeText(workspace, ctx, {
    path,
    found,
    text,
    said: () =>
      `Insert content into ${path} at line ${at} successfully. The new content between lines ${start}-${end} is:\n\`\`\`\n${shown}\`\`\``,
  });
}

async function write(
  workspace: Workspace,
  {
    file_path: path,
    content,
    ranges,
  }: { file_path: string; content: string; ranges?: readonly number[] | null | undefined },
  ctx: ToolContext,
): Promise<ToolOutcome> {
  const found = await findText(workspace, path);
  const change = { path, found, text: content };
  if (!found) {
    const ignored = ranges
      ? ` The ranges [${ranges.join(", ")}] is ignored because the file does not exist.`
      : "";
    return changeText(workspace, ctx, {
      ...change,
      said: () => `Create and write ${path} successfully.${ignored}`,
    });
  }
  if (!ranges)
    return changeText(workspace, ctx, { ...change, said: () => `Overwrite ${path} successfully.` });
  const [start, end] = ranges as [number, number];
  const lines = linesWithEnds(found.text);
  if (start > lines.length || start < 1 || end < start)
    return toolError(`The start line ${start} is invalid. The file only has ${lines.length} lines.`);
  const isWhole = content === "" || content.endsWith("\n") || end >= lines.length;
  const text = [...lines.slice(0, start - 1), content, isWhole ? "" : "\n", ...lines.slice(end)].join("");
  const { shown } = snippet(text, start, start + linesWithEnds(content).length - 1);
  return changeText(workspace, ctx, {
    ...change,
    text,
    said: () => `Write ${path} successfully. The new content snippet:\n\`\`\`\n${shown}\`\`\``,
  });
}

async function execute(
  workspace: Workspace,
  {
    command,
    seconds = 300,
    what,
    env,
  }: { command: string; seconds?: number | undefined; what: string; env?: { [name: string]: string } },
  { signal, emit }: ToolContext,
): Promise<ToolOutcome> {
  const tails = { stdout: new OutputTail(MAX_OUTPUT), stderr: new OutputTail(MAX_OUTPUT) };
  let code = -1;
  let late = "";
  for await (const event of workspace.exec!(command, {
    signal,
    timeoutMs: seconds * 1000,
    ...(env && { env }),
  })) {
    if (event.type === "output") {
      const text = tails[event.stream].push(event.data);
      if (text !== "") emit(text);
      continue;
    }
    code = event.exitCode ?? -1;
    if (event.stopped === "timeout")
      late = `TimeoutError: The ${what} execution exceeded the timeout of ${seconds} seconds.`;
    else if (event.stopped !== undefined) late = `The ${what} was stopped: ${event.stopped}.`;
    else if (event.signal !== undefined) late = `The ${what} was ended by ${event.signal}.`;
  }
  signal.throwIfAborted();
  const stderr = [tails.stderr.take(), late].filter((each) => each !== "").join("\n");
  return said(
    `<returncode>${code}</returncode><stdout>${tails.stdout.take()}</stdout><stderr>${stderr}</stderr>`,
    { metadata: { exitCode: code } },
  );
}

/**
 * Returns the tools of AgentScope under their names, with its arguments and its texts: `view_text_file`, `insert_text_file`,
 * `write_text_file`, and, if the workspace runs commands, `execute_shell_command` and `execute_python_code`. Unlike there, a file is
 * changed only if the session has read what it holds, and everything stays in the workspace.
 *
 * @example
 * ```ts
 * import { createAgent } from "agentchart";
 * import { scriptedModel } from "agentchart/testing";
 * import { agentScopeTools, memoryWorkspace } from "agentchart/workspace";
 *
 * const call = { name: "write_text_file", input: { file_path: "a.txt", content: "Hello" } };
 * const workspace = memoryWorkspace();
 * const model = scriptedModel([{ calls: [call] }, "Done."]);
 * await createAgent({ name: "coder", model, tools: agentScopeTools({ workspace }) }).call("Write a file.");
 * ```
 */
export function agentScopeTools(options: CodingToolsOptions): readonly Tool[] {
  check(codingToolsSchema(), options, "agentScopeTools");
  const { workspace } = options;
  const files: readonly Tool[] = [
    defineTool({
      name: "view_text_file",
      description:
        "View the file content in the specified range with line numbers. Without `ranges` the entire file is returned.",
      input: z.object({
        file_path: filePath,
        ranges: range.describe(
          "The lines to be viewed, such as [1, 100], inclusive; the last 100 lines are [-100, -1].",
        ),
      }),
      idempotent: true,
      writes: [filesSlot],
      execute: ({ file_path: path, ranges }, ctx) => told(() => view(workspace, path, ranges, ctx)),
    }),
    defineTool({
      name: "insert_text_file",
      description:
        "Insert the content at the specified line number in a text file. The file must have been viewed before.",
      input: z.object({
        file_path: filePath,
        content: z.string().describe("The content to be inserted."),
        line_number: z
          .number()
          .int()
          .describe("The line at which it is inserted, from 1; one more than the last line appends it."),
      }),
      writes: [filesSlot],
      execute: (input, ctx) => told(() => insert(workspace, input, ctx)),
    }),
    defineTool({
      name: "write_text_file",
      description:
        "Create, replace or overwrite content in a text file. With `ranges` these lines are replaced, otherwise the entire file. A file that exists must have been viewed before.",
      input: z.object({
        file_path: filePath,
        content: z.string().describe("The content to be written."),
        ranges: range.describe("The range of lines to be replaced, such as [3, 5], inclusive."),
      }),
      writes: [filesSlot],
      execute: (input, ctx) => told(() => write(workspace, input, ctx)),
    }),
  ];
  if (!workspace.exec) return files;
  const execution = { timeoutMs: (MAX_SECONDS + 30) * 1000 };
  return [
    defineTool({
      name: "execute_shell_command",
      description:
        "Execute a command and return the return code, standard output and error within <returncode></returncode>, <stdout></stdout> and <stderr></stderr> tags.",
      input: z.object({
        command: z.string().min(1).max(50_000).describe("The shell command to execute."),
        timeout,
      }),
      execution,
      execute: ({ command, timeout: seconds }, ctx) =>
        told(() => execute(workspace, { command, seconds, what: "command" }, ctx)),
    }),
    defineTool({
      name: "execute_python_code",
      description:
        "Execute the given Python code and return the return code, standard output and error. `print` what you want to see.",
      input: z.object({
        code: z.string().min(1).max(100_000).describe("The Python code to be executed."),
        timeout,
      }),
      execution,
      execute: ({ code, timeout: seconds }, ctx) =>
        told(() =>
          execute(
            workspace,
            {
              command: 'exec python3 -u -c "$AGENTCHART_CODE"',
              seconds,
              what: "code",
              env: { AGENTCHART_CODE: code, PYTHONUTF8: "1", PYTHONIOENCODING: "utf-8" },
            },
            ctx,
          ),
        ),
    }),
    ...files,
  ];
}
