import { isAgentTool } from "../../agent/services/run-call.ts";
import type { Agent } from "../../agent/types.ts";
import { AgentError, messageOf } from "../../core/base/error.ts";
import { isSame, type Json } from "../../core/base/json.ts";
import { withAccount } from "../../core/message/account.ts";
import { toolResultsOf, toolUsesOf } from "../../core/message/msg.ts";
import type { Msg, TextBlock, ToolResultBlock, ToolUseBlock } from "../../core/message/types.ts";
import type { ChatModel, ModelRequest, StreamPart } from "../../core/model/port.ts";
import type { Decision, PendingCall } from "../../core/tool/pending.ts";
import { OUTPUT_TOOL } from "../../core/tool/reserved-names.ts";
import { outcomeResult } from "../../core/tool/results.ts";
import { suspend } from "../../core/tool/suspend.ts";
import type { AnyTool, AnyToolContext } from "../../core/tool/types.ts";
import { RecordedCalls, type AskedCall } from "../../agent/recorded-calls.ts";
import { withExecute } from "../../agent/replaced-tools.ts";
import { fieldsOf } from "../recordings/canonical.ts";
import { shown, type Divergence } from "./divergence.ts";
import type { RecordedSession } from "./recorded-session.ts";
import type { ReplayOptions } from "./types.ts";

type Execute = (input: never, ctx: never) => unknown;

/** The message without what differs from run to run by itself. */
const said = ({ role, content }: Msg): unknown => [
  role,
  content.map((block) => {
    if (block.type === "tool_result")
      return { ...withAccount(block, undefined), id: "", metadata: undefined };
    return block.type === "tool_use" ? { name: block.name, input: block.input } : block;
  }),
];

/** The answers, results and decisions of a recording, as a replay takes them, and what really ran. */
export class Playback {
  /** The reason for which the replay ended before its recording. */
  stopped: string | undefined;
  /** True if that is where the recording ends too. */
  isOver = false;
  /** The calls that really ran, and the requests that a real model was asked. */
  readonly ran: string[] = [];
  asked = 0;
  /** The results of calls that ran to be compared. */
  readonly differing: Divergence[] = [];
  /** The tools whose calls waited for others in the recording, and have their results at once: agents. */
  readonly atOnce = new Set<string>();
  agent!: Agent;
  readonly #session: RecordedSession;
  readonly #options: ReplayOptions;
  readonly #calls: RecordedCalls;
  #summaries: number;
  #isLive: boolean;
  #isAtEnd = false;

  constructor(session: RecordedSession, options: ReplayOptions, known: readonly Msg[], summaries: number) {
    this.#session = session;
    this.#options = options;
    this.#summaries = summaries;
    this.#isLive = options.model === "live";
    this.#calls = new RecordedCalls(session.calls, known);
  }

  /** The place of the summary that is given next. */
  get nextSummary(): number {
    return this.#summaries;
  }

