import type { InspectionEvent } from "xstate";
import type { Hook } from "../hook/types.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { Msg } from "../message/types.ts";
import type { ChatModel, Execution, GenerateOptions } from "../model/port.ts";
import type { SessionStore } from "../store/port.ts";
import type { PermissionAction, Slot, Tool, Toolkit } from "../tool/types.ts";
import type { CompactionOptions } from "./compaction-options.ts";
import type { Telemetry } from "./telemetry.ts";
import type { Agent, Budget, Snapshot } from "./types.ts";

/** Order: deny rules, remembered rules, ask rules, the tool's own, allow rules, `otherwise` (`allow`).
 *  Judged on the parsed input that would run. */
export type Permissions = {
  readonly rules?: readonly {
    /** A tool's name, in which `*` stands for any characters and `?` for one. A rule that matches no tool of the agent, of its
     *  groups and of its hooks is refused. */
    readonly tool: string;
    /** True for a rule that may match no tool yet, because one is added later; default false. */
    readonly optional?: boolean;
    readonly action: PermissionAction;
    /** Default: always. One that throws denies the call. */
    readonly when?: (input: JsonObject) => boolean;
    /** Shown to the person who decides, or to the model whose call is denied. */
    readonly reason?: string;
  }[];
  /** For calls that no rule is about; default `allow`. */
  readonly otherwise?: PermissionAction;
  /** How long an approval is waited for, in ms; then the call is denied. So long are the questions of a call waited for, and then
   *  cancelled. Default: for ever. */
  readonly expiresAfterMs?: number;
};

/** One of the roles that an agent may have in a session, beside its own. */
export type Persona<Ctx = unknown> = {
  /** Its system prompt, in the place of that of the agent; default: none. */
  readonly sysPrompt?: string;
  /** Its tools, in the place of the `tools` of the agent; those of hooks are there for all. Default: none. */
  readonly tools?: readonly Tool<Ctx>[];
  /** Its model; default: that of the agent. */
  readonly model?: ChatModel;
  /** What it may do. Rules of the agent that forbid or ask stand before its own. Default: the permissions of the agent. */
  readonly permissions?: Permissions;
};

/** A persona to which others may hand over a session. */
export type Handoff = {
  /** The name of the persona, or of the agent itself. The tool is `transfer_to_NAME`. */
  readonly to: string;
  /** What the model chooses the tool by. */
  readonly description: string;
  /** The personas that may hand over to it; default: all others, and the agent itself. */
  readonly from?: readonly string[];
  /** When the tool is there: called with the messages of the session before each model call of a persona that may hand over, and before
   *  such a call runs. It must return the same for the same messages; if it throws, the turn fails. Default: always. */
  readonly when?: (messages: readonly Msg[]) => boolean;
  /** What the persona sees of what went before. `asText` (default): calls of tools that it does not have, as text. `full`: everything
   *  as it is. `summary`: a summary that the model of compactions makes, with the messages of the user that the turn answers; `asText`
   *  if there is none that is shorter. Needs `compaction`. */
  readonly view?: "asText" | "full" | "summary";
};

/** What watches whole agents and not only their charts; `inspector()` of `agentchart/inspect` makes one. */
export interface AgentWatcher {
  /** Called once by createAgent; `position` gives the journal position. An agent whose watcher throws runs unobserved by it. */
  watch(
    agent: Agent<never>,
    config: AgentConfig<never>,
    position: () => number,
  ): {
    /** The journal has grown to another position. What it throws has no effect. */
    committed(): void;
    /** Ends when all that was seen is sent, or soon; `close` of the agent waits for it. What it throws has no effect. */
    flushed(): Promise<void>;
  };
}

/** What a caller may attach to watch an agent: an XState inspection observer or function, or an {@link AgentWatcher}. */
export type Inspector = { next?(e: InspectionEvent): void } | ((e: InspectionEvent) => void) | AgentWatcher;

