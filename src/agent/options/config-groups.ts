import type { Json } from "../../core/base/json.ts";
import type { Msg } from "../../core/message/types.ts";
import type { ChatModel, Execution } from "../../core/model/port.ts";
import type { Slot } from "../../core/tool/types.ts";
import type { Snapshot } from "../types.ts";

/** Options about the models of an agent: what happens when one fails, what it is shown, and what it costs. */
export type ModelOptions = {
  /** The model that is called when all attempts of `model` have failed and nothing of its answer was delivered. */
  readonly fallbackModel?: ChatModel | undefined;
  /** Time-outs and attempts of a model call. */
  readonly execution?: Execution | undefined;
  /** The way in which a model that forgets the structured output is reminded; default `TOOL_CHOICE`. */
  readonly structuredReminder?: "TOOL_CHOICE" | "PROMPT" | undefined;
  /** The bound of what the model sees, not of what is stored. The model sees the messages of the user that the turn answers and the end of
   *  the transcript, at most `maxMessages` messages and about `maxTokens` tokens together, but at least those and the last one, and never a
   *  tool result without its call. When the bound is passed a quarter of it is cut off at once, so that each request is a prefix of the
   *  next until it is passed again, as prompt caches of providers require. Tokens are estimated, and corrected by what the provider counts.
   *  Default: no bound. */
  readonly contextWindow?:
    | { readonly maxMessages?: number | undefined; readonly maxTokens?: number | undefined }
    | undefined;
  /** Prices per million tokens, by the name of the model. The cost of a model without a price is unknown, not 0, and so is that of
   *  a turn that calls it. `budget.cost` requires a price for every model. */
  readonly prices?:
    | {
        readonly [model: string]: {
          readonly input: number;
          readonly output: number;
          /** For tokens from the provider's cache; default `input`. */
          readonly cachedInput?: number | undefined;
          /** For tokens that the provider puts into its cache; default `input`. */
          readonly cacheWrite?: number | undefined;
        };
      }
    | undefined;
};

/** Options about the tools of an agent: which of them the model is offered, how they run, and how much of a result it sees. */
export type ToolOptions = {
  /** The purpose of the agent, where it is a tool itself. A model chooses it by this text if it is the agent of an `agentTool` without a
   *  description of its own. The agent does not see it. Default: none. */
  readonly description?: string | undefined;
  /** The tools that are not offered to the model until it finds them with the tool `search_tools`. These are those with `deferred: true`,
   *  and, if the schemas of the others have more than `maxTokens` tokens (default 10,000) or there are more than `maxTools` others, all
   *  others without `deferred: false`. Default of `maxTools`: what each model of the agent takes, less what the agent adds and
   *  `clientTools`; 128 for a model that does not say it, or no bound if `maxTokens` is given. `false`: every tool is offered always. */
  readonly search?:
    | false
    | { readonly maxTokens?: number | undefined; readonly maxTools?: number | undefined }
    | undefined;
  /** The names of tools that a client may declare for a turn, such as tools of a page that run in it. Those that an input brings as
   *  `clientTools` are offered to the model if they are listed here, and a call of one waits for its answer as that of a tool without
   *  `execute`. Other tools that a client declares are ignored. Default: none. */
  readonly clientTools?: readonly string[] | undefined;
  /** Time-outs and attempts of a tool call, unless the tool has its own. */
  readonly execution?: Execution | undefined;
  /** The bounds of long tool results. The model sees the first and last 2,000 characters of a result of more than `maxTokens` tokens
   *  (default 20,000; `tools` has bounds of single tools), and reads the rest with the tool `read_result`, which is offered from then on.
   *  Results of the tools in `exclude` are always shown whole. A compaction leaves out the images, sounds and films of all but the newest
   *  `keepMedia` results that have some (default 3); `read_result` shows them. `false` shows all results whole. What is stored is always
   *  whole. */
  readonly results?:
    | false
    | {
        readonly maxTokens?: number | undefined;
        readonly tools?: { readonly [tool: string]: number } | undefined;
        readonly exclude?: readonly string[] | undefined;
        readonly keepMedia?: number | undefined;
      }
    | undefined;
};

