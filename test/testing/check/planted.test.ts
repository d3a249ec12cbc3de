// Planted bypasses are found.
import { anyOf, approvedBy, atMost, before, inTurn, never, within, type Rule } from "agentchart/rules";
import { agentTool } from "agentchart/team";
import { scriptedModel } from "agentchart/testing";
import { describe, expect, test } from "vitest";
import type { CallRecord } from "../../../machines/agent/call-record.ts";
import type { AgentContext, Change } from "../../../machines/agent/context.ts";
import type { RuleEngine } from "../../../machines/agent/rule-engine.ts";
import type { RuleState } from "../../../src/core/tool/rules/law.ts";
import { ruleEngine } from "../../../src/kit/rules/engine.ts";
import { agentUnderCheck } from "../../../src/testing/check/agent-under-check.ts";
import { walkRule } from "../../../src/testing/check/walk-rule.ts";
import { worldFor, type Extent } from "../../../src/testing/check/worlds.ts";
import { deskOf, listening, tool } from "./desk.ts";

const NONE: ReadonlySet<CallRecord> = new Set();
const EXTENT: Extent = { turns: 1, iterations: 2, batch: 2, disturbances: 1, resumptions: 2 };
const SHORT: Extent = { ...EXTENT, iterations: 1 };

/** What the rules remember, changed by a fault. */
const forgetting = (fault: (state: RuleState, context: AgentContext) => RuleState): Partial<RuleEngine> => ({
  remembering(context, change, event): Change {
    const next = ruleEngine.remembering(context, change, event);
    const { progress } = next;
    if (!progress?.rules) return next;
    const rules = Object.fromEntries(
      Object.entries(progress.rules).map(([name, state]) => [name, fault(state, context)]),
    );
    return { ...next, progress: { ...progress, rules } };
  },
});

/** What the rules know of a call that was reviewed, changed by a fault. */
const reviewing = (fault: (record: CallRecord) => CallRecord): Partial<RuleEngine> => ({
  reviewed: (record, verdict, next) => fault(ruleEngine.reviewed(record, verdict, next)),
});

const withSettings = (
  context: AgentContext,
  change: (rule: NonNullable<AgentContext["settings"]["rules"]>[number]) => object,
): AgentContext => ({
  ...context,
  settings: {
    ...context.settings,
    rules: context.settings.rules!.map((rule) => ({ ...rule, ...change(rule) })),
  },
});

/** Judging with other rules than those of the agent. */
const judging = (change: Parameters<typeof withSettings>[1]): Partial<RuleEngine> => {
  const as = (context: AgentContext): AgentContext => withSettings(context, change);
  return {
    mayStart: (context, record, starting) => ruleEngine.mayStart(as(context), record, starting),
    breaksRules: (context) => ruleEngine.breaksRules(as(context)),
    isHeld: (context) => ruleEngine.isHeld(as(context)),
  };
};

type Fault = {
  readonly rule: Rule;
  readonly engine: Partial<RuleEngine>;
  readonly extent?: Extent;
};