  /** Ends the replay where its recording ends, in the middle of a turn. */
  #end(): void {
    this.isOver ||= this.stopped === undefined;
    this.stop("the recording ends here");
  }

  /** Ends the replay: nothing that is not recorded happens. */
  stop(why: string): void {
    if (this.stopped !== undefined) return;
    this.stopped = why;
    this.agent.interrupt();
  }

  /** The recorded decision about a call that waits. */
  async decisionOf(call: PendingCall): Promise<Decision | undefined> {
    const answered = this.#session.decisions.get(call.callId);
    // A question within a call, of a fork that waits for its answer.
    if (!this.#session.calls.has(call.callId) && answered !== undefined) return answered;
    const id = this.#calls.recordedOf(call.callId, call);
    // A fork within a call: it runs again, and has its recorded result.
    if (call.waitsFor === "unknownOutcome") return "retry";
    const decided = id === undefined ? undefined : this.#session.decisions.get(id);
    return decided ?? (await this.#options.decide?.(call));
  }

  model(model: ChatModel): ChatModel {
    const { withName } = model;
    return {
      ...fieldsOf(model),
      ...(model.wire && { wire: model.wire }),
      ...(withName && { withName: (name) => this.model(withName.call(model, name)) }),
      ...(model.leftOut && { leftOut: (tools) => model.leftOut!(tools) }),
      stream: (request, options) => this.#stream(model, request, options),
    };
  }

  async *#stream(
    model: ChatModel,
    request: ModelRequest,
    options: { readonly signal: AbortSignal },
  ): AsyncGenerator<StreamPart> {
    if (!this.#isLive) {
      const answer = await this.#answerTo(request);
      if (answer) {
        yield* partsOf(answer);
        return;
      }
      if (this.#options.onDivergence !== "live") {
        if (this.#isAtEnd) this.#end();
        else this.stop("the model is asked something that is not recorded");
        throw new AgentError("model/bad-request", "The replay has ended: this request is not recorded.");
      }
      this.#isLive = true;
    }
    this.asked++;
    yield* model.stream(request, options);
  }

  /** The recorded answer, while everything before it is as recorded. */
  async #answerTo(request: ModelRequest): Promise<Msg | undefined> {
    const { messages, summaries } = this.#session;
    if (request.messages.at(-1)?.id === "compaction-prompt") {
      const text = summaries[this.#summaries++];
      return text === undefined ? undefined : ({ content: [{ type: "text", text }] } as unknown as Msg);
    }
    const made = await this.agent.messages();
    const next = messages[made.length];
    const isSo = made.every((message, at) => messages[at] && isSame(said(message), said(messages[at])));
    this.#isAtEnd = isSo && made.length === messages.length;
    if (!isSo || next?.role !== "assistant" || next.addedBy !== undefined) return undefined;
    const isByCall = request.tools.some(({ name }) => name === OUTPUT_TOOL);
    return isByCall ? asOutputCall(next, messages[made.length + 1]) : next;
  }

  /** The tool, with recorded results in the place of what it does. */
  tool(tool: AnyTool): AnyTool {
    const { execute } = tool;
    if (!execute) return tool;
    return withExecute(tool, (input: unknown, ctx: AnyToolContext) =>
      this.#run(tool, ctx, () => (execute as Execute)(input as never, ctx as never)),
    );
  }

  async #run(tool: AnyTool, ctx: AnyToolContext, execute: () => unknown): Promise<unknown> {
    const { tools = "recorded", live } = this.#options;
    const { name } = tool;
    const asked = (await this.agent.messages())
      .flatMap(toolUsesOf)
      .findLast(({ id }) => id === ctx.callId) ?? { name, input: {} };
    const id = this.#calls.recordedOf(ctx.callId, asked);
    const result = id === undefined ? undefined : this.#session.results.get(id);
    const isNamed = live?.includes(name) === true;
    const mayRun = isNamed || (tools !== "recorded" && live === undefined && !isAgentTool(tool));
    if (tools === "live" && mayRun) return this.#reallyRun(name, execute);
    const decided = id === undefined ? undefined : this.#session.decisions.get(id);
    if (typeof decided === "object" && "answer" in decided) return suspend("It is answered as recorded.");
    if (!result || result.state === "interrupted")
      return this.#unrecorded(asked, execute, { isNamed, isKnown: id !== undefined });
    if (isAgentTool(tool)) this.atOnce.add(name);
    const { output, state, metadata } = result;
    if (tools === "compare" && mayRun) await this.#compare(name, result, execute);
    return { output, state: state === "success" ? "success" : "error", ...(metadata && { metadata }) };
  }

  #reallyRun(name: string, execute: () => unknown): unknown {
    this.ran.push(name);
    return execute();
  }

  /** A call that was never made: it runs only if its tool was named, or a person says so. */
  async #unrecorded(
    call: AskedCall,
    execute: () => unknown,
    { isNamed, isKnown }: { readonly isNamed: boolean; readonly isKnown: boolean },
  ): Promise<unknown> {
    const { onDivergence = "stop", ask } = this.#options;
    if (onDivergence === "live" && isNamed) return this.#reallyRun(call.name, execute);
    if (onDivergence === "ask" && ask) {
      const answer = await ask({ name: call.name, input: call.input });
      if (answer === "live") return this.#reallyRun(call.name, execute);
      if (typeof answer === "object") return { output: [{ type: "text", text: answer.answer }] };
    }
    if (isKnown) this.#end();
    else this.stop(`${call.name} is called with arguments for which no result is recorded`);
    throw new AgentError("tool/unavailable", "The replay has ended: this call is not recorded.");
  }

  async #compare(name: string, recorded: ToolResultBlock, execute: () => unknown): Promise<void> {
    let now: Pick<ToolResultBlock, "state" | "output">;
    try {
      now = await outcomeOf(this.#reallyRun(name, execute));
    } catch (error) {
      const text = `Error: Tool execution failed: ${messageOf(error)}`;
      now = { state: "error", output: [{ type: "text", text }] };
    }
    if (now.state === recorded.state && isSame(now.output, recorded.output)) return;
    const message = this.#session.messages.findIndex((each) =>
      toolResultsOf(each).some(({ id }) => id === recorded.id),
    );
    this.differing.push({
      kind: "result",
      message,
      turn: this.#session.turns.findLast(({ from }) => from <= message)?.turn ?? 1,
      tool: name,
      recorded: shown([recorded.state, recorded.output]),
      replayed: shown([now.state, now.output]),
    });
  }
}

