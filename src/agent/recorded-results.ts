import type { Agent } from "./types.ts";
import type { AgentConfig, AnyAgentConfig } from "./options/agent-config.ts";
import { AgentError } from "../core/base/error.ts";
import { toolkitOf } from "./options/config.ts";
import { toolResultsOf, toolUsesOf } from "../core/message/msg.ts";
import type { ToolResultBlock, ToolUseBlock } from "../core/message/types.ts";
import { REPEATING } from "../core/tool/stored-slots.ts";
import { suspend } from "../core/tool/suspend.ts";
import type { AnyTool, AnyToolContext } from "../core/tool/types.ts";
import { openSession } from "../session/open-session.ts";
import type { SessionStore } from "../store/port.ts";
import { RecordedCalls } from "./recorded-calls.ts";
import { replacedTools, withExecute } from "./replaced-tools.ts";

/** Returns the names of the tools that act each time they run: they may not be repeated by themselves (`onRestart`). */
export function actingTools(config: AgentConfig): readonly string[] {
  return toolkitOf(config as unknown as AnyAgentConfig)
    .tools()
    .flatMap(({ name, onRestart, execute }) => (execute && onRestart !== "retry" ? [name] : []));
}

/** The calls of a session, and their recorded results. */
export type Recording = {
  readonly sessionId: string;
  readonly calls: ReadonlyMap<string, ToolUseBlock>;
  readonly results: ReadonlyMap<string, ToolResultBlock>;
};

/** A result that says what the tool did, and not that it did not run or was cut off. */
const isOfTool = ({ state }: ToolResultBlock): boolean => state === "success" || state === "error";

/** Reads the calls of a session, with their results. Rejects as `openSession` does. */
export async function recordingOf(store: SessionStore, sessionId: string): Promise<Recording> {
  const { messages } = await (await openSession(store, sessionId)).at();
  const results = messages.flatMap(toolResultsOf).filter(isOfTool);
  return {
    sessionId,
    calls: new Map(messages.flatMap(toolUsesOf).map((call) => [call.id, call])),
    results: new Map(results.map((result) => [result.id, result])),
  };
}

/** Returns what a fork repeats that could not be opened, since the tools of its agent would really run. Undefined for another error, and if its
 *  original is not there any more. */
export async function recordedFor(error: unknown, store: SessionStore): Promise<RecordedResults | undefined> {
  const repeats = AgentError.is(error) ? error.data?.["repeats"] : undefined;
  if (typeof repeats !== "string") return undefined;
  return recordingOf(store, repeats).then(
    (recording) => new RecordedResults(recording),
    () => undefined,
  );
}

/**
 * The tools of one fork that was made with `repeats`, which repeat what its original recorded: none of them runs. A call for which no result is recorded waits until a
 * person gives one.
 */
export class RecordedResults {
  readonly #recording: Recording;
  #fork: { readonly agent: Pick<Agent, "messages">; readonly calls: RecordedCalls } | undefined;

  constructor(recording: Recording) {
    this.#recording = recording;
  }

  /** Says which agent runs the fork, before it does; the fork is stored. */
  async begin(agent: Pick<Agent, "messages" | "sessionId">, store: SessionStore): Promise<void> {
    const { messages } = await (await openSession(store, agent.sessionId)).at();
    this.#fork = { agent, calls: new RecordedCalls(this.#recording.calls, messages) };
  }

  /** Returns the configuration with tools that repeat. They do not act, so they ask for no permission; rules of the agent still count. */
  configured(config: AgentConfig): AgentConfig {
    const given = config as unknown as AnyAgentConfig;
    const replaced: object = replacedTools(given, (tool) => this.#repeating(tool));
    const { sessionId } = this.#recording;
    return {
      ...config,
      ...replaced,
      meta: { ...config.meta, repeats: sessionId },
      [REPEATING]: sessionId,
    } as AgentConfig;
  }

  #repeating(tool: AnyTool): AnyTool {
    if (!tool.execute) return tool;
    return withExecute(
      { ...tool, permission: "allow", onRestart: "retry" },
      (_, { callId }: AnyToolContext) => this.#resultOf(callId),
    );
  }

  async #resultOf(callId: string): Promise<unknown> {
    const messages = (await this.#fork?.agent.messages()) ?? [];
    const call = messages.flatMap(toolUsesOf).findLast(({ id }) => id === callId);
    const recorded = call && this.#fork?.calls.recordedOf(callId, call);
    const result = recorded === undefined ? undefined : this.#recording.results.get(recorded);
    if (!result) return suspend("No result is recorded for this call, and tools do not run here.");
    const { output, state, metadata } = result;
    return { output, state, ...(metadata && { metadata }) };
  }
}
