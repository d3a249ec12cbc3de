import type { Usage } from "../../src/core/message/types.ts";

/** The amounts that a turn, or the agent inside of a call, has used. Unknown tokens and costs count as 0. */
type Spending = {
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly usage: Usage;
  readonly durationMs: number;
};

/** A limit as a person reads it, the unit that says how it is checked and shared, and its amount of what was used. */
type LimitRow = {
  readonly label: string;
  readonly unit: "calls" | "tokens" | "money" | "ms";
  readonly used: (spending: Spending) => number;
};

/** The limits of a turn that a person may raise; an absent one is not a limit. */
export type Limits = {
  /** Model calls, attempts included. */
  readonly modelCalls?: number | undefined;
  /** Tool calls, attempts included. */
  readonly toolCalls?: number | undefined;
  /** Tokens of all prompts of the turn. */
  readonly inputTokens?: number | undefined;
  /** Tokens of all answers of the turn. */
  readonly outputTokens?: number | undefined;
  /** Input and output tokens together. */
  readonly totalTokens?: number | undefined;
  /** Cost of all model calls, in the currency of `modelOptions.prices`. */
  readonly cost?: number | undefined;
  /** Duration of the turn in ms, without the time in which it was suspended. */
  readonly wallMs?: number | undefined;
};

/** The limits of a turn, in the order in which they are checked: their checks, shares, questions and names are made of this table. */
export const LIMIT_TABLE: { readonly [K in keyof Limits]-?: LimitRow } = {
  modelCalls: { label: "model calls", unit: "calls", used: ({ modelCalls }) => modelCalls },
  toolCalls: { label: "tool calls", unit: "calls", used: ({ toolCalls }) => toolCalls },
  inputTokens: { label: "input tokens", unit: "tokens", used: ({ usage }) => usage.inputTokens ?? 0 },
  outputTokens: { label: "output tokens", unit: "tokens", used: ({ usage }) => usage.outputTokens ?? 0 },
  totalTokens: {
    label: "tokens",
    unit: "tokens",
    used: ({ usage }) => (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0),
  },
  cost: { label: "cost", unit: "money", used: ({ usage }) => usage.cost ?? 0 },
  wallMs: { label: "time", unit: "ms", used: ({ durationMs }) => durationMs },
};

/** The names of the limits. */
export const LIMITS = Object.keys(LIMIT_TABLE) as readonly (keyof Limits)[];

/** The name of a limit as a person reads it; of another name the name itself. */
export function limitLabel(name: string): string {
  return Object.hasOwn(LIMIT_TABLE, name) ? LIMIT_TABLE[name as keyof Limits].label : name;
}

/** One of `count` equal parts of an amount; of what is counted, the first ones get what is left over. Time is not divided. */
export function portionOf(name: keyof Limits, amount: number, count: number, place: number): number {
  const { unit } = LIMIT_TABLE[name];
  if (unit === "ms") return amount;
  if (unit === "money") return amount / count;
  return Math.floor(amount / count) + (place < amount % count ? 1 : 0);
}
