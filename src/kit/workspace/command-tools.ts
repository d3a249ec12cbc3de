import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { defineTool } from "../../core/tool/define.ts";
import type { Tool, ToolContext, ToolOutcome } from "../../core/tool/types.ts";
import { BackgroundCommands, type BackgroundCommand } from "./background.ts";
import { OutputTail } from "./output-tail.ts";
import type { CommandEvent, Workspace } from "./port.ts";
import { said, told } from "./tool-context.ts";

const MAX_OUTPUT = 50_000;
const MAX_EMITTED = 250_000;
const DEFAULT_MS = 120_000;
const MAX_MS = 600_000;
const MAX_WAIT_MS = 60_000;

type Exit = Extract<CommandEvent, { type: "exit" }>;

/** Returns the outcome of a command, in words. */
function exitText({ exitCode, signal, stopped }: Exit, timeoutMs?: number): string {
  if (stopped === "timeout")
    return `Stopped after ${timeoutMs === undefined ? "all of its time" : `${timeoutMs} ms`}, with all of its processes.`;
  if (stopped === "processes") return "Stopped: it started too many processes.";
  if (stopped !== undefined) return "Stopped.";
  if (signal !== undefined) return `Ended by ${signal}.`;
  return exitCode === null ? "It could not be run." : `Exit code ${exitCode}.`;
}

const metadataOf = ({ exitCode, signal, stopped }: Exit) => ({
  exitCode,
  ...(signal !== undefined && { signal }),
  ...(stopped !== undefined && { stopped }),
});

/** Passes output on while it comes, up to a bound. */
function emitter({ emit }: ToolContext): (text: string) => void {
  let left = MAX_EMITTED;
  return (text) => {
    if (left <= 0 || text === "") return;
    emit(text.slice(0, left));
    left -= text.length;
    if (left <= 0) emit("\n[The rest is not shown while it runs.]\n");
  };
}

async function foreground(
  workspace: Workspace,
  { command, timeoutMs, cwd }: { command: string; timeoutMs: number; cwd: string | undefined },
  ctx: ToolContext,
): Promise<ToolOutcome> {
  const tail = new OutputTail(MAX_OUTPUT);
  const emit = emitter(ctx);
  let exit: Exit | undefined;
  const options = { signal: ctx.signal, timeoutMs, ...(cwd !== undefined && { cwd }) };
  for await (const event of workspace.exec!(command, options)) {
    if (event.type === "output") emit(tail.push(event.data));
    else exit = event;
  }
  ctx.signal.throwIfAborted();
  const how = exit ?? { type: "exit", exitCode: null };
  const output = tail.take().trimEnd();
  const text = `${output}${output === "" ? "" : "\n"}[${exitText(how, timeoutMs)}]`;
  return said(text, {
    metadata: metadataOf(how),
    ...((how.stopped !== undefined || how.exitCode === null) && { state: "error" as const }),
  });
}

function runTool(workspace: Workspace, background: BackgroundCommands): Tool {
  const where = workspace.sandboxed
    ? "It runs in a sandbox, which writes nothing but the workspace and /tmp."
    : "It runs in the root of the workspace.";
  return defineTool({
    name: "run_command",
    description: `Runs a command line with sh, without input, and returns its output (the last 50,000 characters) and its exit code. ${where} With background it goes on while you work: read it with command_output, end it with command_stop.`,
    input: z.object({
      command: z.string().min(1).max(50_000),
      timeout_ms: z
        .number()
        .int()
        .min(1)
        .max(MAX_MS)
        .optional()
        .describe(`Default ${DEFAULT_MS}; the most ${MAX_MS}.`),
      cwd: z.string().optional().describe("A directory of the workspace; default its root."),
      background: z.boolean().optional().describe("True for what does not end by itself, such as a server."),
    }),
    execution: { timeoutMs: MAX_MS + 30_000 },
    execute: ({ command, timeout_ms: timeoutMs = DEFAULT_MS, cwd, background: isBackground = false }, ctx) =>
      told(async () => {
        if (!isBackground) return foreground(workspace, { command, timeoutMs, cwd }, ctx);
        const { id } = background.start(ctx.sessionId, command, cwd);
        return said(`Started in the background as '${id}'.`, { metadata: { id } });
      }),
  });
}

function stateOf({ id, exit }: BackgroundCommand): string {
  return exit ? `[${id} has ended. ${exitText(exit)}]` : `[${id} is running.]`;
}

function outputTool(background: BackgroundCommands): Tool {
  return defineTool({
    name: "command_output",
    description:
      "Returns what a command in the background has printed since it was asked last, and whether it still runs.",
    input: z.object({
      id: z.string(),
      wait_ms: z
        .number()
        .int()
        .min(0)
        .max(MAX_WAIT_MS)
        .optional()
        .describe("Waits so long for its end. Default 0."),
    }),
    idempotent: true,
    execute: ({ id, wait_ms: waitMs = 0 }, { sessionId, signal }) =>
      told(async () => {
        const command = background.find(sessionId, id);
        if (!command.exit && waitMs > 0) {
          const over = new AbortController();
          const waited = sleep(waitMs, undefined, { signal: AbortSignal.any([signal, over.signal]) }).catch(
            () => {},
          );
          await Promise.race([command.ended, waited]);
          over.abort();
          signal.throwIfAborted();
        }
        const text = command.tail.take().trimEnd();
        return said(`${text}${text === "" ? "" : "\n"}${stateOf(command)}`, {
          metadata: { running: !command.exit, ...(command.exit && metadataOf(command.exit)) },
        });
      }),
  });
}

function stopTool(background: BackgroundCommands): Tool {
  return defineTool({
    name: "command_stop",
    description:
      "Stops a command in the background with all of its processes, and returns the rest of its output.",
    input: z.object({ id: z.string() }),
    idempotent: true,
    execute: ({ id }, { sessionId }) =>
      told(async () => {
        const command = background.find(sessionId, id);
        command.stopping.abort();
        await command.ended;
        const text = command.tail.take().trimEnd();
        return `${text}${text === "" ? "" : "\n"}${stateOf(command)}`;
      }),
  });
}

/** Returns the tools that run commands; none for a workspace that runs none. */
export function commandTools(workspace: Workspace): readonly Tool[] {
  if (!workspace.exec) return [];
  const background = new BackgroundCommands(workspace, MAX_OUTPUT);
  return [runTool(workspace, background), outputTool(background), stopTool(background)];
}
