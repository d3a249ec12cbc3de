import { createAgent } from "../agent/create-agent.ts";
import type { Agent, AgentEvent, Reply } from "../agent/types.ts";
import { openaiModel } from "../openai/openai-model.ts";
import { chooseModel } from "./choose-model.ts";
import { loadTools } from "./load-tools.ts";
import { onSigint } from "./on-sigint.ts";
import type { GivenFlags } from "./read-flags.ts";
import { closingLine, pendingLine, showTurn } from "./show-turn.ts";
import type { Environment, Output, Terminal } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";

/** Where a command writes and what it may read. */
export type Surroundings = {
  readonly stdout: Output;
  readonly terminal: Terminal;
  readonly env: Environment;
  /** Ends the process at once. */
  readonly exit: (code: number) => void;
};

/** `agentchart run`: one turn of one agent. Gives the exit code; throws what went wrong. */
export async function runCommand(flags: GivenFlags, surroundings: Surroundings): Promise<number> {
  const { stdout, terminal, exit } = surroundings;
  const question = questionOf(flags);
  const agent = await agentOf(flags, surroundings);
  const isJson = flags.has("json");
  const show = isJson
    ? (event: AgentEvent) => stdout.write(`${JSON.stringify(event)}\n`)
    : showTurn(terminal);
  const restore = onSigint(
    () => agent.interrupt(),
    () => {
      terminal.endLine();
      exit(130);
    },
  );
  try {
    const stream = agent.stream(question);
    for await (const event of stream) show(event);
    return conclude(await stream.reply, terminal, isJson);
  } finally {
    terminal.endLine();
    restore();
  }
}

/** The agent that the flags and the environment describe; says which model it will ask. */
async function agentOf(flags: GivenFlags, { env, terminal }: Surroundings): Promise<Agent> {
  const maxIters = maxItersOf(flags);
  const [model, baseURL, sysPrompt] = [flags.text("model"), flags.text("base-url"), flags.text("system")];
  const chosen = chooseModel({ ...(model && { model }), ...(baseURL && { baseURL }) }, env);
  const tools = (await Promise.all(flags.texts("tools").map(loadTools))).flat();
  const agent = createAgent({
    name: "assistant",
    model: openaiModel(chosen),
    tools,
    ...(maxIters !== undefined && { maxIters }),
    ...(sysPrompt !== undefined && { sysPrompt }),
  });
  const where = `${chosen.model} at ${new URL(chosen.baseURL).host}`;
  const names = agent.toolkit.names().join(", ");
  if (!flags.has("json")) terminal.note(names ? `${where}, tools: ${names}` : where);
  return agent;
}

/** Says how the turn ended where the answer alone does not, and gives the exit code. */
function conclude(reply: Reply, terminal: Terminal, isJson: boolean): number {
  if (reply.reason === "INTERRUPTED") {
    terminal.fail("Interrupted: the answer ends where it stands.");
    return 1;
  }
  for (const call of reply.pending) terminal.warn(pendingLine(call));
  if (reply.reason === "MAX_ITERATIONS") {
    terminal.warn("The model was not done within its iterations and was asked to sum up: raise --max-iters.");
  }
  if (!isJson) terminal.note(closingLine(reply));
  return 0;
}

function questionOf({ words }: GivenFlags): string {
  const [question, ...more] = words;
  if (more.length > 0) throw new UsageError("More than one question: put it in quotes.");
  if (!question?.trim()) throw new UsageError('What is the question? agentchart run "<question>"');
  return question;
}

function maxItersOf(flags: GivenFlags): number | undefined {
  const said = flags.text("max-iters");
  if (said === undefined) return undefined;
  const count = Number(said);
  if (!/^\d+$/.test(said) || count < 1)
    throw new UsageError(`"--max-iters" must be a whole number from 1, not "${said}".`);
  return count;
}