const FAULTS: readonly (readonly [string, Fault])[] = (
  [
    [
      "a guard that lets all start",
      before("verify", "refund"),
      { mayStart: () => true, breaksRules: () => false },
    ],
    [
      "a guard that does not look at the calls that start beside",
      atMost(1, "refund"),
      { mayStart: (context, record) => ruleEngine.mayStart(context, record, NONE) },
    ],
    [
      "a guard that judges each call as if it were alone",
      atMost(1, "refund"),
      {
        mayStart: (context, record) => ruleEngine.mayStart({ ...context, calls: [record] }, record, NONE),
      },
    ],
    ["results that are not remembered", atMost(1, "refund"), { remembering: (_, change) => change }],
    [
      "a limit that forgets what it has used",
      atMost(1, "refund"),
      forgetting(({ used: _, ...state }) => state),
    ],
    [
      "a rule that forgets what it has seen",
      never("refund").after("verify"),
      forgetting(({ seen: _, ...state }) => state),
    ],
    [
      "a call that may have taken effect, and is not remembered",
      atMost(1, "refund"),
      {
        remembering(context, change, event) {
          const { output } = (event ?? {}) as {
            readonly output?: { readonly result?: { readonly state: string } };
          };
          return output?.result?.state === "success"
            ? ruleEngine.remembering(context, change, event)
            : change;
        },
      },
    ],
    [
      "a failure that counts as a success",
      before("verify", "refund"),
      {
        remembering(context, change, event) {
          const next = ruleEngine.remembering(context, change, event);
          const { output } = (event ?? {}) as {
            readonly output?: { readonly result?: { readonly state: string } };
          };
          if (output?.result?.state !== "error") return next;
          const progress = next.progress ?? context.progress;
          const rules = Object.entries(ruleEngine.statesOf({ ...context, progress }));
          const seen = { "": context.at };
          return {
            ...next,
            progress: {
              ...progress,
              rules: Object.fromEntries(rules.map(([name, state]) => [name, { ...state, seen }])),
            },
          };
        },
      },
    ],
    [
      "an approval by anybody",
      approvedBy("ana", "refund"),
      reviewing((record) =>
        record.rules?.approver === undefined
          ? record
          : { ...record, rules: { ...record.rules, approver: "ana" } },
      ),
      SHORT,
    ],
    [
      "an approval of all calls",
      approvedBy("ana", "refund"),
      reviewing((record) => ({
        ...record,
        rules: { ...record.rules, approver: "ana" },
      })),
      SHORT,
    ],
    [
      "a waiver of which nobody was told",
      before("verify", "refund", { onBreak: "ask" }),
      reviewing((record) => ({
        ...record,
        rules: { ...record.rules, waived: ["refund after verify"] },
      })),
      SHORT,
    ],
    [
      "all calls read as if they were about one subject",
      before("verify", "refund", { per: "customer" }),
      reviewing((record) => {
        const letters = Object.fromEntries(
          Object.entries(record.rules?.letters ?? {}).map(([name, letter]) => [
            name,
            { ...letter, key: "a" },
          ]),
        );
        return { ...record, rules: { ...record.rules, letters } };
      }),
      { ...EXTENT, disturbances: 0 },
    ],
    [
      "a window that never ends",
      within("1h", before("verify", "refund")),
      judging(({ law }) => {
        const { within: _, ...rest } = law as { readonly within?: number };
        return { law: rest };
      }),
      { turns: 2, iterations: 1, batch: 1, disturbances: 1, resumptions: 2 },
    ],
    [
      "a turn that is taken for the session",
      inTurn(before("verify", "refund")),
      judging(() => ({ scope: "session" })),
      { turns: 2, iterations: 1, batch: 1, disturbances: 0, resumptions: 2 },
    ],
    [
      "one of two rules of which none holds",
      anyOf([before("verify", "refund"), atMost(0, "refund")]),
      { mayStart: () => true, breaksRules: () => false },
      SHORT,
    ],
  ] as readonly (readonly [string, Rule, Partial<RuleEngine>, Extent?])[]
).map(([name, rule, engine, extent]) => [name, { rule, engine, ...(extent && { extent }) }]);

/** The calls as if none had an agent inside. */
const withoutAgents = (context: AgentContext): AgentContext => ({
  ...context,
  calls: context.calls.map((record) => {
    const { isInner: _, ...rules } = record.rules ?? {};
    return { ...record, rules };
  }),
});

const sameIn = (context: AgentContext, other: AgentContext, record: CallRecord): CallRecord =>
  other.calls[context.calls.indexOf(record)]!;

const INSIDE: readonly (readonly [string, Partial<RuleEngine>])[] = [
  [
    "what an agent inside of a call has done is not heard",
    { remembering: (context, change) => ruleEngine.remembering(context, change, undefined) },
  ],
  [
    "an agent inside of a call that runs beside what the rules are about",
    {
      mayStart: (context, record, starting) => {
        const other = withoutAgents(context);
        const begun = new Set([...starting].map((each) => sameIn(context, other, each)));
        return ruleEngine.mayStart(other, sameIn(context, other, record), begun);
      },
    },
  ],
  [
    "an agent inside of a call that is cut off, and forgotten",
    {
      reviewed: (record, verdict, next) => {
        const { rules, ...rest } = ruleEngine.reviewed(record, verdict, next);
        const { isInner: _, ...kept } = rules ?? {};
        return { ...rest, rules: kept };
      },
    },
  ],
];

describe("a bypass through an agent inside of a call is found", () => {
  test.each(INSIDE)("%s", (_, engine) => {
    const inner = { name: "clerk", model: scriptedModel([]), tools: [tool("refund")] };
    const ask = agentTool({ name: "ask_clerk", description: "asks", agent: inner } as never);
    const rule = atMost(1, "refund");
    const config = deskOf([], { tools: [tool("verify"), tool("refund"), ask] as never, rules: [rule] });
    const extent: Extent = { turns: 1, iterations: 2, batch: 2, disturbances: 1, resumptions: 1 };
    const ruled = worldFor(agentUnderCheck(config as never), rule, extent);
    const walked = walkRule(ruled, extent, { engine: { ...ruleEngine, ...engine } });
    expect(walked.bypass?.message).toMatch(/begins to run, but c\d+\.\d+\/[1?]/u);
    expect(walked.bypass!.path.some((label) => label.includes("ask_clerk"))).toBe(true);
  });
});

describe("a planted bypass is found", () => {
  test.each(FAULTS)("%s", (_, { rule, engine, extent = { ...EXTENT, disturbances: 0 } }) => {
    const config = deskOf(["verify", "refund", "look"], {
      rules: [rule],
      hooks: [listening("postActing")] as never,
    });
    const ruled = worldFor(agentUnderCheck(config as never), rule, extent);
    const walked = walkRule(ruled, extent, { engine: { ...ruleEngine, ...engine } });
    expect(walked.bypass?.message).toContain("begins to run, but");
    expect(walked.bypass!.path.length).toBeGreaterThan(1);
  });
});