/** Options about the course of a turn, and about what interrupts it. */
export type TurnOptions = {
  /** The maximum number of times in a turn that hooks may ask for another reasoning step; default 3. */
  readonly maxGotos?: number | undefined;
  /** The most handoffs of a turn, default 5; another one is an error of its call. */
  readonly maxHandoffs?: number | undefined;
  /** `never` (default): a turn begins with the persona that had the last one. `turn`: with the agent itself. */
  readonly handoffReset?: "never" | "turn" | undefined;
  /** Stops the turn after this message, as a `postReasoning` hook that returns `stop` would. */
  readonly stopWhen?: ((message: Msg) => boolean) | undefined;
  /** The handling of a user message that arrives while calls are open: `refuse` (default) rejects `run/pending`, `cancelPending` answers
   *  the calls as cancelled, `queue` stores the message after their results. */
  readonly onTextWhilePending?: "refuse" | "cancelPending" | "queue" | undefined;
  /** The time for which an interrupt waits for services that do not react to their signal, ms; default 2,000. */
  readonly interruptGraceMs?: number | undefined;
  /** The text that the agent says when a turn was interrupted: the last message of the transcript, and the reply. A hook at `onInterrupt`
   *  may say something else. Default: "I noticed that you have interrupted me. What can I do for you?". With false nothing is added to the
   *  transcript, and the reply is empty. */
  readonly interruptReply?: string | false | undefined;
  /** Whether tool calls of a loaded transcript that have no result get one that says so; default true. With false a call is
   *  refused (`run/pending`) while the history has such calls. */
  readonly recoverOrphans?: boolean | undefined;
};

/** Options about the session of an agent: what it begins with, how it is saved, and by which clock and ids. */
export type SessionOptions = {
  /** The result of {@link Agent.snapshot}, with which the session begins. Not together with `store`. */
  readonly snapshot?: Snapshot | undefined;
  /** Slots that are written with {@link Agent.slots} only; those that tools and hooks write are named by them. */
  readonly slots?: readonly Slot[] | undefined;
  /** `step` (default): a tool runs only after everything that led to it is stored. `turn`: the session is saved only at rest; the
   *  steps of a turn are lost with their process, and its tools run again. */
  readonly durability?: "step" | "turn" | undefined;
  /** The duration of the lease of the session, ms; default 30,000. It is renewed after each third of that time. If the process is killed,
   *  other processes can open the session once the lease has expired. */
  readonly leaseMs?: number | undefined;
  /** After how many ms without a call an agent with a store is passivated, see {@link Agent.passivate}; default: never. An agent that
   *  waits for a time, as for the end of an approval, stays, and so does one that a worker or another agent runs. */
  readonly idleMs?: number | undefined;
  /** Returns what is stored instead of a value, in the store and in snapshots; default: the value. */
  readonly redact?: ((value: Json) => Json) | undefined;
  /** The handling of a session that is opened in the middle of a turn of another agent. The agent that began the turn had another prompt,
   *  other permissions or other tools. `adopt` (default) goes on with it and emits `agent.changed`: an approval of a tool whose definition
   *  changed is asked for again, and a call of a tool that is gone is answered with an error. `pin` leaves it to agents of the old release
   *  and `hold` to a person: opening it rejects `session/agent-changed`. */
  readonly onChangedAgent?: "adopt" | "pin" | "hold" | undefined;
  /** The clock, epoch ms; default `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** Returns a new unique id; default: a UUID. */
  readonly newId?: (() => string) | undefined;
};

/** Returns a configuration without the snapshot with which its session begins. */
export function withoutSnapshot<Config extends { readonly sessionOptions?: SessionOptions | undefined }>(
  config: Config,
): Config {
  if (!config.sessionOptions) return config;
  const { snapshot: _, ...sessionOptions } = config.sessionOptions;
  return { ...config, sessionOptions };
}
