import { text, toolUse } from "../../../../src/testing/explorer/messages.ts";
import { draft, wanting, type Given, type Row } from "../at.ts";
import { answer, failedHook, fails, hooks, INTERRUPT, says, slept } from "../events.ts";
import { clearable, full, refused, summing } from "../guards/compaction.ts";
import type { Branch } from "./branch.ts";
import type { Refused } from "./refused.ts";

const COMPACT = { type: "session.compact", at: 200 } as const;
const interruption = { interruption: { cause: "user" } } as const;
const tooLong = answer({
  delivered: false,
  error: { code: "model/context-length", message: "too long", retry: false },
});
const wrong = says(toolUse("c1"));
const separate = { compacting: { isSeparate: true } };
const asked = { compactions: { asked: {} } };
/** The refused prompt of a turn that has a fallback model, that has none, and of one at its last iteration. */
const withFallback = (given: Given): Given => ({
  ...given,
  settings: { ...given.settings, hasFallback: true },
});
const atTheLimit = (given: Given): Given => ({ ...given, progress: { ...given.progress, iteration: 3 } });

const inside = (place: string, more: object, ended: string, interrupted: string): readonly Row[] => {
  const running = `${place}.calling.running`;
  const aborting = `${place}.calling.aborting`;
  const [pre, post] = [`${place}.preHooks`, `${place}.postHooks`];
  const heard = { ...summing(more), listening: ["postCompact"] } as const;
  const drafted = { ...summing(more), draft: draft() };
  const summary = (words: string) => hooks({ compaction: { summary: words } });
  const cut = { ...summing(more), ...interruption };
  return [
    [running, "the answer of an interrupted turn", cut, says(text("in short")), interrupted],
    [
      running,
      "a failure that may be retried",
      { ...summing(more), request: { attempt: 1 } },
      fails(true),
      `${place}.backingOff`,
    ],
    [running, "a summary", summing(more), says(text("in short")), ended],
    [running, "a call in place of a summary", summing(more), wrong, running],
    [
      running,
      "a prompt that is too long for the summary",
      summing({ ...more, ...separate }),
      tooLong,
      running,
    ],
    [running, "a call once more", summing({ ...more, ...separate }), wrong, ended],
    [running, "the time is up", summing(more), slept, aborting],
    [running, "an interrupt", summing(more), INTERRUPT, aborting],
    [aborting, "another interrupt", cut, INTERRUPT, aborting],
    [aborting, "a deaf model of an interrupted turn", cut, slept, interrupted],
    [aborting, "a deaf model", { ...summing(more), request: { timedOut: true, attempt: 2 } }, slept, ended],
    [`${place}.backingOff`, "the wait is over", summing(more), slept, running],
    [pre, "hooks that change nothing", summing(more), hooks({ compaction: {} }), running],
    [pre, "a summary by a hook", summing(more), summary("in short"), ended],
    [pre, "a summary by a hook that others see", heard, summary("in short"), post],
    [pre, "an empty summary by a hook", summing(more), summary(""), ended],
    [pre, "a hook that wants none", summing(more), hooks({ compaction: { isUnwanted: true } }), ended],
    [pre, "a hook that fails", summing(more), failedHook, "stopped.idle"],
    [pre, "an interrupt", summing(more), INTERRUPT, "stopped.idle"],
    [running, "a summary that hooks see", heard, says(text("in short")), post],
    [post, "hooks that change nothing", drafted, hooks({ summary: "answer" }), ended],
    [post, "hooks that leave nothing of it", drafted, hooks({ summary: "" }), ended],
  ];
};

/** The prompt is made shorter. */
export const COMPACTION: readonly Row[] = [
  [
    "reasoning.calling.running",
    "a prompt that is too long",
    full(),
    tooLong,
    "reasoning.compacting.calling.running",
  ],
  [
    "summarizing.calling.running",
    "a prompt that is too long",
    full(),
    tooLong,
    "reasoning.compacting.calling.running",
  ],
  ["stopped.idle", "a compaction", full(), COMPACT, "stopped.compacting.calling.running"],
  ...inside("reasoning.compacting", {}, "reasoning.calling.running", "stopped.idle"),
  ...inside("stopped.compacting", asked, "stopped.idle", "stopped.idle"),
  ["stopped.compacting.backingOff", "an interrupt", summing(asked), INTERRUPT, "stopped.idle"],
];

export const COMPACTION_REFUSED: readonly Refused[] = [
  ["reasoning.calling.running", "a compaction while a turn runs", full(), COMPACT, "run/busy"],
  ["stopped.idle", "a compaction that is switched off", {}, COMPACT, "config/invalid"],
  ["stopped.unfinished", "a compaction in the middle of a turn", full(), COMPACT, "run/pending"],
  ["suspended.waiting", "a compaction in the middle of a turn", full(), COMPACT, "run/pending"],
];

/** The decisions of compaction, and those that lead to it. */
export const COMPACTION_DECISIONS: { readonly [decision: string]: readonly Branch[] } = {
  "reasoning.compacting.planning": [
    ["old results free enough", clearable(), "reasoning.checkingLimits", "clearResults"],
    [
      "hooks want to see what is summed up",
      { ...full(), listening: ["preCompact"] },
      "reasoning.compacting.preHooks",
      "beginCompaction",
    ],
    ["older messages can be summed up", full(), "reasoning.compacting.calling", "beginCompaction"],
  ],
  "stopped.compacting.planning": [
    [
      "there is nothing to leave out",
      full({ history: [] }),
      "stopped.compacting.leaving",
      "giveUpCompaction",
    ],
    [
      "hooks want to see what is summed up",
      { ...full(), listening: ["preCompact"] },
      "stopped.compacting.preHooks",
      "beginCompaction",
    ],
    ["older messages can be summed up", full(), "stopped.compacting.calling", "beginCompaction"],
  ],
  "reasoning.compacting.leaving": [
    ["a fallback model may take the prompt", withFallback(refused()), "reasoning.checkingLimits", "fallBack"],
    ["the refused prompt is that of the summary", atTheLimit(refused()), "stopped.settling", "storeSummary"],
    [
      "the refused prompt is that of the summary, and an output is missing",
      { ...atTheLimit(refused()), ...wanting({}) },
      "stopped.failing",
      "storeSummary",
      "failOutput",
    ],
    ["the model has refused the prompt", refused(), "stopped.failing"],
    ["the prompt may fit all the same", full(), "reasoning.checkingLimits"],
  ],
  "stopped.compacting.leaving": [
    ["only a part is summed up", full(asked), "stopped.compacting.planning"],
    ["no turn is open", {}, "stopped.idle"],
  ],
};