/** Options of {@link createAgent}. */
export type AgentConfig<Ctx = unknown> = {
  /** The name of the agent, which its messages carry. */
  readonly name: string;
  /** The system prompt of every model call; default: none. */
  readonly sysPrompt?: string;
  /** The model that answers. */
  readonly model: ChatModel;
  /** The model that is called when all attempts of `model` have failed and nothing of its answer was delivered. */
  readonly fallbackModel?: ChatModel;
  /** The tools that the model may call. Either `tools` or `toolkit`. */
  readonly tools?: readonly Tool<Ctx>[];
  /** A toolkit, which several agents may share. */
  readonly toolkit?: Toolkit<Ctx>;
  /** Tools that are not offered to the model until it finds them with the tool `search_tools`: those with `deferred: true`, and,
   *  if the schemas of the others have more than `maxTokens` tokens (default 10,000) or there are more than `maxTools` others, all others
   *  without `deferred: false`. Default of `maxTools`: what each model of the agent takes, less what the agent adds and `clientTools`;
   *  128 for a model that does not say it, or no bound if `maxTokens` is given. `false`: every tool is offered always. */
  readonly toolSearch?: false | { readonly maxTokens?: number; readonly maxTools?: number };
  /** The names of tools that a client may declare for a turn, such as tools of a page that run in it: those that an input brings as
   *  `clientTools` are offered to the model if they are listed here, and a call of one waits for its answer as that of a tool without
   *  `execute`. Other tools that a client declares are ignored. Default: none. */
  readonly clientTools?: readonly string[];
  /** The hooks, which run in the order of their `priority`. */
  readonly hooks?: readonly Hook<Ctx>[];
  /** Slots that are written with {@link Agent.slots} only; those that tools and hooks write are named by them. */
  readonly slots?: readonly Slot[];
  /** The transcript with which a new session begins; default: empty. */
  readonly messages?: readonly Msg[];
  /** Bounds what the model sees, not what is stored: the messages of the user that the turn answers and the end of the transcript,
   *  at most `maxMessages` messages and about `maxTokens` tokens together, but at least those and the last one, and never a tool
   *  result without its call. When the bound is passed a quarter of it is cut off at once, so that each request is a prefix of the
   *  next until it is passed again, as prompt caches of providers require. Tokens are estimated, and corrected by what the provider
   *  counts. Default: no bound. */
  readonly contextWindow?: { readonly maxMessages?: number; readonly maxTokens?: number };
  /** Long tool results: the model sees the first and last 2,000 characters of a result of more than `maxTokens` tokens (default
   *  20,000; `tools` has bounds of single tools), and reads the rest with the tool `read_result`, which is offered from then on.
   *  Results of the tools in `exclude` are always shown whole. A compaction leaves out the images, sounds and films of all but the
   *  newest `keepMedia` results that have some (default 3); `read_result` shows them. `false` shows all results whole. What is stored is always whole. */
  readonly results?:
    | false
    | {
        readonly maxTokens?: number;
        readonly tools?: { readonly [tool: string]: number };
        readonly exclude?: readonly string[];
        readonly keepMedia?: number;
      };
  /** Keeps the prompt within the model's window; the transcript is never shortened. See {@link CompactionOptions}; `false` turns it off,
   *  also when the model refuses a prompt as too long, and for `compact()`. Default: on. */
  readonly compaction?: false | CompactionOptions;
  /** Models for single tasks: `compaction` makes the summaries of a conversation; default: `model`. */
  readonly models?: { readonly compaction?: ChatModel };
  /** Reasoning steps of a turn; then the model is asked for a summary. Default 10. */
  readonly maxIters?: number;
  /** How often in a turn hooks may ask for another reasoning step; default 3. */
  readonly maxGotos?: number;
  /** How many tool calls of one answer run at once: `false` (default) one, `true` all, or a number. */
  readonly parallelToolCalls?: boolean | number;
  /** Stops the turn after this message, as a `postReasoning` hook that returns `stop` would. */
  readonly stopWhen?: (message: Msg) => boolean;
  /** Options of every model call, such as `temperature`; default: those of the provider. */
  readonly generateOptions?: GenerateOptions;
  /** Time-outs and attempts of a model call. */
  readonly modelExecution?: Execution;
  /** Time-outs and attempts of a tool call, unless the tool has its own. */
  readonly toolExecution?: Execution;
  /** How a model that forgets the structured output is reminded; default `TOOL_CHOICE`. */
  readonly structuredReminder?: "TOOL_CHOICE" | "PROMPT";
  /** Which tool calls run, ask for an approval, or are denied; default: all run. */
  readonly permissions?: Permissions;
  /** Other roles that the agent may have in a session, by name, each with a prompt and tools of its own. One has the session at a
   *  time, at first the agent itself; all see one transcript. */
  readonly personas?: { readonly [name: string]: Persona<Ctx> };
  /** How personas hand the session over to each other: each entry is a tool, `transfer_to_NAME`. Needed with `personas`. */
  readonly handoffs?: readonly Handoff[];
  /** The most handoffs of a turn, default 5; another one is an error of its call. */
  readonly maxHandoffs?: number;
  /** `never` (default): a turn begins with the persona that had the last one. `turn`: with the agent itself. */
  readonly handoffReset?: "never" | "turn";
  /** Limits of each turn; default: none. */
  readonly budget?: Budget;
  /** Prices per million tokens, by the name of the model. The cost of a model without a price is unknown, not 0, and so is that of
   *  a turn that calls it. `budget.cost` requires a price for every model. */
  readonly prices?: {
    readonly [model: string]: {
      readonly input: number;
      readonly output: number;
      /** For tokens from the provider's cache; default `input`. */
      readonly cachedInput?: number;
      /** For tokens that the provider puts into its cache; default `input`. */
      readonly cacheWrite?: number;
    };
  };
  /** What happens to a user message that arrives while calls are open: `refuse` (default) rejects `run/pending`, `cancelPending`
   *  answers the calls as cancelled, `queue` stores the message after their results. */
  readonly onTextWhilePending?: "refuse" | "cancelPending" | "queue";
  /** Whether tool calls of a loaded transcript that have no result get one that says so; default true. With false a call is
   *  refused (`run/pending`) while the history has such calls. */
  readonly recoverOrphans?: boolean;
  /** What becomes of a session that is opened in the middle of a turn which an agent with another prompt, other permissions or other
   *  tools began. `adopt` (default) goes on with it and emits `agent.changed`: an approval of a tool whose definition changed is
   *  asked for again, and a call of a tool that is gone is answered with an error. `pin` leaves it to agents of the old release and
   *  `hold` to a person: opening it rejects `session/agent-changed`. */
  readonly onChangedAgent?: "adopt" | "pin" | "hold";
  /** How long an interrupt waits for services that do not react to their signal, ms; default 2,000. */
  readonly interruptGraceMs?: number;
  /** What the agent says when a turn was interrupted: the last message of the transcript, and the reply. A hook at `onInterrupt` may say
   *  something else. Default: "I noticed that you have interrupted me. What can I do for you?". With false nothing is added to the
   *  transcript, and the reply is empty. */
  readonly interruptReply?: string | false;
  /** A value for tools and hooks, or a function that returns it for a session. It is never stored; the function is called again in
   *  each process. */
  readonly context?: Ctx | ((session: { readonly sessionId: string; readonly meta: JsonObject }) => Ctx);
  /** The store of the session, from which it is restored when the agent is opened, and to which every step is saved. Default: the
   *  session stays in this process. */
  readonly store?: SessionStore;
  /** The id of the session; default: a new UUID. */
  readonly sessionId?: string;
  /** `step` (default): a tool runs only after everything that led to it is stored. `turn`: the session is saved only at rest; the
   *  steps of a turn are lost with their process, and its tools run again. */
  readonly durability?: "step" | "turn";
  /** How long the lease of the session lasts, ms; default 30,000. It is renewed after each third of that time. If the process
   *  is killed, other processes can open the session once the lease has expired. */
  readonly leaseMs?: number;
  /** After how many ms without a call an agent with a store is passivated, see {@link Agent.passivate}; default: never. An agent that
   *  waits for a time, as for the end of an approval, stays, and so does one that a worker or another agent runs. */
  readonly idleMs?: number;
  /** Returns what is stored instead of a value, in the store and in snapshots; default: the value. */
  readonly redact?: (value: Json) => Json;
  /** Labels of the session, such as its tenant, by which a store lists it; default: none. */
  readonly meta?: JsonObject;
  /** The result of {@link Agent.snapshot}, with which the session begins. Not together with `store`. */
  readonly snapshot?: Snapshot;
  /** What observes the agent: observers, inspectors, or the address of an inspector, with its token as `#w=…` unless the
   *  environment has it. `"auto"` finds the inspector that `agentchart inspect` starts on this machine, now or later. Default:
   *  nothing is observed. */
  readonly inspect?: "auto" | (string & {}) | Inspector | readonly Inspector[];
  /** Spans and metrics of the turns, for OpenTelemetry: `otelObserver()` of `agentchart/otel`. Default: none. */
  readonly otel?: Telemetry;
  /** The clock, epoch ms; default `Date.now`. */
  readonly now?: () => number;
  /** Returns a new unique id; default: a UUID. */
  readonly newId?: () => string;
};
