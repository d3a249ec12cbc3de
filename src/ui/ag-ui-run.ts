import { isSame, parsedJson, type Json } from "../core/base/json.ts";
import type { AgentEvent } from "../core/event/types.ts";
import { textOf, toolResultsOf, addUsage } from "../core/message/msg.ts";
import type { Msg, Reason, Usage } from "../core/message/types.ts";
import type { PendingCall } from "../core/tool/pending.ts";
import type { AgUiEvent, AgUiMessage, AgUiState } from "./ag-ui-event.ts";
import { outcomeOf } from "./ag-ui-interrupts.ts";
import { hasWords, reasoningIdOf, resultIdOf, resultText, withAgUiMessage } from "./ag-ui-messages.ts";
import { Subagents } from "./ag-ui-subagents.ts";
import { TurnChunks } from "../core/event/conversation/turn-chunks.ts";
import type { TurnChunk } from "../core/event/conversation/ui-message-chunk.ts";

/** The ids of a run, and the transcript before it. */
export type AgUiRun = {
  /** The conversation of the page. */
  readonly threadId: string;
  /** The run of the page. */
  readonly runId: string;
  /** The transcript of the session before the run, which the page is given first. */
  readonly messages: readonly Msg[];
  /** The values of the session's slots before the run, of which the page is given "plan" and "todos"; default: none was written. */
  readonly slots?: { readonly [name: string]: Json } | undefined;
};

/** The reasons with which a turn ends for good: nothing of it is waited for. */
const OVER: ReadonlySet<Reason> = new Set(["MODEL_STOP", "STRUCTURED_OUTPUT", "MAX_ITERATIONS", "ERROR"]);

type InputChunk = Extract<TurnChunk, { readonly type: "tool-input-available" }>;

/** Folds the events of a turn into those of an AG-UI run. Events of messages that the page was given with the transcript are left out. */
export class RunEvents {
  readonly #turn = new TurnChunks();
  readonly #run: AgUiRun;
  readonly #known: ReadonlySet<string>;
  readonly #state: RunState;
  /** The messages of the page that are stored. */
  #stored: readonly AgUiMessage[];
  #pending: readonly PendingCall[] = [];
  #step = 0;
  /** The reasoning of the attempt that goes on. */
  #reasoning: readonly string[] = [];
  /** The message of the text that is streamed. */
  #text = "";
  /** The calls of the attempt whose arguments are not whole, with what was streamed of them. */
  readonly #openCalls = new Map<string, string>();
  /** True if the page has other arguments of a call than those that are stored. */
  #isStale = false;

  readonly #subagents: Subagents;

  /** `call` is the one inside of which the agent runs, if it is a sub-agent. */
  constructor(run: AgUiRun, call?: string) {
    this.#run = run;
    this.#subagents = new Subagents((inner) => new RunEvents({ ...run, messages: [] }, inner), call);
    this.#known = new Set(run.messages.map(({ id }) => id));
    this.#stored = run.messages.reduce(withAgUiMessage, []);
    this.#state = new RunState(run.messages, run.slots);
  }

