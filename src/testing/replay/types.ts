import type { AnyAgentConfig } from "../../agent/options/agent-config.ts";
import type { ErrorInfo } from "../../core/base/error.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type { Reason, Usage } from "../../core/message/types.ts";
import type { Decision, PendingCall } from "../../core/tool/pending.ts";
import type { Schema } from "../../core/tool/types.ts";
import type { ForkChanges } from "../../../machines/agent/prompt/edits.ts";
import type { ForkPoint } from "../../session/fork.ts";
import type { SessionStore } from "../../store/port.ts";
import type { AgentDifference } from "./agent-changes.ts";
import type { Divergence } from "./divergence.ts";

/** An agent's configuration without its session, which the replay gives it. */
export type ReplayAgentConfig = Omit<AnyAgentConfig, "store" | "sessionId" | "context"> & {
  readonly context?: unknown;
  /** The shape of the answer of each turn, as agents of a worker have it; default: what each recorded turn asked for. */
  readonly output?: Schema | undefined;
};

/** A call for which no result is recorded, and which a person is asked about. */
export type UnrecordedCall = { readonly name: string; readonly input: JsonObject };

/** Options of {@link replayOf}. */
export type ReplayOptions = {
  /** The agent that is replayed: its configuration, or a function that makes it for the session. */
  readonly agent:
    | ReplayAgentConfig
    | ((session: {
        readonly sessionId: string;
        readonly meta: JsonObject;
      }) => ReplayAgentConfig | Promise<ReplayAgentConfig>);
  /** The results of calls. `recorded` (default): those of the session; nothing runs. `compare`: each call that the session has really runs,
   *  its result is compared, and the recorded one goes on. `live`: the tools run. Agents as tools run only if they are in `live`. */
  readonly tools?: "recorded" | "compare" | "live" | undefined;
  /** The answers. `recorded` (default): those of the session, as long as everything before them is the same; no model is asked. `live`: the
   *  model of the agent is asked, which costs what it costs. */
  readonly model?: "recorded" | "live" | undefined;
  /** The handling of what is not recorded. `stop` (default) ends the replay. `live` asks the model, and runs the tools that `live` names.
   *  `ask` calls `ask` for each call. */
  readonly onDivergence?: "stop" | "live" | "ask" | undefined;
  /** The names of the tools that may really run. Default: with `tools: "compare"` or `"live"` all but agents, else none. */
  readonly live?: readonly string[] | undefined;
  /** Says what becomes of a call that is not recorded: it runs, the replay ends, or this is its result. */
  readonly ask?: ((call: UnrecordedCall) => UnrecordedAnswer | Promise<UnrecordedAnswer>) | undefined;
  /** Decides about calls that wait and for which no decision is recorded; default: they wait. */
  readonly decide?: ((call: PendingCall) => Decision | undefined | Promise<Decision | undefined>) | undefined;
  /** The journal position after which the replay begins, or the step before which it does, as a fork takes it. Default: the start of the
   *  session. */
  readonly at?: ForkPoint | undefined;
  /** Changes, as those of a fork. At the start `system`, `tools`, `model` and `options` only. Default: none. */
  readonly changes?: ForkChanges | undefined;
  /** The store of the replay, which is a session of its own. The recorded one is never written. Default: the memory of the process. */
  readonly into?: SessionStore | undefined;
  /** The id of the replay; default: a new UUID. */
  readonly sessionId?: string | undefined;
  /** Interrupts the replay; then it rejects `run/aborted`. */
  readonly signal?: AbortSignal | undefined;
};

/** The answer of a person about a call that is not recorded. */
export type UnrecordedAnswer = "live" | "stop" | { readonly answer: string };

/** The replay of a session. */
export type Replay = {
  /** The session that was replayed, and the replay, which `store` has. */
  readonly recordedId: string;
  readonly sessionId: string;
  readonly store: SessionStore;
  /** True if nothing differs: the run is the same, and so is the agent. */
  readonly isSame: boolean;
  /** The places at which the run differs: the first one, and with `tools: "compare"` each result that does. */
  readonly divergences: readonly Divergence[];
  /** The differences between the agents: prompt, tools, schemas, options, model, permissions. */
  readonly agent: readonly AgentDifference[];
  /** The reason for which the replay ended before its recording. */
  readonly stopped?: string | undefined;
  /** Sentences about what could not be repeated or compared. */
  readonly notes: readonly string[];
  /** The tools that really ran, one entry a run. */
  readonly ran: readonly string[];
  /** The number of requests to a real model. */
  readonly asked: number;
  /** The reason of the last rest, the error of the last turn, and the text of the last answer. */
  readonly reason?: Reason | undefined;
  readonly error?: ErrorInfo | undefined;
  readonly text: string;
  /** The usage of the turns that were replayed: of recorded answers that of the recording. */
  readonly usage: Usage;
};
