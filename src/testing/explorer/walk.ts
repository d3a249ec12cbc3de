import { agentResolver } from "../../../machines/agent/agent-chart.ts";
import type { AgentContext } from "../../../machines/agent/context.ts";
import type { Resolver } from "../../../machines/chart/resolve.ts";
import { deskKeyOf } from "./desk-key.ts";
import { keyOf } from "./key.ts";
import type { Move, Scene } from "./move.ts";
import { serviceMoves, timerMoves } from "./outcomes.ts";
import { outsideMoves } from "./outside.ts";
import { leafOf, PureChart, servicesOf, type AgentSnapshot, type ChartEvent, type Step } from "./pure.ts";
import { restored } from "./restore.ts";
import { isRefusal, type Transition } from "./transition.ts";
import { contextOf, type Bounds, type World } from "./world.ts";

/** Something that a transition breaks: `rule` names what. */
export type Problem = { readonly rule: string; readonly message: string };

/** A problem with a shortest path to it. */
export type Violation = Problem & { readonly world: string; readonly path: readonly string[] };

/** The observer of a walk: it remembers what happens on a path, and says what is wrong there. */
export type Watch<Memory> = {
  readonly nothing: Memory;
  remember(memory: Memory, move: Move, after: Step, leaf: string, before: AgentSnapshot): Memory;
  problems(transition: Transition<Memory>): readonly Problem[];
  /** Returns the part of the memory that makes two states differ which the chart cannot tell apart. */
  key(memory: Memory, after: Step): string;
  /** Every edge that is taken, by the id that it has in the drawing. */
  onEdge?(edge: string): void;
  /** Every state in which the walk waits. */
  onLeaf?(leaf: string): void;
  /** Every move that was tried, and what came of it. */
  onMove?(leaf: string, move: Move, outcome: string): void;
};

/** Options of a walk. */
export type WalkOptions = {
  /** Default: the agent's chart. */
  readonly resolver?: Resolver<AgentContext>;
  /** Is called before each event. */
  readonly onEvent?: (snapshot: AgentSnapshot, event: ChartEvent) => void;
  /** Stop at the first violation of a world instead of collecting one of each kind. */
  readonly stopAtFirst?: boolean;
  readonly onProgress?: (world: string, states: number, transitions: number, waiting: number) => void;
  /** Asked now and then; the walk ends before its end once it is true. */
  readonly isOver?: () => boolean;
  /** True if nothing is tried that leads beyond the bounds. Default: each such move is tried once in each state of the chart. */
  readonly isStrict?: boolean;
  /** False to merge no states; for laws about that. Default for worlds with a desk: true. Then states are one that no guard and no rule tells
   *  apart, and one that is reached with less left of the bounds is not walked again. */
  readonly isReduced?: boolean;
  /** True to let a state stand for those whose turn has only made more steps of reasoning. All that may follow on those may follow on it. Then
   *  circles are not looked for, and `longest` is 0. Default false. */
  readonly forgetsRounds?: boolean;
};

/** The bounds of a walk. `resumptions`: how often each turn goes on after it has waited; default 2. */
export type WalkBounds = Pick<Bounds, "calls" | "disturbances"> & { readonly resumptions?: number };

/** A state that has been reached, and how: `parent` and `label` make the path. */
type Reached = { readonly parent: number; readonly label: string };
type Open<Memory> = {
  readonly id: number;
  readonly key: string;
  readonly snapshot: AgentSnapshot;
  readonly memory: Memory;
  readonly step: number;
  readonly calls: number;
  readonly disturbances: number;
  readonly resumptions: number;
  readonly iteration: number;
  readonly gotos: number;
};

/** A state that is known by its key, and what of the bounds has been used up on the way to it. */
type Spent = Pick<Open<unknown>, "calls" | "disturbances" | "resumptions" | "iteration" | "gotos">;
const SPENT = ["calls", "disturbances", "resumptions", "iteration", "gotos"] as const;

/** True if all that may follow on the other state may follow on the one. */
const covers = (one: Spent, other: Spent): boolean => SPENT.every((each) => one[each] <= other[each]);
const isEqual = (one: Spent, other: Spent): boolean => SPENT.every((each) => one[each] === other[each]);

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

/** The number of states that are expanded between two looks at the clock. */
const EACH = 250;

