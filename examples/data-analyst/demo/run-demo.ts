import { AgentError, createAgent, type Agent, type AgentEvent, type ErrorCode, type Reply } from "agentchart";
import { inspector } from "agentchart/inspect";
import { ChartPath, pathLines } from "./chart-path.ts";
import { announce, chooseModel, type ModelChoice } from "./choose-model.ts";
import { crashAndGoOn, deadlyTools, sessionOf } from "./crash.ts";
import { openModel } from "./open-model.ts";
import { analystTools } from "../tools/analyst-tools.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import { openData } from "./open-data.ts";
import { NOTEBOOK } from "./show-plan.ts";
import { DEFAULT_QUESTIONS, HELP, readOptions, type DemoOptions } from "./options.ts";
import { formatDuration, formatTokens, showEvents } from "./show-events.ts";
import { Terminal, type Output } from "./terminal.ts";

/** What the demo takes from its process. */
export type ParentScope = {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Calls back at Ctrl-C; returns the way to stop. */
  readonly onInterrupt: (listener: () => void) => () => void;
  readonly exit: (code: number) => void;
};

/** Exit codes: done, failed, interrupted. */
const [DONE, FAILED, INTERRUPTED] = [0, 1, 130];
const TERMINAL_PACE = 30;

/** npm passes a Ctrl-C on to its child, which the terminal has signalled already: within this time it is the same one. */
const SAME_CTRL_C_MS = 250;

/** Turns Ctrl-C into an interrupt of the turn, and the second one into the end of the process. */
function listenForInterrupt(
  agent: Agent,
  terminal: Terminal,
  { onInterrupt, exit }: ParentScope,
): () => void {
  let firstAt: number | undefined;
  return onInterrupt(() => {
    const now = performance.now();
    if (firstAt !== undefined && now - firstAt < SAME_CTRL_C_MS) return;
    if (firstAt !== undefined || !agent.interrupt()) return exit(INTERRUPTED);
    firstAt = now;
    terminal.line("Interrupting the turn; Ctrl-C again ends the demo.", "yellow");
  });
}

function reportPath(event: AgentEvent): string | undefined {
  if (event.type !== "tool.end" || event.result.name !== "create_report" || event.result.state !== "success")
    return undefined;
  const [block] = event.result.output;
  const path =
    block?.type === "text" ? (JSON.parse(block.text) as { readonly path?: unknown }).path : undefined;
  return typeof path === "string" ? path : undefined;
}

function usageLine({ turn }: Reply, isEstimate: boolean): string {
  const { usage, modelCalls, toolCalls, durationMs } = turn;
  const tokens = formatTokens(usage, isEstimate);
  return `${modelCalls} model calls, ${toolCalls} tool calls, ${formatDuration(durationMs)}, ${tokens}, cost ${usage.cost ?? "–"}`;
}

type Shown = { readonly path: ChartPath; readonly reports: readonly string[]; readonly lastText: string };

function conclude(
  terminal: Terminal,
  reply: Reply,
  isEstimate: boolean,
  { path, reports, lastText }: Shown,
): number {
  // An answer that was streamed stands right above.
  if (reply.text.trim() !== lastText.trim()) {
    terminal.line();
    terminal.line(reply.text);
  }
  terminal.line();
  terminal.line(`Path through the chart (ended with ${reply.reason})`, "bold");
  for (const line of pathLines(path.states)) terminal.line(line, "dim");
  terminal.line();
  terminal.line(usageLine(reply, isEstimate), "dim");
  for (const report of reports) terminal.line(`Report: ${report}`, "bold");
  return reply.reason === "INTERRUPTED" ? INTERRUPTED : DONE;
}

/** How long the lease of the process before is waited for, ms: longer than it lasts. */
const OPEN_WITHIN_MS = 10_000;

