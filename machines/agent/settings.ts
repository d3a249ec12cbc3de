import type { Execution } from "../../src/core/model/port.ts";
import type { RuleData } from "../../src/core/tool/rules/law.ts";
import type { Limits } from "./limits.ts";
import { ALL_WHOLE, type ResultLimits } from "./prompt/view.ts";

/** An {@link Execution} without its function: what fits into context. */
export type ExecutionData = Omit<Execution, "retryOn">;

/** The part of an agent's configuration that the chart needs, as data. */
export type Settings = {
  readonly agent: string;
  readonly sessionId: string;
  /** Names the process; absent for an agent without a store. */
  readonly process?: string;
  readonly system: string;
  readonly maxIters: number;
  readonly maxGotos: number;
  readonly maxEmptyRetries: number;
  /** Calls that may run at once; Infinity is stored as 0. */
  readonly parallel: number;
  readonly onTextWhilePending: "refuse" | "cancelPending" | "queue";
  readonly recoverOrphans: boolean;
  readonly interruptGraceMs: number;
  /** The recovery text of an interrupt; null: none. */
  readonly interruptReply: string | null;
  readonly model: ExecutionData;
  readonly hasFallback: boolean;
  readonly isDurable: boolean;
  readonly budget: Limits;
  readonly onBudget: "suspend" | "stop";
  /** The handling of a session that another agent left in the middle of a turn. */
  readonly onChangedAgent: "adopt" | "pin" | "hold";
  /** The most that the model sees of the transcript; null for no bound. */
  readonly window: {
    readonly maxMessages?: number | undefined;
    readonly maxTokens?: number | undefined;
  } | null;
  readonly results: ResultLimits;
  /** The settings by which a prompt that is too long for the model is made shorter; null: not at all. */
  readonly compaction: CompactionSettings | null;
  /** The personas of the session, and how it is handed over to them; null: it has none. */
  readonly handoffs: HandoffSettings | null;
  /** The rules about its calls; absent: there are none. */
  readonly rules?: readonly RuleData[];
};

/** The settings of an actor of the machine that is created without input: an agent without a name, a system prompt and limits of time. */
export const DEFAULT_SETTINGS: Settings = {
  agent: "agent",
  sessionId: "",
  system: "",
  maxIters: 10,
  maxGotos: 3,
  maxEmptyRetries: 2,
  parallel: 1,
  onTextWhilePending: "refuse",
  recoverOrphans: true,
  interruptGraceMs: 2_000,
  interruptReply: null,
  model: {},
  hasFallback: false,
  isDurable: false,
  budget: {},
  onBudget: "suspend",
  onChangedAgent: "adopt",
  window: null,
  results: ALL_WHOLE,
  compaction: null,
  handoffs: null,
};

/** The settings by which a session is handed over from one persona to another. */
export type HandoffSettings = {
  /** The system prompt of each persona that is not the agent itself. */
  readonly systems: { readonly [persona: string]: string };
  /** The persona to which each tool hands over, by the name of the tool. */
  readonly tools: { readonly [tool: string]: string };
  /** The most handoffs of a turn. */
  readonly max: number;
  /** `turn`: each turn begins with the agent itself; `never`: with the persona that had the last one. */
  readonly reset: "never" | "turn";
  /** The personas that see a summary of what went before. */
  readonly summarised?: readonly string[];
};

/** The settings by which a prompt is made shorter, in tokens of the provider. */
export type CompactionSettings = {
  /** Also without being asked to. */
  readonly auto: boolean;
  /** The context window of the model; null if it is unknown. */
  readonly window: number | null;
  /** The part of the window that is reserved for the answer. */
  readonly reserve: number;
  /** The size down to which clearing must bring the prompt, if summaries are made at the threshold. */
  readonly target: number;
  /** The size of the end of the conversation that is shown as it is beside a summary. */
  readonly keepRecent: number;
  /** The newest results, of this size, are not cleared, and none are unless that frees `minimum`; null: no result is cleared. */
  readonly clear: { readonly protect: number; readonly minimum: number } | null;
  /** `fit`: a summary is made if clearing is not enough for the prompt to fit; `threshold`: also for it to shrink to `target`. */
  readonly summarise: "fit" | "threshold" | "never";
  readonly maxFailures: number;
  /** The summary is made by a model of its own, which gets the history as text. */
  readonly isSeparate: boolean;
};
