import { agentResolver } from "../../../machines/agent/agent-chart.ts";
import type { AgentContext } from "../../../machines/agent/context.ts";
import type { Resolver } from "../../../machines/chart/resolve.ts";
import { EdgeCoverage } from "./edges.ts";
import { problemsOf, type Problem } from "./invariants.ts";
import { keyOf } from "./key.ts";
import { NOTHING_RAN } from "./check-rules.ts";
import { NOTHING, remember, type Memory } from "./memory.ts";
import type { Move, Scene } from "./move.ts";
import { serviceMoves, timerMoves } from "./outcomes.ts";
import { outsideMoves } from "./outside.ts";
import { leafOf, PureChart, servicesOf, type AgentSnapshot, type ChartEvent, type Step } from "./pure.ts";
import { isRefusal, type Transition } from "./transition.ts";
import { restoredFrom } from "./restore.ts";
import { OutcomeTable } from "./state-table.ts";
import { contextOf, type Bounds, type World } from "./worlds.ts";

/** A broken invariant with the shortest path to it. */
export type Violation = Problem & { readonly world: string; readonly path: readonly string[] };

export type Findings = {
  readonly states: number;
  readonly transitions: number;
  readonly leaves: ReadonlySet<string>;
  readonly edges: EdgeCoverage;
  readonly table: OutcomeTable;
  readonly violations: readonly Violation[];
};

export type ExploreOptions = {
  /** Default: the agent's chart. */
  readonly resolver?: Resolver<AgentContext>;
  /** Is called before each event. */
  readonly onEvent?: (snapshot: AgentSnapshot, event: ChartEvent) => void;
  /** Stop at the first violation of a world instead of collecting one of each kind. */
  readonly stopAtFirst?: boolean;
  readonly onProgress?: (world: string, states: number, transitions: number, waiting: number) => void;
};

/** A state that has been reached, and how: `parent` and `label` make the path. */
type Reached = { readonly parent: number; readonly label: string };
type Open = {
  readonly id: number;
  readonly key: string;
  readonly snapshot: AgentSnapshot;
  readonly memory: Memory;
  readonly step: number;
  readonly calls: number;
  readonly disturbances: number;
};

/** True for the same problem with other calls and messages. */
export function isSameKind(a: Problem, b: Problem): boolean {
  const kind = ({ rule, message }: Problem): string =>
    `${rule} ${message.replaceAll(/nobody|(tool\.)?[a-z]*:?\d+(\.\d+)?|[,\s]+/g, "")}`;
  return kind(a) === kind(b);
}

/** The state a step leads to, and the error of a call that it rejects. */
function outcomeOf(before: AgentSnapshot, after: AgentSnapshot): string {
  const { failure, progress } = after.context;
  const isRejected = failure !== null && progress.settled > before.context.progress.settled;
  return isRejected ? `${leafOf(after.value)} ${failure.code}` : leafOf(after.value);
}

/** Walks one world breadth first, so that the first path to a problem is a shortest one. */
class Walk {
  readonly violations: Violation[] = [];
  transitions = 0;
  readonly #world: World;
  readonly #bounds: Bounds;
  readonly #chart: PureChart;
  readonly #findings: Pick<Findings, "edges" | "table"> & { readonly leaves: Set<string> };
  readonly #reached: Reached[] = [];
  readonly #ids = new Map<string, number>();
  /** Abstract states in which everything from outside has been tried. */
  readonly #tried = new Set<string>();
  /** By state: the states its services lead to; nothing if it rests. */
  readonly #onward: number[][] = [];
  #queue: Open[] = [];