/** Walks one world breadth first, so that the first path to a problem is a shortest one. */
export class Walk<Memory> {
  readonly violations: Violation[] = [];
  transitions = 0;
  /** False once the walk was ended before its end. */
  isWhole = true;
  readonly #world: World;
  readonly #bounds: WalkBounds;
  readonly #chart: PureChart;
  readonly #watch: Watch<Memory>;
  readonly #options: WalkOptions;
  readonly #reached: Reached[] = [];
  readonly #ids = new Map<string, (Spent & { readonly id: number })[]>();
  readonly #isReduced: boolean;
  readonly #resolver: Resolver<AgentContext>;
  /** Abstract states in which everything from outside has been tried. */
  readonly #tried = new Set<string>();
  /** By state: the states its services lead to; nothing if it rests. */
  readonly #onward: number[][] = [];
  #queue: Open<Memory>[] = [];
  #expanded = 0;

  constructor(world: World, bounds: WalkBounds, watch: Watch<Memory>, options: WalkOptions = {}) {
    this.#world = world;
    this.#bounds = bounds;
    this.#watch = watch;
    this.#options = options;
    this.#isReduced = world.desk !== undefined && options.isReduced !== false;
    this.#resolver = options.resolver ?? agentResolver;
    this.#chart = new PureChart(this.#resolver, contextOf(world), (edge) => watch.onEdge?.(edge));
  }

