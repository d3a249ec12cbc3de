import { readFileSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { agentChart, agentSlots } from "../../../machines/agent/agent.machine.ts";
import type { AgentContext } from "../../../machines/agent/context.ts";
import { applyReview, recordToolRun } from "../../../machines/agent/updates/acting.ts";
import { storeDraft } from "../../../machines/agent/updates/reasoning.ts";
import type { ReviewOutcome, ToolRunOutcome } from "../../../machines/agent/services.ts";
import type { ChartDefinition } from "../../../machines/chart/definition.ts";
import { Resolver } from "../../../machines/chart/resolve.ts";
import { machineOf } from "../../../machines/chart/xstate-5.ts";
import { explore, type Findings } from "./explore.ts";
import { unvisited, violationText } from "./report.ts";
import { stateTableMarkdown } from "./state-table.ts";
import { BOUNDS, type World } from "./worlds.ts";

const TABLE = new URL("../../../docs/state-table.md", import.meta.url);

describe("every reachable state × event, within small bounds", () => {
  let findings: Findings;
  beforeAll(() => {
    findings = explore(BOUNDS.small);
  }, 600_000);

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
        updates: { ...vocabulary.updates, ...updates },
        effects: { ...vocabulary.effects, ...effects },
      },
    };
    const machine = machineOf(new Resolver(chart), agentSlots);
    const { violations } = explore(
      { ...BOUNDS.small, worlds: worldOf(world) },
      { machine, stopAtFirst: true },
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

  it("a write from outside that was made for another revision", () => {
    expect(firstViolation(SLOT_WORLD, { guards: { isStaleWrite: () => false } })).toMatchObject({
      rule: "slots",
      path: ["slot.write for another revision"],
    });
  });

  it("a result that is thrown away", () => {
    expect(firstViolation("one at a time", { updates: { storeResults: () => ({}) } })).toBeDefined();
  });
});
