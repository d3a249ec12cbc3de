import { AgentError, configError } from "../../core/base/error.ts";
import { textOf } from "../../core/message/msg.ts";
import type { Msg } from "../../core/message/types.ts";
import type { Agent } from "../../agent/types.ts";
import type { AnyAgentConfig } from "../../agent/options/agent-config.ts";
import { askUser, isDeclined } from "./ask-user.ts";
import { codeModel, type CodeStep, type CodeTurn } from "./code-model.ts";
import type { PipelineOptions } from "./pipeline.ts";
import type { UserAsk } from "./user-ask.ts";
import { UserSession } from "./user-session.ts";

/** Options of {@link createUserAgent}: those of any agent that has a session. */
export type UserAgentOptions = Omit<PipelineOptions, "steps"> & {
  /** Asks the person, such as {@link terminalAsk}. Default: the turn waits, suspended, until somebody calls `decide`. */
  readonly ask?: UserAsk | undefined;
};

/** The reply of a user who does not want to answer. */
export const INTERRUPTED = "Interrupted by user";

const TOOL = "ask_user";

/** Returns the question to the person: what was said since the last answer. */
function questionOf(input: readonly Msg[]): string {
  const lines = input.map((message) => `${message.name}: ${textOf(message)}`);
  return lines.length > 0 ? lines.join("\n") : "It is your turn.";
}

/** Returns the next step of a user agent: it asks, and then says what was answered. */
function nextOf({ input, results, output }: CodeTurn): CodeStep {
  const [result] = results[0] ?? [];
  if (!result)
    return {
      calls: [{ name: TOOL, input: { question: questionOf(input), ...(output && { schema: output }) } }],
    };
  const text = result.output.map((block) => (block.type === "text" ? block.text : "")).join("");
  if (result.state === "success") return { reply: text.trim() === "" ? "(No response)" : text };
  const reply = isDeclined(result) ? INTERRUPTED : "Nobody has answered.";
  if (output) throw new AgentError("output/missing", reply);
  return { reply, metadata: { interrupted: true } };
}

/**
 * Creates a person as an agent: a participant of a hub, a step of a pipeline, or one that is called. A call asks what to say to what was
 * heard, and the turn is suspended until the answer is there: with `ask` by this process, else, and also meanwhile, by anybody
 * with `decide`, such as a page or the inspector. After a restart `call()` asks again. Its replies have the role `user`. With
 * `output` the answer is one of that shape; one that is not is asked for again, at most 10 times. A person who does not want to
 * answer, and an interrupt while `ask` runs, make the reply "Interrupted by user", which a hub does not pass on
 * (`metadata.interrupted`). Throws `config/invalid` for wrong options.
 *
 * @example
 * ```ts
 * import { createAgent, type ChatModel } from "agentchart";
 * import { createUserAgent, openHub, terminalAsk } from "agentchart/team";
 *
 * export async function chat(model: ChatModel): Promise<void> {
 *   const guide = createAgent({ name: "guide", model });
 *   const visitor = createUserAgent({ name: "visitor", ask: terminalAsk() });
 *   await openHub({ participants: [guide, visitor], announcement: "Welcome." });
 *   for (let said = await visitor.call(); said.text !== "Interrupted by user"; said = await visitor.call()) await guide.call();
 * }
 * ```
 */
export function createUserAgent(options: UserAgentOptions): Agent {
  const { ask, ...config } = (options ?? {}) as UserAgentOptions;
  if (ask !== undefined && typeof ask !== "function")
    throw configError("createUserAgent: `ask` is not a function; expected one such as terminalAsk().");
  const given = ["model", "tools", "toolkit", "sysPrompt"].find((key) => key in config);
  if (given !== undefined)
    throw configError(`createUserAgent: there is no option \`${given}\`; a person answers.`);
  const asUser = {
    name: "user",
    postCall: ({ reply }: { readonly reply: Msg }) => ({ reply: { ...reply, role: "user" as const } }),
  };
  const all = {
    ...config,
    model: codeModel(
      nextOf,
      typeof config.name === "string" && config.name !== "" ? { name: config.name } : {},
    ),
    tools: [askUser({ name: TOOL })],
    hooks: [asUser, ...(config.hooks ?? [])],
    compaction: false as const,
    toolOptions: { ...config.toolOptions, results: false as const, search: false as const },
  };
  return new UserSession(all as unknown as AnyAgentConfig, ask) as unknown as Agent;
}
