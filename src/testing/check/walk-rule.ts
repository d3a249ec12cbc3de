import { useRuleEngine, type RuleEngine } from "../../../machines/agent/rule-engine.ts";
import type { AgentContext } from "../../../machines/agent/context.ts";
import type { Resolver } from "../../../machines/chart/resolve.ts";
import { matchesName } from "../../core/tool/name-pattern.ts";
import { ruleEngine } from "../../kit/rules/engine.ts";
import { seenOf } from "../explorer/desk-outcomes.ts";
import { leafOf, type Step } from "../explorer/pure.ts";
import { comesToRest, type Transition } from "../explorer/transition.ts";
import { Walk, type Problem, type Watch } from "../explorer/walk.ts";
import { ledgerKey, NOTHING, remembered, wholeLedgerKey, type Ledger } from "./memory.ts";
import type { Extent, RuleWorld } from "./worlds.ts";

/** The findings of a walk for one rule, as data. */
export type Walked = {
  readonly states: number;
  readonly transitions: number;
  readonly seconds: number;
  /** The steps of the longest run that services make by themselves; 0 if runs were not measured. */
  readonly longest: number;
  /** False if the time was over before the walk was. */
  readonly isWhole: boolean;
  /** The labels of the moves of a shortest bypass, and what it breaks. */
  readonly bypass?: { readonly message: string; readonly path: readonly string[] };
  /** The number of situations: what the rule and the chart can tell apart of the calls. */
  readonly situations: number;
  /** The edges of the chart that were taken, the states in which it waited, and the tools that ran. */
  readonly edges: readonly string[];
  readonly leaves: readonly string[];
  readonly ran: readonly string[];
};

/** Options of a walk for one rule. `measuresRuns`: true to find the longest run, for which more states are told apart. */
export type WalkRuleOptions = {
  /** Default: the agent's chart. */
  readonly resolver?: Resolver<AgentContext>;
  /** Default: what enforces the rules of agents. */
  readonly engine?: RuleEngine;
  readonly isOver?: () => boolean;
  /** False to tell all states apart, for laws about what merges them; default true. */
  readonly isReduced?: boolean;
  readonly measuresRuns?: boolean;
  readonly onProgress?: (states: number, transitions: number) => void;
};

/** The results that a gate may read, if there is one. */
function gateKey({ snapshot: { context } }: Step, { world }: RuleWorld): string {
  if (!world.gate) return "";
  const { results } = seenOf(context, { call: { type: "tool_use", id: "", name: "", input: {} } });
  return results.map(({ tool, state }) => `${tool}:${state}`).join();
}

/** A turn that ends by an answer of the model, without a success that was demanded. */
function endProblem(ruled: RuleWorld, transition: Transition<Ledger>): readonly Problem[] {
  const { endsOnlyAfter } = ruled;
  const { snapshot } = transition.after;
  const { outcome, progress } = snapshot.context;
  if (endsOnlyAfter === undefined || !comesToRest(transition)) return [];
  if (leafOf(snapshot.value) !== "stopped.idle" || outcome?.reason !== "MODEL_STOP") return [];
  const isThere = transition.memory.runs.some(
    ({ name, is, turn }) => is === "success" && turn === progress.turn && matchesName(endsOnlyAfter, name),
  );
  if (isThere) return [];
  return [{ rule: ruled.rule.name, message: `the turn ends, but ${endsOnlyAfter} has not succeeded in it` }];
}

/** Walks all that can happen to a rule within an extent, breadth first: what it finds is a shortest bypass. */
export function walkRule(ruled: RuleWorld, extent: Extent, options: WalkRuleOptions = {}): Walked {
  useRuleEngine(options.engine ?? ruleEngine);
  const { world, rule, inside } = ruled;
  const { isReduced = true, measuresRuns = false } = options;
  const begun = performance.now();
  const rules = [rule];
  const [situations, edges, leaves, ran] = [
    new Set<string>(),
    new Set<string>(),
    new Set<string>(),
    new Set<string>(),
  ];
  const watch: Watch<Ledger> = {
    nothing: NOTHING,
    remember: (ledger, move, after, _, before) => remembered(ledger, move, after, before, rules, inside),
    problems: (transition) => {
      const { broken, began } = transition.memory;
      for (const { name } of began) ran.add(name);
      return [...broken, ...endProblem(ruled, transition)];
    },
    key: (ledger, after) => {
      const key = `${(isReduced ? ledgerKey : wholeLedgerKey)(ledger, after, rules)} ${gateKey(after, ruled)}`;
      situations.add(`${after.snapshot.context.calls.map(({ status }) => status).join()} ${key}`);
      if (ruled.endsOnlyAfter === undefined) return key;
      const { turn } = after.snapshot.context.progress;
      const has = ledger.runs.some(
        (run) => run.is === "success" && run.turn === turn && matchesName(ruled.endsOnlyAfter!, run.name),
      );
      return `${key} ${has}`;
    },
    onEdge: (edge) => void edges.add(edge),
    onLeaf: (leaf) => void leaves.add(leaf),
  };
  const { resolver, isOver, onProgress } = options;
  const { turns: calls, disturbances, resumptions } = extent;
  const bounds = { calls, disturbances, resumptions };
  const walk = new Walk(world, bounds, watch, {
    stopAtFirst: true,
    isStrict: true,
    isReduced,
    forgetsRounds: isReduced && !measuresRuns,
    ...(resolver && { resolver }),
    ...(isOver && { isOver }),
    ...(onProgress && { onProgress: (_, states, transitions) => onProgress(states, transitions) }),
  });
  walk.run();
  const [first] = walk.violations;
  return {
    states: walk.states,
    transitions: walk.transitions,
    seconds: (performance.now() - begun) / 1_000,
    longest: walk.longest,
    isWhole: walk.isWhole,
    ...(first && { bypass: { message: first.message, path: first.path } }),
    situations: situations.size,
    edges: [...edges],
    leaves: [...leaves],
    ran: [...ran],
  };
}