  get #calls(): number {
    return this.#world.calls ?? this.#bounds.calls;
  }

  /** So often a session goes on with turns that wait. */
  get #resumptions(): number {
    return (this.#bounds.resumptions ?? 2) * this.#calls;
  }

  get states(): number {
    return this.#reached.length;
  }

  /** The number of steps from the beginning to a state. */
  get depth(): number {
    return this.#queue.at(-1)?.step ?? this.#depth;
  }
  #depth = 0;

  run(): void {
    const { stopAtFirst = false } = this.#options;
    const first = this.#chart.begin(contextOf(this.#world));
    const spent = { calls: 0, disturbances: 0, resumptions: 0, iteration: 0, gotos: 0 };
    this.#open(first, this.#keyOf(first), this.#watch.nothing, { parent: -1, label: "" }, 0, spent);
    for (let level = this.#queue; level.length > 0; level = this.#queue) {
      this.#queue = [];
      for (const [index, state] of level.entries()) {
        if (this.#isOver(level.length - index)) return;
        this.#expand(state);
        if (stopAtFirst && this.violations.length > 0) return;
      }
    }
    if (!this.#options.forgetsRounds) this.#findCircles();
  }

  #isOver(open: number): boolean {
    const { isOver = () => false, onProgress } = this.#options;
    if (this.#expanded++ % EACH !== 0) return false;
    onProgress?.(this.#world.name, this.states, this.transitions, open + this.#queue.length);
    this.isWhole = !isOver();
    return !this.isWhole;
  }

  #expand(state: Open<Memory>): void {
    const { snapshot, step } = state;
    const { context } = snapshot;
    const leaf = leafOf(snapshot.value);
    this.#depth = step;
    this.#watch.onLeaf?.(leaf);
    const scene = { context, leaf, step };
    const { isStrict = false } = this.#options;
    const isTried = this.#tried.has(state.key);
    this.#tried.add(state.key);
    for (const move of this.#answers(state, scene)) this.#try(state, leaf, move);
    for (const move of outsideMoves(this.#world, scene)) {
      if (this.#isReduced && this.#isRefused(scene, move)) continue;
      if ((!isTried && !isStrict) || this.#leadsOn(state, move)) this.#try(state, leaf, move);
    }
  }

  /** True if the chart refuses what people send, which it says without a step. It is not asked where it mostly takes it. */
  #isRefused({ leaf, context }: Scene, { kind, events: [event] }: Move): boolean {
    if (kind !== "outside") return false;
    const { type, callId } = event as { readonly type: string; readonly callId?: string };
    const isOpen = context.calls.some(({ call, decided }) => call.id === callId && decided === undefined);
    if (type === "tool.decide" && leaf === "suspended.waiting" && isOpen) return false;
    return this.#resolver.refusal(leaf, context, event!) !== undefined;
  }

  #answers(state: Open<Memory>, scene: Scene): readonly Move[] {
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
  #leadsOn({ calls, disturbances, resumptions }: Open<Memory>, { kind, cost }: Move): boolean {
    if (cost === "resumption") return resumptions < this.#resumptions;
    if (cost === "call") return calls < this.#calls;
    return cost === "disturbance" ? disturbances < this.#bounds.disturbances : kind !== "late";
  }

  #try(state: Open<Memory>, leaf: string, move: Move): void {
    const { onEvent } = this.#options;
    this.transitions++;
    const before = state.snapshot;
    let after: Step;
    if (move.kind !== "crash") onEvent?.(before, move.events[0]!);
    try {
      after =
        move.kind === "crash"
          ? restored(this.#chart, this.#world, before)
          : this.#chart.next(before, ...move.events);
    } catch (error) {
      return this.#report([...this.#pathTo(state.id), move.label], {
        rule: "I3",
        message: `it throws: ${String(error)}`,
      });
    }
    const leafAfter = leafOf(after.snapshot.value);
    const memory = this.#watch.remember(state.memory, move, after, leafAfter, before);
    const transition: Transition<Memory> = { world: this.#world, before: state, move, after, memory };
    const problems = this.#watch.problems(transition);
    for (const problem of problems) this.#report([...this.#pathTo(state.id), move.label], problem);
    const refused = isRefusal(transition);
    this.#watch.onMove?.(
      leaf,
      move,
      refused ? `refused ${after.refused!.code}` : outcomeOf(before, after.snapshot),
    );
    if (problems.length > 0 || refused) return;
    this.#goOn(state, move, after, memory);
  }

  #goOn(state: Open<Memory>, move: Move, after: Step, memory: Memory): void {
    const key = this.#keyOf(after);
    const isSame = key === state.key;
    const calls = state.calls + (move.cost === "call" && !isSame ? 1 : 0);
    const disturbances = state.disturbances + (move.cost === "disturbance" && !isSame ? 1 : 0);
    const resumptions = state.resumptions + (move.cost === "resumption" && !isSame ? 1 : 0);
    if (calls > this.#calls || disturbances > this.#bounds.disturbances) return;
    if (resumptions > this.#resumptions) return;
    const reached = { parent: state.id, label: move.label };
    const { iteration, gotos } = after.snapshot.context.progress;
    const spent = { calls, disturbances, resumptions, iteration, gotos };
    const id = this.#open(after, key, memory, reached, state.step + 1, spent);
    if (move.kind === "service") this.#onward[state.id]!.push(id);
  }

  #keyOf(step: Step): string {
    return this.#isReduced ? deskKeyOf(step) : keyOf(step);
  }

  /** Returns the state; one that is known with no less left of the bounds stands for it, for the walk is breadth first. */
  #open(step: Step, abstract: string, memory: Memory, reached: Reached, depth: number, spent: Spent): number {
    const rounds = this.#options.forgetsRounds ? "" : `${spent.iteration} ${spent.gotos}`;
    const key = `${abstract} | ${rounds} ${this.#watch.key(memory, step)}`;
    const known = this.#ids.get(key) ?? [];
    const same = known.find((each) => (this.#isReduced ? covers(each, spent) : isEqual(each, spent)));
    if (same) return same.id;
    const id = this.#reached.push(reached) - 1;
    known.push({ id, ...spent });
    this.#ids.set(key, known);
    this.#onward.push([]);
    this.#queue.push({ id, key: abstract, snapshot: step.snapshot, memory, step: depth, ...spent });
    return id;
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

  /** The steps of the longest run that services make by themselves, from any state until the session rests. */
  get longest(): number {
    if (this.#options.forgetsRounds) return 0;
    const length = new Int32Array(this.states).fill(-1);
    for (let root = this.states - 1; root >= 0; root--) {
      const stack = [root];
      while (stack.length > 0) {
        const id = stack.at(-1)!;
        const next = this.#onward[id]!.filter((to) => to !== id);
        const open = next.find((to) => length[to] === -1);
        if (open !== undefined && !stack.includes(open)) stack.push(open);
        else {
          length[id] = next.reduce((most, to) => Math.max(most, length[to]! + 1), 0);
          stack.pop();
        }
      }
    }
    return length.reduce((most, each) => Math.max(most, each), 0);
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