  get #calls(): number {
    return this.#world.calls ?? this.#bounds.calls;
  }

  readonly #onEvent: NonNullable<ExploreOptions["onEvent"]>;

  constructor(
    { resolver = agentResolver, onEvent = () => {} }: ExploreOptions,
    world: World,
    bounds: Bounds,
    findings: Walk["findings"],
  ) {
    this.#onEvent = onEvent;
    this.#world = world;
    this.#bounds = bounds;
    this.#findings = findings;
    this.#chart = new PureChart(resolver, contextOf(world), (edge) => findings.edges.take(edge));
  }

  get findings() {
    return this.#findings;
  }

  get states(): number {
    return this.#reached.length;
  }

  run({ stopAtFirst = false, onProgress = () => {} }: ExploreOptions): void {
    const first = this.#chart.begin(contextOf(this.#world));
    this.#open(first, keyOf(first), NOTHING, { parent: -1, label: "" }, 0, 0, 0);
    for (let level = this.#queue; level.length > 0; level = this.#queue) {
      this.#queue = [];
      for (const [index, state] of level.entries()) {
        this.#expand(state);
        if (stopAtFirst && this.violations.length > 0) return;
        if (index % 2_000 === 0)
          onProgress(
            this.#world.name,
            this.states,
            this.transitions,
            level.length - index + this.#queue.length,
          );
      }
    }
    this.#findCircles();
  }

  #expand(state: Open): void {
    const { snapshot, step } = state;
    const { context } = snapshot;
    const leaf = leafOf(snapshot.value);
    this.#findings.leaves.add(leaf);
    const scene = { context, leaf, step };
    const isTried = this.#tried.has(state.key);
    this.#tried.add(state.key);
    for (const move of this.#answers(state, scene)) this.#try(state, leaf, move);
    for (const move of outsideMoves(this.#world, scene)) {
      if (!isTried || this.#leadsOn(state, move)) this.#try(state, leaf, move);
    }
  }

  #answers(state: Open, scene: Scene): readonly Move[] {
    try {
      return [
        ...serviceMoves(servicesOf(state.snapshot), this.#world, scene),
        ...timerMoves(this.#chart.timerOf(state.snapshot), scene),
      ];
    } catch (error) {
      this.#report(this.#pathTo(state.id), {
        rule: "alive",
        message: `its services cannot answer: ${String(error)}`,
      });
      return [];
    }
  }

  /** False if what this move leads to would be beyond the bounds: then it need be tried once only. */
  #leadsOn({ calls, disturbances }: Open, { kind, cost }: Move): boolean {
    if (cost === "call") return calls < this.#calls;
    return cost === "disturbance" ? disturbances < this.#bounds.disturbances : kind !== "late";
  }

  #try(state: Open, leaf: string, move: Move): void {
    this.transitions++;
    const before = state.snapshot;
    let after: Step;
    if (move.kind !== "crash") this.#onEvent(before, move.events[0]!);
    try {
      after = move.kind === "crash" ? this.#restore(before) : this.#chart.next(before, ...move.events);
    } catch (error) {
      return this.#report([...this.#pathTo(state.id), move.label], {
        rule: "I3",
        message: `it throws: ${String(error)}`,
      });
    }
    const leafAfter = leafOf(after.snapshot.value);
    const memory = remember(state.memory, move, after, leafAfter);
    const transition: Transition = { world: this.#world, before: state, move, after, memory };
    const problems = problemsOf(transition);
    for (const problem of problems) this.#report([...this.#pathTo(state.id), move.label], problem);
    const refused = isRefusal(transition);
    this.#findings.table.add(
      leaf,
      move,
      refused ? `refused ${after.refused!.code}` : outcomeOf(before, after.snapshot),
    );
    if (problems.length > 0 || refused) return;

    const key = keyOf(after);
    const isSame = key === state.key;
    const calls = state.calls + (move.cost === "call" && !isSame ? 1 : 0);
    const disturbances = state.disturbances + (move.cost === "disturbance" && !isSame ? 1 : 0);
    if (calls > this.#calls || disturbances > this.#bounds.disturbances) return;
    const id = this.#open(
      after,
      key,
      memory,
      { parent: state.id, label: move.label },
      state.step + 1,
      calls,
      disturbances,
    );
    if (move.kind === "service") this.#onward[state.id]!.push(id);
  }

  #open(
    step: Step,
    abstract: string,
    memory: Memory,
    reached: Reached,
    depth: number,
    calls: number,
    disturbances: number,
  ): number {
    const key = `${abstract} | ${memory.stops || memory.interrupted ? "stops" : ""}${memory.ran === NOTHING_RAN ? "" : `${memory.ran.isVerified} ${memory.ran.refunds.length}`} ${calls} ${disturbances}`;
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const id = this.#reached.push(reached) - 1;
    this.#ids.set(key, id);
    this.#onward.push([]);
    this.#queue.push({
      id,
      key: abstract,
      snapshot: step.snapshot,
      memory,
      step: depth,
      calls,
      disturbances,
    });
    return id;
  }

  /** The process ends; another one goes on from the snapshot, as `createAgent({ sessionOptions: { snapshot } })` does. */
  #restore(snapshot: AgentSnapshot): Step {
    const context = restoredFrom(snapshot);
    const { snapshot: begun } = this.#chart.begin({
      ...contextOf(this.#world),
      listening: context.listening,
      allowed: context.allowed,
    });
    return this.#chart.next(begun, { type: "session.load", context });
  }

  #pathTo(id: number): string[] {
    const path: string[] = [];
    for (let at = id; at > 0; at = this.#reached[at]!.parent) path.unshift(this.#reached[at]!.label);
    return path;
  }

  #report(path: readonly string[], problem: Problem): void {
    if (this.violations.some((known) => isSameKind(known, problem))) return;
    this.violations.push({ ...problem, world: this.#world.name, path });
  }

  /** Left alone with its services, every state comes to rest: there is no way round in circles. */
  #findCircles(): void {
    const state = new Uint8Array(this.states); // 1 = on the way, 2 = done
    for (let root = 0; root < this.states; root++) {
      const stack = [root];
      while (stack.length > 0) {
        const id = stack.at(-1)!;
        if (state[id] === 0) state[id] = 1;
        const next = this.#onward[id]!.find((to) => state[to] !== 2);
        if (next === undefined) {
          state[id] = 2;
          stack.pop();
        } else if (state[next] === 1) {
          const message = "services can lead round in circles";
          this.violations.push({ rule: "settles", message, world: this.#world.name, path: this.#pathTo(id) });
          return;
        } else stack.push(next);
      }
    }
  }
}

/** Every state that is reachable within the bounds, in every world, and what is wrong there. */
export function explore(bounds: Bounds, options: ExploreOptions = {}): Findings {
  const findings = { leaves: new Set<string>(), edges: new EdgeCoverage(), table: new OutcomeTable() };
  let states = 0;
  let transitions = 0;
  const violations: Violation[] = [];
  for (const world of bounds.worlds) {
    const walk = new Walk(options, world, bounds, findings);
    walk.run(options);
    states += walk.states;
    transitions += walk.transitions;
    violations.push(
      ...walk.violations.filter((found) => !violations.some((known) => isSameKind(known, found))),
    );
    if (options.stopAtFirst && violations.length > 0) break;
  }
  return { ...findings, states, transitions, violations };
}
