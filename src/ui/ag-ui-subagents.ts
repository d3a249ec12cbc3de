import type { AgentEvent } from "../core/event/types.ts";
import { toolResultsOf } from "../core/message/msg.ts";
import type { ToolResultBlock } from "../core/message/types.ts";
import type { PendingCall } from "../core/tool/pending.ts";
import type { AgUiEvent, AgUiMessage } from "./ag-ui-event.ts";
import { callAround, innerEvent } from "../core/event/conversation/inner-event.ts";
import { interruptIdOf, outcomeOf } from "./ag-ui-interrupts.ts";

/** A fold of the events of one agent. */
export interface InnerRun {
  /** The messages that the page has of it. */
  readonly messages: readonly AgUiMessage[];
  push(event: AgentEvent): readonly AgUiEvent[];
}

/** The events of an inner run that are not of the page: it has one run, one state, one transcript. */
const OUTER_ONLY = new Set<AgUiEvent["type"]>([
  "RUN_STARTED",
  "RUN_FINISHED",
  "RUN_ERROR",
  "STATE_SNAPSHOT",
  "STATE_DELTA",
  "STEP_STARTED",
  "STEP_FINISHED",
]);

/** The sub-agents that run inside of the calls of an agent. */
export class Subagents {
  readonly #begin: (call: string) => InnerRun;
  readonly #own: string | undefined;
  readonly #open = new Map<string, InnerRun>();
  readonly #ended = new Map<string, InnerRun>();
  /** The calls of the agent, one of which an event of a sub-agent belongs to. */
  readonly #calls = new Set<string>();

  /** `own` is the call inside of which the agent itself runs. */
  constructor(begin: (call: string) => InnerRun, own: string | undefined) {
    this.#begin = begin;
    this.#own = own;
  }

  /** The messages that the page has of them. */
  get messages(): readonly AgUiMessage[] {
    return this.#messagesWith();
  }

  /** Returns the messages that the page has of them, with these of one of them. */
  #messagesWith(one?: string, messages: readonly AgUiMessage[] = []): readonly AgUiMessage[] {
    return [...this.#ended, ...this.#open].flatMap(([call, { messages: own }]) =>
      (call === one ? messages : own).map((message) => ({ subagentRunId: call, ...message })),
    );
  }

  /** The events of one of them, as its agent's. A snapshot of it becomes one of all of them, as of when it was made. */
  #attributed(events: readonly AgUiEvent[], call: string): readonly AgUiEvent[] {
    return events
      .filter(({ type }) => !OUTER_ONLY.has(type))
      .map((event) => {
        if (event.type === "MESSAGES_SNAPSHOT")
          return { ...event, messages: this.#messagesWith(call, event.messages) };
        return "subagentRunId" in event ? event : { ...event, subagentRunId: call };
      });
  }

  /** An event of the agent's own: its calls, and their ends. */
  follow(event: AgentEvent): readonly AgUiEvent[] {
    if (event.type === "tool.start") this.#calls.add(event.call.id);
    if (event.type !== "message") return [];
    return toolResultsOf(event.message).flatMap((result) => this.#end(event, result));
  }

  /** An event of a sub-agent. */
  push(event: AgentEvent, [name = ""]: readonly string[]): readonly AgUiEvent[] {
    const call = callAround(event, this.#calls);
    if (call === undefined) return []; // what has no id is not shown
    const known = this.#open.get(call);
    const run = known ?? this.#begin(call);
    this.#open.set(call, run);
    const started: readonly AgUiEvent[] = known ? [] : [this.#startOf(call, name)];
    const events = run.push(innerEvent(event));
    return [...started, ...this.#attributed(events, call)];
  }

  /** The turn ends: what has not is suspended. */
  finish(event: AgentEvent, pending: readonly PendingCall[]): readonly AgUiEvent[] {
    return [...this.#open.keys()].flatMap((call) => {
      const own = pending.filter(({ callId }) => callId.startsWith(`${call}/`));
      const outcome = outcomeOf(own);
      const interruptIds = outcome.type === "interrupt" ? own.map(interruptIdOf) : [];
      return [
        ...this.#close(event, call),
        { type: "SUBAGENT_FINISHED", subagentRunId: call, outcome: { type: "suspended", interruptIds } },
      ];
    });
  }

  #startOf(call: string, name: string): AgUiEvent {
    const outer = this.#own === undefined ? {} : { parentSubagentRunId: this.#own };
    return { type: "SUBAGENT_STARTED", subagentRunId: call, name, parentToolCallId: call, ...outer };
  }

  #end(event: AgentEvent, result: ToolResultBlock): readonly AgUiEvent[] {
    const { id: call, state } = result;
    if (!this.#open.has(call) || state === "suspended") return [];
    const closed = this.#close(event, call);
    if (state === "success")
      return [...closed, { type: "SUBAGENT_FINISHED", subagentRunId: call, outcome: { type: "success" } }];
    const message = result.output.map((block) => (block.type === "text" ? block.text : "")).join("");
    return [...closed, { type: "SUBAGENT_ERROR", subagentRunId: call, message }];
  }

  /** Ends what a sub-agent was saying. */
  #close({ seq, n, at, turn }: AgentEvent, call: string): readonly AgUiEvent[] {
    const run = this.#open.get(call)!;
    this.#open.delete(call);
    this.#ended.set(call, run);
    return this.#attributed(run.push({ seq, n, at, turn, type: "turn.end", reason: "SHUTDOWN" }), call);
  }
}
