// Every reachable state and event of the chart, within bounds, keeps the invariants; planted bugs are found.
import { readFileSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { agentChart } from "../../../machines/agent/agent-chart.ts";
import type { AgentContext, Change } from "../../../machines/agent/context.ts";
import type { CallRecord } from "../../../machines/agent/call-record.ts";
import { changeCalls, declaring, replaceFrom } from "../../../machines/agent/facts.ts";
import type { Json } from "../../../src/core/base/json.ts";
import { revisionOf } from "../../../src/core/tool/stored-slots.ts";
import { recordToolRun, startCalls } from "../../../machines/agent/updates/acting.ts";
import { applyReview, rerunSuspended } from "../../../machines/agent/updates/reviewing.ts";
import { toolResultsOf } from "../../../src/core/message/msg.ts";
import * as compaction from "../../../machines/agent/updates/compaction.ts";
import { withSpent } from "../../../machines/agent/updates/record.ts";
import { beginAttempt, storeDraft } from "../../../machines/agent/updates/reasoning.ts";
import type { ReviewOutcome, ToolRunOutcome } from "../../../machines/agent/services.ts";
import type { ChartDefinition } from "../../../machines/chart/definition.ts";
import { Resolver } from "../../../machines/chart/resolve.ts";
import { explore, type Findings } from "./explore.ts";
import { exploreInThreads } from "./explore-in-threads.ts";
import { unvisited, violationText } from "./report.ts";
import { stateTableMarkdown } from "./state-table.ts";
import type { World } from "../../../src/testing/explorer/world.ts";
import { BOUNDS } from "./worlds.ts";

const TABLE = new URL("../../../docs/state-table.md", import.meta.url);

describe("every reachable state × event, within small bounds", () => {
  let findings: Findings;
  beforeAll(async () => {
    findings = await exploreInThreads("small");
  }, 1_800_000);

  it("breaks no invariant", () => {
    expect(findings.violations.map(violationText)).toEqual([]);
  });

  it("takes every edge of the chart", () => {
    expect(findings.edges.untaken).toEqual([]);
  });

  it("waits in every state in which the chart can wait", () => {
    expect(unvisited(findings)).toEqual([]);
  });

  it("gives the table in docs/state-table.md", () => {
    const table = stateTableMarkdown(findings.table);
    if (process.env["UPDATE"]) writeFileSync(TABLE, table);
    expect(readFileSync(TABLE, "utf8")).toBe(table);
  });
});

describe("a planted bug is found with a shortest path", () => {
  const worldOf = (name: string): readonly World[] =>
    BOUNDS.small.worlds.filter((world) => world.name === name);

  function firstViolation(world: string, planted: Partial<ChartDefinition<AgentContext>["vocabulary"]>) {
    const { vocabulary } = agentChart;
    const { guards, updates, effects } = planted;
    const chart = {
      ...agentChart,
      vocabulary: {
        ...vocabulary,
        guards: { ...vocabulary.guards, ...guards },
        updates: { ...vocabulary.updates, ...declaring(updates ?? {}) },
        effects: { ...vocabulary.effects, ...effects },
      },
    };
    const { violations } = explore(
      { ...BOUNDS.small, worlds: worldOf(world) },
      { resolver: new Resolver(chart), stopAtFirst: true },
    );
    return violations[0];
  }

  it("an answer that is stored twice", () => {
    const storeTwice = (context: AgentContext) => {
      const change = storeDraft(context);
      const answer = change.transcript?.at(-1);
      return { ...change, ...(answer && { transcript: change.transcript!.append([answer]) }) };
    };
    expect(firstViolation("no hooks", { updates: { storeDraft: storeTwice } })).toMatchObject({
      rule: "I2",
      path: ["call(text)", "callModel: text"],
    });
  });

  it("a call that runs although it asks for approval", () => {
    expect(firstViolation("permissions", { guards: { needsApproval: () => false } })).toMatchObject({
      path: ["call(text)", "callModel: 1 call", "reviewCalls: ask"],
    });
  });

  it("a call that runs without the review that it needs", () => {
    expect(firstViolation("permissions", { guards: { allowsAll: () => true } })).toMatchObject({
      rule: "I7",
      path: ["call(text)", "callModel: 1 call"],
    });
  });

  it("a loop without its limit", () => {
    const violation = firstViolation("hooks at every point", { guards: { maxIters: () => false } });
    expect(violation).toMatchObject({ rule: "I8", message: "iteration 2" });
  });

  it("tools that go on after their state was left", () => {
    expect(firstViolation("one at a time", { effects: { stopCalls: () => [] } })).toMatchObject({
      rule: "alive",
      path: ["call(text)", "callModel: 1 call", "reviewCalls: allow", "tool 1: breaks"],
    });
  });

  const unruled = (context: AgentContext): AgentContext => {
    const { rules: _, ...settings } = context.settings;
    return { ...context, settings };
  };

  it("a call that starts although it breaks a rule", () => {
    const startAll = (context: AgentContext): Change => startCalls(unruled(context));
    expect(firstViolation("rules", { updates: { startCalls: startAll } })).toMatchObject({
      rule: "rules",
      message: expect.stringContaining("refunds before anybody is verified"),
    });
  });

  it("a result that the rules do not remember", () => {
    const remembering = agentChart.vocabulary.updates["recordToolRun"]!;
    const forget = (context: AgentContext, event: never): Change => {
      const { output } = event as { readonly output: ToolRunOutcome };
      if (output.result?.name === "refund") return recordToolRun(context, output);
      return remembering(context, event, undefined as never);
    };
    expect(firstViolation("rules", { updates: { recordToolRun: forget } })).toMatchObject({
      rule: "rules",
      message: expect.stringContaining("did, or may have"),
    });
  });

  const SLOT_WORLD = "a slot that tools, hooks and people write";

  it("a result that is recorded without what its call wrote into a slot", () => {
    const recordOnly = (context: AgentContext, { output }: { readonly output: ToolRunOutcome }) => {
      const { slots: _, ...change } = recordToolRun(context, output);
      return change;
    };
    expect(firstViolation(SLOT_WORLD, { updates: { recordToolRun: recordOnly } })).toMatchObject({
      rule: "slots",
      message: expect.stringMatching(/^the slot has the value/) as string,
    });
  });

  it("calls that write one slot at the same time", () => {
    const reviewOnly = (context: AgentContext, { output }: { readonly output: ReviewOutcome }) => ({
      ...applyReview(context, {
        ...output,
        verdicts: output.verdicts.map(({ writes: _, ...verdict }) => verdict),
      }),
    });
    expect(firstViolation(SLOT_WORLD, { updates: { applyReview: reviewOnly } })).toMatchObject({
      rule: "slots",
      message: "2 calls that write the slot are running",
    });
  });

  it("a write that its update does not declare", () => {
    const writeInSilence = (
      { slots }: AgentContext,
      { at, name, value }: { readonly at: number; readonly name: string; readonly value: Json },
    ) => ({
      at,
      slots: { ...slots, [name]: { value, version: 1, revision: revisionOf(slots, name) + 1 } },
    });
    expect(firstViolation(SLOT_WORLD, { updates: { writeSlot: writeInSilence } })).toMatchObject({
      rule: "facts",
      path: ["slot.write"],
      message: expect.stringMatching(/^its facts make of `slots` \{\} instead of/) as string,
    });
  });

  it("a write from outside that was made for another revision", () => {
    expect(firstViolation(SLOT_WORLD, { guards: { isStaleWrite: () => false } })).toMatchObject({
      rule: "slots",
      path: ["slot.write for another revision"],
    });
  });

  const ASKING_WORLD = "a tool that asks twice";

  it("a call that goes on without its answers", () => {
    expect(firstViolation(ASKING_WORLD, { guards: { refusesInput: () => false } })).toMatchObject({
      rule: "asks",
      message: "tool.tool.1 goes on in round 1 without an answer to a",
    });
  });

  it("an answer that is used for two questions, because they have the same id", () => {
    const recordTwice = (context: AgentContext, { output }: { readonly output: ToolRunOutcome }) => {
      const change = recordToolRun(context, output);
      const answered = new Map(
        context.calls.flatMap(({ resume }) => resume?.asks ?? []).map((each) => [each.ask.id, each]),
      );
      const answer = (record: CallRecord): CallRecord => {
        if (!record.resume) return record;
        const asks = record.resume.asks.map((each) => answered.get(each.ask.id) ?? each);
        return { ...record, resume: { ...record.resume, asks } };
      };
      return { ...change, ...changeCalls({ ...context, ...change }, answer) };
    };
    expect(firstViolation(ASKING_WORLD, { updates: { recordToolRun: recordTwice } })).toMatchObject({
      rule: "asks",
      message: "tool.tool.1 goes on in round 2 without an answer to a",
    });
  });

  it("a question that is answered, and asked again", () => {
    const askAgain = (context: AgentContext) => {
      const change = rerunSuspended(context);
      const calls = change.calls?.map((record) => {
        const { resume } = record;
        return resume
          ? { ...record, resume: { ...resume, asks: resume.asks.map(({ ask }) => ({ ask })) } }
          : record;
      });
      return { ...change, ...(calls && { calls }) };
    };
    expect(firstViolation(ASKING_WORLD, { updates: { rerunSuspended: askAgain } })).toMatchObject({
      rule: "I5",
      message: "call c1.1 has lost something of round 1",
    });
  });

  const INNER_WORLD = "a tool that waits for inner approvals";

  it("what an agent inside of a call has used, counted whenever the call waits", () => {
    const countEachTime = (context: AgentContext, { output }: { readonly output: ToolRunOutcome }) => {
      const change = recordToolRun(context, output);
      if (!output.suspension || !output.spent) return change;
      return { ...change, progress: withSpent(context.progress, output.spent) };
    };
    expect(firstViolation(INNER_WORLD, { updates: { recordToolRun: countEachTime } })).toMatchObject({
      rule: "I8",
      message: "2 model calls are counted for 1",
    });
  });

  it("a call inside of another one that gets a decision which it does not take", () => {
    expect(firstViolation(INNER_WORLD, { guards: { isWrongDecision: () => false } })).toMatchObject({
      rule: "asks",
      message: 'what waits for approval takes {"respond":1}',
    });
  });

  it("an answer of another type than its question wants", () => {
    expect(firstViolation(ASKING_WORLD, { guards: { isWrongDecision: () => false } })).toMatchObject({
      rule: "asks",
    });
  });

  const { applyCompaction, giveUpCompaction, noteOverflow } = compaction;

  it("a cut between a call and its result", () => {
    const cutApart = (context: AgentContext) => {
      const change = applyCompaction(context);
      const from = context.transcript.slice().findIndex((each) => toolResultsOf(each).length > 0);
      return { ...change, view: { ...change.view!, from } };
    };
    expect(
      firstViolation("compaction by clearing results", { updates: { applyCompaction: cutApart } }),
    ).toMatchObject({ rule: "view", message: "the view begins with a result" });
  });

  it("a prompt that is made shorter twice for one failure", () => {
    const forget = (context: AgentContext) => {
      const { progress, ...change } = noteOverflow(context);
      const compactions = { ...progress!.compactions!, isForced: false };
      return { ...change, progress: { ...progress!, compactions } };
    };
    expect(firstViolation("compaction", { updates: { noteOverflow: forget } })).toMatchObject({
      rule: "view",
      message: "a prompt is made shorter twice for one failure",
    });
  });

  it("a compaction that fails and leaves messages out", () => {
    const leaveOut = (context: AgentContext) => ({
      ...giveUpCompaction(context),
      view: { from: context.transcript.length - 1, head: [], clearedTo: 0 },
    });
    expect(firstViolation("compaction", { updates: { giveUpCompaction: leaveOut } })).toMatchObject({
      rule: "view",
      message: "the view changes by a compaction that did nothing",
    });
  });

  it("a summary that hides the question", () => {
    const hide = (context: AgentContext) => {
      const change = applyCompaction(context);
      return { ...change, view: { ...change.view!, head: [] } };
    };
    expect(firstViolation("compaction", { updates: { applyCompaction: hide } })).toMatchObject({
      rule: "view",
      message: expect.stringMatching(/of the user is not shown to the model that answers it$/) as string,
    });
  });

  it("a summary that becomes a message", () => {
    const store = (context: AgentContext) => {
      const change = applyCompaction(context);
      return { ...change, transcript: context.transcript.append([change.view!.summary!]) };
    };
    expect(firstViolation("compaction", { updates: { applyCompaction: store } })).toMatchObject({
      rule: "view",
      message: expect.stringMatching(/ is stored (as a message|twice)$/) as string,
    });
  });

  it("a summary that counts as a step of the loop", () => {
    expect(firstViolation("compaction", { updates: { beginCompactionAttempt: beginAttempt } })).toMatchObject(
      { rule: "view", message: "a summary counts as a step" },
    );
  });

  it("a request that is not the beginning of the next one", () => {
    const rewrite = (context: AgentContext) => {
      const [first, ...rest] = context.transcript.slice();
      if (!first) return {};
      const now = { ...first, content: [{ type: "text", text: `It is ${context.at}.` }] } as const;
      return replaceFrom(context, 0, [now, ...rest]);
    };
    expect(
      firstViolation("compaction by clearing results", { updates: { boundView: rewrite } }),
    ).toMatchObject({
      rule: "view",
      message: "message 0 of a request is another one in the next",
    });
  });

  it("a result that is thrown away", () => {
    expect(firstViolation("one at a time", { updates: { storeResults: () => ({}) } })).toBeDefined();
  });
});
