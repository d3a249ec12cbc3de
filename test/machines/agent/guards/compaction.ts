import { Transcript } from "../../../../src/core/message/transcript.ts";
import { message, text, toolResult, toolUse, user } from "../../../../src/testing/explorer/messages.ts";
import { draft, type Given } from "../at.ts";
import type { AgentContext, Compaction, Compactions } from "../../../../machines/agent/context.ts";
import type { CompactionSettings } from "../../../../machines/agent/settings.ts";
import type { GuardTable } from "./guard.ts";

const SETTINGS: CompactionSettings = {
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
const COMPACTIONS: Compactions = { count: 0, failures: 0, failedIn: null, isForced: false, overflow: null };
const COMPACTING: Compaction = {
  cause: "threshold",
  to: 2,
  isPart: false,
  isSeparate: false,
  share: 1,
  tokensBefore: 140,
};
const TOO_LONG = { code: "model/context-length", message: "too long", retry: false } as const;
const DOWN = { code: "model/unavailable", message: "down", retry: true } as const;

const spoken = [
  message("h1", "user", [text("words of a user ".repeat(12))]),
  message("h2", "assistant", [text("words of a model ".repeat(12))]),
];
const looked = [
  message("h3", "assistant", [toolUse("h3.1")]),
  message("h4", "tool", [toolResult("h3.1", "words of a result ".repeat(60))]),
  message("h5", "assistant", [text("words of a model ".repeat(4))]),
];

type More = {
  readonly settings?: Partial<CompactionSettings> | null;
  readonly compactions?: Partial<Compactions>;
  readonly compacting?: Partial<Compaction>;
  readonly history?: Parameters<typeof Transcript.of>[0];
  readonly progress?: Partial<AgentContext["progress"]>;
};

/** A context with a prompt that is near the window of its model, unless `more` says otherwise. */
export function full({ settings, compactions, compacting, history = spoken, progress }: More = {}): Given {
  return {
    settings: { compaction: settings === null ? null : { ...SETTINGS, ...settings } },
    transcript: Transcript.of([...history, user("u1")]),
    progress: {
      turnAt: history.length,
      ...(compactions && { compactions: { ...COMPACTIONS, ...compactions } }),
      ...(compacting && { compacting: { ...COMPACTING, ...compacting } }),
      ...progress,
    },
  };
}

/** A context with a result that is worth clearing. */
export const clearable = (more: More = {}): Given =>
  full({
    ...more,
    history: [...spoken, ...looked],
    settings: { window: 510, reserve: 60, ...more.settings },
  });
/** A context in which a summary is being made. */
export const summing = (more: More = {}): Given => full({ compacting: {}, ...more });
/** A context with a prompt that the model has refused. */
export const refused = (more: More = {}): Given => ({ ...full(more), failure: TOO_LONG });
export const OVERFLOW = { overflow: TOO_LONG, isForced: true } as const;

const long = (words: string) =>
  ({
    draft: { message: message("a1", "assistant", [text(words)]), finishReason: "stop" },
  }) as const;
const silent = { request: { finishReason: "length" } } as const;

/** The guards of compaction. */
export const COMPACTION_GUARDS: GuardTable = {
  mustCompact: {
    holds: [
      ["the prompt is near the window", full()],
      ["the model has refused the prompt", full({ settings: { window: null }, compactions: OVERFLOW })],
      ["the caller asks for it", full({ settings: { window: null }, compactions: { asked: {} } })],
      ["an earlier step of the turn has failed", full({ compactions: { failures: 1, failedIn: "1:7" } })],
      ["the steps of another turn have failed", full({ compactions: { failures: 2, failedIn: "0:0" } })],
    ],
    fails: [
      ["there is room", full({ settings: { window: 400 } })],
      ["the window is unknown", full({ settings: { window: null } })],
      ["it is switched off", full({ settings: null })],
      ["it waits to be asked", full({ settings: { auto: false } })],
      ["it has failed in this step", full({ compactions: { failures: 1, failedIn: "1:0" } })],
      ["it has failed too often in this turn", full({ compactions: { failures: 2, failedIn: "1:7" } })],
      ["nothing can be left out", full({ settings: { window: 31 }, history: [] })],
    ],
  },
  overflowed: {
    holds: [
      ["the model has refused the prompt", refused()],
      ["the window is unknown", refused({ settings: { window: null } })],
      [
        "the model returns nothing and the prompt fills the window",
        { ...full({ settings: { window: 100 } }), ...silent },
      ],
    ],
    fails: [
      ["the model has failed otherwise", { ...full(), failure: DOWN }],
      ["the prompt was made shorter already", refused({ compactions: { isForced: true } })],
      ["it is switched off", refused({ settings: null })],
      ["it waits to be asked", refused({ settings: { auto: false } })],
      ["nothing can be left out", refused({ history: [] })],
      ["the model returns nothing and there is room", { ...full({ settings: { window: 900 } }), ...silent }],
    ],
  },
  clearingSuffices: {
    holds: [["a result frees enough", clearable()]],
    fails: [
      ["there is no result", full()],
      ["the caller asks for a summary", clearable({ compactions: { asked: {} } })],
      ["results are not cleared", clearable({ settings: { clear: null } })],
      ["too little is freed", clearable({ settings: { clear: { protect: 10, minimum: 400 } } })],
      ["the prompt must become smaller still", clearable({ compactions: OVERFLOW })],
      [
        "the prompt was refused, and the window is unknown",
        clearable({ compactions: OVERFLOW, settings: { window: null, target: 400 } }),
      ],
    ],
  },
  hasNothingToGain: {
    holds: [
      ["there is one message", full({ history: [] })],
      ["summaries are not to be made", full({ settings: { summarise: "never" } })],
    ],
    fails: [
      ["older messages can be summed up", full()],
      [
        "the caller asks for a summary",
        full({ settings: { summarise: "never" }, compactions: { asked: {} } }),
      ],
    ],
  },
  isUsefulSummary: {
    holds: [["it is shorter than the messages", { ...summing(), draft: draft() }]],
    fails: [
      ["it is longer than the messages", { ...summing(), ...long("long ".repeat(100)) }],
      ["it is empty", { ...summing(), ...long("") }],
      ["there is none", summing()],
      ["the model has failed", { ...summing(), draft: draft(), failure: DOWN }],
    ],
  },
  asksNoModel: {
    holds: [
      ["a hook has given a summary", { ...summing(), draft: draft() }],
      ["a hook wants none", summing({ compacting: { isUnwanted: true } })],
    ],
    fails: [["no hook has said anything", summing()]],
  },
  mayAskSeparately: {
    holds: [
      ["the model has said nothing of use", summing()],
      ["the prompt is too long for it", { ...summing(), failure: TOO_LONG }],
      ["the request was refused", { ...summing(), failure: { ...TOO_LONG, code: "model/bad-request" } }],
      ["a filter refused it", { ...summing(), failure: { ...TOO_LONG, code: "model/content-filter" } }],
    ],
    fails: [
      ["it was asked so", summing({ compacting: { isSeparate: true } })],
      ["the model has failed otherwise", { ...summing(), failure: DOWN }],
    ],
  },
  mayHalve: {
    holds: [
      [
        "half of it can be summed up",
        { ...summing({ compacting: { isSeparate: true, share: 1 } }), failure: TOO_LONG },
      ],
    ],
    fails: [
      ["the model has failed otherwise", { ...summing(), failure: DOWN }],
      ["it was halved often", { ...summing({ compacting: { share: 1 / 8 } }), failure: TOO_LONG }],
      ["it is one message", { ...summing({ compacting: { to: 1 } }), failure: TOO_LONG }],
    ],
  },
  summarisesMore: {
    holds: [["the caller has asked, and a part is summed up", full({ compactions: { asked: {} } })]],
    fails: [["the prompt is near the window", full()]],
  },
  neverCompacts: { holds: [["it is switched off", full({ settings: null })]], fails: [["it is on", full()]] },
};