  /** The messages of the page that are stored, those of sub-agents last. */
  get messages(): readonly AgUiMessage[] {
    return [...this.#stored, ...this.#subagents.messages];
  }

  get isOver(): boolean {
    return this.#turn.isOver;
  }

  start(): readonly AgUiEvent[] {
    const { threadId, runId } = this.#run;
    const started: AgUiEvent = { type: "RUN_STARTED", threadId, runId, protocolVersion: "1.0" };
    return [started, this.#state.snapshot(), this.#snapshot()];
  }

  push(event: AgentEvent): readonly AgUiEvent[] {
    if (this.isOver || event.turn === 0) return [];
    if (event.source) {
      const inner = this.#subagents.push(event, event.source);
      return inner.map((each) => this.#whole(each));
    }
    if (event.type === "pending") this.#pending = event.calls;
    if (event.type === "tool.delta") {
      const { callId: toolCallId, delta } = event;
      return [{ type: "CUSTOM", name: "tool.delta", value: { toolCallId, delta } }];
    }
    const messageId = messageIdOf(event);
    if (this.#known.has(messageId)) return [];
    const events = this.#turn.push(event).flatMap((chunk) => this.#eventsOf(chunk, event, messageId));
    const inner = this.#subagents.follow(event).map((each) => this.#whole(each));
    const changed = this.#state.push(event);
    if (event.type === "message") return [...inner, ...events, ...this.#store(event.message), ...changed];
    if (event.type !== "turn.end") return [...events, ...changed];
    const suspended = this.#subagents.finish(event, this.#pending).map((each) => this.#whole(each));
    return [...suspended, ...events, this.#endOf(event)];
  }

  /** The end of a run that waits for these calls, and has no event of its own that says so. */
  finish(pending: readonly PendingCall[]): AgUiEvent {
    const { threadId, runId } = this.#run;
    return { type: "RUN_FINISHED", threadId, runId, outcome: outcomeOf(pending) };
  }

  #snapshot(more: readonly AgUiMessage[] = []): AgUiEvent {
    return { type: "MESSAGES_SNAPSHOT", messages: [...this.messages, ...more] };
  }

  /** A snapshot of the sub-agents, with what else the page has. */
  #whole(event: AgUiEvent): AgUiEvent {
    return event.type === "MESSAGES_SNAPSHOT"
      ? { ...event, messages: [...this.#stored, ...event.messages] }
      : event;
  }

  #store(message: Msg): readonly AgUiEvent[] {
    this.#stored = withAgUiMessage(this.#stored, message);
    if (hasWords(message)) return said(message);
    if (!this.#isStale) return [];
    this.#isStale = false;
    return [this.#snapshot()];
  }

  #endOf({ reason, error }: Extract<AgentEvent, { readonly type: "turn.end" }>): AgUiEvent {
    const { finishReason } = this.#turn;
    const { threadId, runId } = this.#run;
    if (reason === "INTERRUPTED")
      return { type: "RUN_FINISHED", threadId, runId, outcome: { type: "cancelled" } };
    if (error) return { type: "RUN_ERROR", message: error.message, code: error.code };
    const outcome = outcomeOf(OVER.has(reason) ? [] : this.#pending);
    const isSuccess = outcome.type === "success";
    return {
      type: "RUN_FINISHED",
      threadId,
      runId,
      ...(isSuccess && { result: { reason, ...(finishReason && { finishReason }) } }),
      outcome,
    };
  }

  #eventsOf(chunk: TurnChunk, event: AgentEvent, messageId: string): readonly AgUiEvent[] {
    switch (chunk.type) {
      case "start-step":
        return [{ type: "STEP_STARTED", stepName: `step-${++this.#step}` }];
      case "finish-step":
        this.#reasoning = [];
        return [...this.#closeCalls(), { type: "STEP_FINISHED", stepName: `step-${this.#step}` }];
      case "reset-step":
        return this.#reset();
      case "text-start":
        this.#text = messageId;
        return [{ type: "TEXT_MESSAGE_START", messageId, role: "assistant" }];
      case "text-delta":
        return [{ type: "TEXT_MESSAGE_CONTENT", messageId: this.#text, delta: chunk.delta }];
      case "text-end":
        return [{ type: "TEXT_MESSAGE_END", messageId: this.#text }];
      case "reasoning-start": {
        const id = reasoningIdOf(messageId, this.#reasoning.length);
        this.#reasoning = [...this.#reasoning, id];
        return [
          { type: "REASONING_START", messageId: id },
          { type: "REASONING_MESSAGE_START", messageId: id, role: "reasoning" },
        ];
      }
      case "reasoning-delta":
        return [
          { type: "REASONING_MESSAGE_CONTENT", messageId: this.#reasoning.at(-1)!, delta: chunk.delta },
        ];
      case "reasoning-end": {
        const id = this.#reasoning.at(-1)!;
        return [
          { type: "REASONING_MESSAGE_END", messageId: id },
          { type: "REASONING_END", messageId: id },
        ];
      }
      case "tool-input-start":
        return this.#openCall(chunk.toolCallId, chunk.toolName, messageId);
      case "tool-input-delta":
        return this.#growCall(chunk.toolCallId, chunk.inputTextDelta);
      case "tool-output-available":
      case "tool-output-error":
      case "tool-output-denied":
        return resultOf(event, chunk.toolCallId);
      case "data-compaction":
        return [{ type: "CUSTOM", name: "compaction", value: chunk.data }];
      case "tool-input-available":
        if (event.type !== "message" || event.message.role !== "tool") return this.#endCall(chunk, messageId);
        this.#isStale = true; // the arguments with which it ran come with the next snapshot
        return [];
      default:
        return [];
    }
  }

  #openCall(toolCallId: string, toolCallName: string, parentMessageId: string): readonly AgUiEvent[] {
    this.#openCalls.set(toolCallId, "");
    return [{ type: "TOOL_CALL_START", toolCallId, toolCallName, parentMessageId }];
  }

  #growCall(toolCallId: string, delta: string): readonly AgUiEvent[] {
    this.#openCalls.set(toolCallId, (this.#openCalls.get(toolCallId) ?? "") + delta);
    return [{ type: "TOOL_CALL_ARGS", toolCallId, delta }];
  }

  #endCall({ toolCallId, toolName, input }: InputChunk, messageId: string): readonly AgUiEvent[] {
    const streamed = this.#openCalls.get(toolCallId);
    const opened = streamed === undefined ? this.#openCall(toolCallId, toolName, messageId) : [];
    const grown = streamed ? [] : this.#growCall(toolCallId, JSON.stringify(input));
    if (streamed && !isSame(parsedJson(streamed), input)) this.#isStale = true;
    this.#openCalls.delete(toolCallId);
    return [...opened, ...grown, { type: "TOOL_CALL_END", toolCallId }];
  }

  #closeCalls(): readonly AgUiEvent[] {
    const ids = [...this.#openCalls.keys()];
    this.#openCalls.clear();
    return ids.map((toolCallId) => ({ type: "TOOL_CALL_END", toolCallId }));
  }

  /** Takes back what was streamed of an attempt. A page keeps reasoning if a snapshot has none at all, so it is emptied. */
  #reset(): readonly AgUiEvent[] {
    const unstored = this.#stored.some(({ role }) => role === "reasoning") ? [] : this.#reasoning;
    this.#reasoning = [];
    const emptied = unstored.map((id) => ({ id, role: "reasoning" as const, content: "" }));
    return [...this.#closeCalls(), this.#snapshot(emptied)];
  }
}

function messageIdOf(event: AgentEvent): string {
  if (event.type === "message") return event.message.id;
  return "messageId" in event ? event.messageId : "";
}

function said(message: Msg): readonly AgUiEvent[] {
  const { id: messageId } = message;
  return [
    { type: "TEXT_MESSAGE_START", messageId, role: "user" },
    { type: "TEXT_MESSAGE_CONTENT", messageId, delta: textOf(message) },
    { type: "TEXT_MESSAGE_END", messageId },
  ];
}

function resultOf(event: AgentEvent, toolCallId: string): readonly AgUiEvent[] {
  if (event.type !== "message") return []; // progress
  const result = toolResultsOf(event.message).find(({ id }) => id === toolCallId)!;
  const messageId = resultIdOf(toolCallId);
  const content = resultText(result);
  const { account } = result;
  const value = account && { toolCallId, account: account as unknown as Json };
  return [
    ...(value ? [{ type: "CUSTOM", name: "call.account", value } as const] : []),
    { type: "TOOL_CALL_RESULT", messageId, toolCallId, content, role: "tool" },
  ];
}

/** Follows the state of an agent through a run. */
class RunState {
  #value: AgUiState;

  constructor(messages: readonly Msg[], slots: { readonly [name: string]: Json } = {}) {
    const usage = messages.reduce((total, message) => addUsage(total, message.usage), {} as Usage);
    this.#value = { state: null, usage, plan: slots["plan"] ?? null, todos: slots["todos"] ?? null };
  }

  snapshot(): AgUiEvent {
    return { type: "STATE_SNAPSHOT", snapshot: this.#value };
  }

  /** Returns the changes that an event causes. */
  push(event: AgentEvent): readonly AgUiEvent[] {
    switch (event.type) {
      case "state":
        return this.#set("state", event.value);
      case "message":
        return event.message.usage
          ? this.#set("usage", addUsage(this.#value.usage, event.message.usage))
          : [];
      case "slot":
        return event.name === "plan" || event.name === "todos" ? this.#set(event.name, event.value) : [];
      default:
        return [];
    }
  }

  #set<Field extends keyof AgUiState>(field: Field, value: AgUiState[Field]): readonly AgUiEvent[] {
    this.#value = { ...this.#value, [field]: value };
    return [{ type: "STATE_DELTA", delta: [{ op: "replace", path: `/${field}`, value }] }];
  }
}
