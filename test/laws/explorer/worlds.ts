import { HOOK_POINTS } from "../../../src/core/hook/types.ts";
import type { Msg } from "../../../src/core/message/types.ts";
import type { ExecutionData, Settings } from "../../../machines/agent/settings.ts";
import type { Fingerprint } from "../../../src/core/tool/fingerprint.ts";
import { ALL_WHOLE } from "../../../machines/agent/prompt/view.ts";
import { IMAGE, message, text, toolResult, toolUse } from "../../../src/testing/explorer/messages.ts";
import { RULES } from "./check-rules.ts";
import { SLOT } from "../../../src/testing/explorer/slots.ts";
import type { Bounds, World } from "../../../src/testing/explorer/world.ts";
import { TICK } from "../../../src/testing/explorer/move.ts";

/** The settings of the small worlds. */
export const SETTINGS: Settings = {
  agent: "agent",
  sessionId: "s",
  system: "",
  maxIters: 2,
  maxGotos: 1,
  maxEmptyRetries: 2,
  parallel: 0,
  onTextWhilePending: "refuse",
  recoverOrphans: true,
  interruptGraceMs: 2_000,
  interruptReply: "interrupted",
  model: { timeoutMs: 60_000, maxAttempts: 2, initialBackoffMs: 1_000 },
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

type Spec = Partial<Omit<World, "settings" | "name">> & { readonly settings?: Partial<Settings> };

function world(name: string, { settings, ...rest }: Spec = {}): World {
  const listening = rest.listening ?? [];
  return {
    name,
    otherwise: listening,
    history: [],
    tool: { execution: { timeoutMs: 30_000, maxAttempts: 2, initialBackoffMs: 500 }, onRestart: "retry" },
    judges: false,
    allows: false,
    ...rest,
    listening,
    settings: { ...SETTINGS, ...settings },
  };
}

/** Loaded from elsewhere: the last message asked for two calls and only one was answered. */
const ORPHANS: readonly Msg[] = [
  message("h1", "user", [text("h1")]),
  message("h2", "assistant", [toolUse("h2.1"), toolUse("h2.2")]),
  message("h3", "tool", [toolResult("h2.1", "h3")]),
];

/** Loaded from elsewhere: enough for a prompt that is near the window. */
const SPOKEN: readonly Msg[] = [
  message("h1", "user", [text("words of a user ".repeat(12))]),
  message("h2", "assistant", [text("words of a model ".repeat(12))]),
];

/** The same messages under other ids. */
const again = (messages: readonly Msg[], time: number): readonly Msg[] =>
  messages.map((each) => ({ ...each, id: `${each.id}.${time}` }));

/** A tool has given a result that is worth clearing. */
const LOOKED: readonly Msg[] = [
  message("h3", "assistant", [toolUse("h3.1")]),
  message("h4", "tool", [toolResult("h3.1", "words of a result ".repeat(60))]),
  message("h5", "assistant", [text("words of a model ".repeat(4))]),
];

const COMPACTION: NonNullable<Settings["compaction"]> = {
  auto: true,
  window: 150,
  reserve: 30,
  target: 60,
  keepRecent: 10,
  clear: { protect: 10, minimum: 20 },
  summarise: "fit",
  maxFailures: 2,
  isSeparate: false,
};

const ONCE: ExecutionData = { maxAttempts: 1 };

const FEW = ["text", "the structured answer", "the structured answer and a call"];

/** One attempt of everything. */
const SHORT: Spec = {
  tool: { execution: ONCE, onRestart: "ask" },
  settings: { maxIters: 1, model: { maxAttempts: 1 } },
};

const AGENT: Fingerprint = { prompt: "1", permissions: "1", tools: { tool: "1" } };
/** An agent and its next releases. */
const RELEASES: Spec = {
  ...SHORT,
  agent: AGENT,
  others: {
    "another prompt": { ...AGENT, prompt: "2" },
    "other permissions": { ...AGENT, permissions: "2" },
    "a changed tool": { ...AGENT, tools: { tool: "2" } },
    "a tool less": { ...AGENT, tools: {} },
  },
};

const BREAKPOINTS: World["slots"] = {
  "tools.breakpoints": { value: [{ state: "reasoning" }], version: 1, revision: 1 },
};

const WORLDS: readonly World[] = [
  world("no hooks", { settings: { isDurable: true }, endings: true }),
  world("compaction", {
    answers: ["text", "1 call", "a call", "nothing", "the prompt is too long", "failure that may be retried"],
    history: SPOKEN,
    tool: { execution: ONCE, onRestart: "retry" },
    settings: { isDurable: true, maxIters: 1, hasFallback: true, compaction: COMPACTION },
  }),
  world("compaction by clearing results", {
    ...SHORT,
    answers: ["text", "1 call", "the prompt is too long"],
    history: [...SPOKEN, ...LOOKED],
    settings: {
      maxIters: 2,
      model: { maxAttempts: 1 },
      compaction: { ...COMPACTION, window: 510, reserve: 60, isSeparate: true },
    },
  }),
  world("compaction in parts", {
    ...SHORT,
    answers: ["text", "the structured answer", "the prompt is too long"],
    history: Array.from({ length: 7 }, () => SPOKEN).flatMap(again),
    wanted: { mode: "tool", schema: {}, reminders: 0 },
    settings: { maxIters: 1, model: { maxAttempts: 1 }, compaction: { ...COMPACTION, window: 800 } },
  }),
  world("compaction that hooks see", {
    ...SHORT,
    listening: ["preCompact"],
    otherwise: ["preCompact", "postCompact"],
    answers: ["text", "1 call", "the prompt is too long"],
    history: SPOKEN,
    settings: { maxIters: 1, model: { maxAttempts: 1 }, compaction: COMPACTION },
  }),
  world("an image that is refused", {
    ...SHORT,
    answers: ["text", "1 call", "what is said is refused", "final failure"],
    history: [message("h1", "user", [text("h1"), IMAGE])],
    settings: { ...SHORT.settings, hasFallback: true },
  }),
  world("hooks at every point", {
    listening: HOOK_POINTS,
    otherwise: [],
    tool: { execution: ONCE, onRestart: "fail" },
    settings: { maxIters: 1, model: { maxAttempts: 1 } },
  }),
  world("hooks before a model that may be asked again", {
    ...SHORT,
    listening: ["preCall", "preReasoning", "preSummary"],
    answers: ["text", "1 call", "failure that may be retried"],
    settings: { maxIters: 1 },
  }),
  world("permissions", {
    answers: ["text", "1 call", "2 calls"],
    judges: true,
    tool: { execution: ONCE, onRestart: "ask" },
    settings: { maxIters: 1, isDurable: true, model: { maxAttempts: 1 } },
  }),
  world("rules", {
    ...SHORT,
    calls: 1,
    listening: ["postActing"],
    answers: ["text", "asks for refund and verify", "asks for refund and refund"],
    tool: { execution: { timeoutMs: 30_000, maxAttempts: 1 }, onRestart: "ask" },
    settings: { maxIters: 2, isDurable: true, model: { maxAttempts: 1 }, rules: RULES },
  }),
  world("tools that need no review", {
    allows: true,
    otherwise: ["preActing"],
    answers: ["text", "1 call", "2 calls"],
    tool: { execution: ONCE, onRestart: "ask" },
    settings: { maxIters: 1, isDurable: true, model: { maxAttempts: 1 } },
  }),
  world("one at a time", {
    tool: { execution: { timeoutMs: 30_000, maxAttempts: 2 }, onRestart: "ask", maxParallel: 1 },
    settings: {
      parallel: 1,
      onTextWhilePending: "cancelPending",
      hasFallback: true,
      model: { maxAttempts: 1 },
    },
  }),
  world("one of a tool at a time", {
    answers: ["text", "2 calls"],
    tool: { execution: { maxAttempts: 2, initialBackoffMs: 500 }, onRestart: "retry", maxParallel: 1 },
    settings: { maxIters: 1, isDurable: true, model: { maxAttempts: 1 } },
  }),
  world("loaded history", {
    history: ORPHANS,
    tool: { execution: ONCE, onRestart: "ask" },
    settings: { onTextWhilePending: "queue", model: { maxAttempts: 1 } },
  }),
  world("structured answer by a tool", {
    ...SHORT,
    answers: FEW,
    wanted: { mode: "tool", schema: {}, reminders: 0 },
  }),
  world("structured answer by the model", {
    ...SHORT,
    answers: FEW,
    wanted: { mode: "native", schema: {}, reminders: 0 },
  }),
  world("structured answer whose schema cannot be stored", {
    ...SHORT,
    listening: ["postReasoning"],
    answers: ["text", "1 call", "the structured answer"],
    wanted: { mode: "native", schema: {}, isStandard: true, reminders: 0 },
  }),
  world("budget that suspends", {
    ...SHORT,
    settings: { ...SHORT.settings, budget: { modelCalls: 1, toolCalls: 1 } },
  }),
  world("breakpoints before requests", {
    ...SHORT,
    answers: ["text", "1 call", "failure that may be retried"],
    slots: BREAKPOINTS,
    settings: { maxIters: 1, model: { maxAttempts: 2, initialBackoffMs: 1_000 } },
  }),
  world("breakpoints before requests and summaries", {
    ...SHORT,
    answers: ["text", "1 call"],
    listening: ["preReasoning", "preSummary"],
    otherwise: [],
    history: SPOKEN,
    slots: BREAKPOINTS,
    settings: { ...SHORT.settings, compaction: COMPACTION },
  }),
  world("budget that stops", {
    ...SHORT,
    settings: { ...SHORT.settings, budget: { modelCalls: 1, toolCalls: 1 }, onBudget: "stop" },
  }),
  world("a refusal that hooks see", {
    ...SHORT,
    listening: ["onError"],
    answers: ["1 call"],
    judges: true,
  }),
  world("a fallback model, and models that do not answer in time", {
    ...SHORT,
    answers: ["text", "1 call"],
    settings: { ...SHORT.settings, hasFallback: true, model: { timeoutMs: 60_000, maxAttempts: 1 } },
  }),
  world("a summary instead of the structured answer", {
    ...SHORT,
    listening: ["preSummary", "postSummary"],
    otherwise: [],
    answers: ["text", "1 call", "failure that may be retried"],
    wanted: { mode: "tool", schema: {}, reminders: 0 },
    settings: { ...SHORT.settings, model: { timeoutMs: 60_000, maxAttempts: 1 } },
  }),
  world("a slot that tools, hooks and people write", {
    answers: ["text", "2 calls"],
    listening: ["preReasoning", "postActing"],
    tool: { execution: ONCE, onRestart: "ask", writes: [SLOT] },
    settings: { maxIters: 1, isDurable: true, model: { maxAttempts: 1 } },
  }),
  world("a turn that another release adopts", {
    ...RELEASES,
    answers: ["1 call"],
    judges: true,
    tool: { execution: ONCE, onRestart: "retry" },
    settings: { ...SHORT.settings, isDurable: true },
  }),
  world("a turn that is left to its release", {
    ...RELEASES,
    answers: ["text", "1 call"],
    settings: { ...SHORT.settings, onChangedAgent: "pin" },
  }),
  world("a turn of another release that waits for a person", {
    ...RELEASES,
    answers: ["text", "1 call"],
    settings: { ...SHORT.settings, onChangedAgent: "hold" },
  }),
  world("a tool that asks twice", {
    answers: ["text", "1 call"],
    asks: "questions",
    calls: 3,
    listening: ["preActing"],
    tool: { execution: { maxAttempts: 2, initialBackoffMs: 500 }, onRestart: "ask" },
    settings: { maxIters: 1, isDurable: true, model: { maxAttempts: 1 } },
  }),
  world("two tools that ask at once", {
    answers: ["2 calls"],
    asks: "questions",
    tool: { execution: ONCE, onRestart: "retry" },
    settings: { maxIters: 1, onTextWhilePending: "queue", model: { maxAttempts: 1 } },
  }),
  world("a tool that waits for inner approvals", {
    answers: ["text", "1 call"],
    asks: "approvals",
    tool: { execution: { timeoutMs: 30_000, maxAttempts: 1 }, onRestart: "retry" },
    settings: { maxIters: 1, isDurable: true, model: { maxAttempts: 1 } },
  }),
  world("a session that is handed over", {
    ...SHORT,
    answers: ["text", "2 calls"],
    listening: ["postActing"],
    otherwise: [],
    settings: {
      ...SHORT.settings,
      maxIters: 2,
      handoffs: { systems: { other: "Be another." }, tools: { tool: "other" }, max: 1, reset: "never" },
    },
  }),
  world("a session that is handed over with a summary", {
    ...SHORT,
    answers: ["text", "1 call", "the prompt is too long"],
    history: SPOKEN,
    settings: {
      ...SHORT.settings,
      maxIters: 2,
      compaction: { ...COMPACTION, window: null, summarise: "never" },
      handoffs: {
        systems: { other: "Be another." },
        tools: { tool: "other" },
        max: 1,
        reset: "never",
        summarised: ["other"],
      },
    },
  }),
  world("a session that each turn has to itself", {
    ...SHORT,
    answers: ["text", "1 call"],
    asks: "questions",
    settings: {
      ...SHORT.settings,
      maxIters: 3,
      handoffs: { systems: { other: "Be another." }, tools: { tool: "other" }, max: 2, reset: "turn" },
    },
  }),
  world("time that is used up within a batch", {
    ...SHORT,
    tool: { execution: { maxAttempts: 2, initialBackoffMs: 500 }, onRestart: "ask" },
    answers: ["text", "2 calls"],
    settings: { ...SHORT.settings, parallel: 1, budget: { wallMs: 3.5 * TICK } },
  }),
];

const MORE_WORLDS: readonly World[] = [
  world("everything at once", {
    listening: HOOK_POINTS,
    judges: true,
    tool: { execution: { timeoutMs: 30_000, maxAttempts: 2 }, onRestart: "ask" },
    settings: { isDurable: true, hasFallback: true, onTextWhilePending: "queue" },
  }),
];

const withAllAnswers = ({ answers: _, ...rest }: World): World => rest;

export const BOUNDS: { readonly [name in Bounds["name"]]: Bounds } = {
  small: { name: "small", calls: 2, disturbances: 1, worlds: WORLDS },
  medium: {
    name: "medium",
    calls: 2,
    disturbances: 1,
    worlds: [...WORLDS, ...MORE_WORLDS].map(withAllAnswers),
  },
  large: { name: "large", calls: 3, disturbances: 2, worlds: WORLDS.map(withAllAnswers) },
};