/** The result that what a tool returned stands for. */
async function outcomeOf(returned: unknown): Promise<Pick<ToolResultBlock, "state" | "output">> {
  let value = await returned;
  if (typeof value === "object" && value !== null && Symbol.asyncIterator in value) {
    const generator = value as AsyncGenerator<unknown, unknown>;
    for (;;) {
      const step = await generator.next();
      if (!step.done) continue;
      value = step.value;
      break;
    }
  }
  const whole = value as { readonly output?: unknown } | null;
  if (typeof whole === "object" && whole !== null && Array.isArray(whole.output))
    return outcomeResult({ id: "", name: "" }, whole as never);
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return { state: "success", output: [{ type: "text", text }] };
}

/** A structured answer as the model gave it, by a call: the transcript has its value as a text. What was said beside it is the message before. */
function asOutputCall(next: Msg, after: Msg | undefined): Msg {
  const isLast = (message: Msg | undefined): boolean => message?.reason === "STRUCTURED_OUTPUT";
  const answer = isLast(next) ? next : isLast(after) && toolUsesOf(next).length === 0 ? after! : undefined;
  const text = answer?.content.findLast(({ type }) => type === "text") as TextBlock | undefined;
  if (!answer || !text) return next;
  const response = JSON.parse(text.text) as Json;
  const said = answer === next ? next.content.filter((block) => block !== text) : next.content;
  const call: ToolUseBlock = {
    type: "tool_use",
    id: `${answer.id}-output`,
    name: OUTPUT_TOOL,
    input: { response },
  };
  return { ...next, content: [...said, call], ...(answer.usage && { usage: answer.usage }) };
}

/** The parts of a stream that become this message again. */
export function* partsOf({ content, usage, metadata, finishReason }: Msg): Generator<StreamPart> {
  for (const [index, block] of content.entries()) {
    const opaque = "opaque" in block && block.opaque !== undefined ? { opaque: block.opaque } : {};
    if (block.type === "text") yield { type: "text.delta", delta: block.text, block: index, ...opaque };
    else if (block.type === "thinking")
      yield { type: "thinking.delta", delta: block.thinking, block: index, ...opaque };
    else if (block.type === "tool_use") {
      const args = block.rawInput ?? JSON.stringify(block.input);
      yield { type: "tool.delta", key: block.id, id: block.id, name: block.name, args, ...opaque };
    } else if (block.type === "provider") yield { type: "provider", block };
    else if (block.type !== "tool_result") yield { type: "media", block };
  }
  if (usage) yield { type: "usage", usage };
  const hasCalls = content.some(({ type }) => type === "tool_use");
  yield { type: "finish", reason: finishReason ?? (hasCalls ? "tool_calls" : "stop"), metadata };
}