/** Opens the session, once the process before has lost its hold on it. True if there is a turn to go on with. */
async function openSession(agent: Agent, terminal: Terminal): Promise<boolean> {
  await agent.open({ waitMs: OPEN_WITHIN_MS });
  if (agent.status().phase !== "unfinished") return false;
  const { length } = await agent.messages();
  terminal.line(
    `Found an unfinished turn with ${length} messages; the call that was cut off runs again.`,
    "bold",
  );
  return true;
}

async function answer(
  options: DemoOptions & { readonly question: string },
  choice: ModelChoice,
  terminal: Terminal,
  surroundings: ParentScope,
): Promise<number> {
  const data = await openData(options);
  const pace = options.pace ?? (surroundings.stdout.isTTY === true ? TERMINAL_PACE : 0);
  const opened = await openModel(choice, pace);
  const path = new ChartPath();
  const agent = createAgent({
    name: "analyst",
    model: opened.model,
    sysPrompt: INSTRUCTIONS,
    tools: deadlyTools(analystTools({ database: data.database, outDir: options.out }), options),
    hooks: [NOTEBOOK.hook],
    maxIters: 20,
    inspect: options.inspect ? [path.inspect, inspector()] : path.inspect,
    ...sessionOf(options),
  });
  const stopListening = listenForInterrupt(agent, terminal, surroundings);
  try {
    terminal.line(`Data: ${data.note}`, "dim");
    terminal.line(`Question: ${options.question}`, "bold");
    const goesOn = await openSession(agent, terminal);
    const stream = agent.stream(goesOn ? undefined : options.question);
    // The loop below throws what the reply would reject with.
    stream.reply.catch(() => {});
    const isEstimate = choice.kind === "standIn";
    const show = showEvents(terminal, isEstimate);
    const reports: string[] = [];
    let lastText = "";
    for await (const event of stream) {
      show(event);
      if (event.type === "model.start") lastText = "";
      if (event.type === "block.delta" && event.kind === "text") lastText += event.delta;
      const report = reportPath(event);
      if (report !== undefined) reports.push(report);
    }
    return conclude(terminal, await stream.reply, isEstimate, { path, reports, lastText });
  } finally {
    stopListening();
    await agent.close();
    await opened.close();
    data.close();
  }
}

const HINTS: Partial<Record<ErrorCode, string>> = {
  "model/connection": "Is the server running?",
  "model/timeout": "Is the server running?",
  "model/auth": "Is the key right?",
  "model/bad-request": "Another model can be named with --model.",
};

/** What went wrong, and what to do about it. */
function explain(error: unknown): string {
  if (!AgentError.is(error) || !error.code.startsWith("model/"))
    return error instanceof Error ? error.message : String(error);
  const sentence = /[.!?]$/.test(error.message) ? error.message : `${error.message}.`;
  return [sentence, HINTS[error.code], "With --offline the built-in stand-in answers."]
    .filter(Boolean)
    .join(" ");
}

/** Runs the demo and returns its exit code. Whatever goes wrong is one line, and a stack only with `--debug`. */
export async function runDemo(args: readonly string[], surroundings: ParentScope): Promise<number> {
  const terminal = new Terminal(surroundings.stdout, surroundings.env);
  try {
    const read = readOptions(args);
    if (read.help) {
      terminal.line(HELP);
      return DONE;
    }
    if (read.crash) return await crashAndGoOn(args, terminal);
    const choice = chooseModel(surroundings.env, read);
    const options = { ...read, question: read.question ?? DEFAULT_QUESTIONS[choice.kind] };
    terminal.line(announce(choice), "yellow");
    return await answer(options, choice, terminal, surroundings);
  } catch (error) {
    const message = explain(error);
    terminal.line();
    new Terminal(surroundings.stderr, surroundings.env).line(
      `Error: ${message.replaceAll(/\s*\n\s*/g, " ")}`,
      "red",
    );
    return error instanceof Error && error.name === "UsageError" ? 2 : FAILED;
  }
}
