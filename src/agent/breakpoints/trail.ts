import { agentResolver } from "../../../machines/agent/agent-chart.ts";
import type { Guard, Node, Transition } from "../../../machines/chart/nodes.ts";
import type { StepAccount } from "../../../machines/agent/step-account.ts";
import type { AgentContext } from "../../../machines/agent/context.ts";
import type { PassedEdge } from "../../core/tool/breakpoints.ts";

type AnyNode = Node<AgentContext>;
type AnyTransition = Transition<AgentContext>;
type Judged = PassedEdge["guards"][number];

/** An edge of the agent's chart, as breakpoints see it. */
type Edge = Pick<PassedEdge, "left" | "entered" | "on" | "guards"> & {
  /** The path of the state in which the session is then, if it enters one. */
  readonly leaf: string | undefined;
};

/** A step of a session: the ids of the edges that it took, and what came of it. */
export type TrailStep = {
  readonly edges: readonly string[];
  readonly at: number;
  readonly account?: StepAccount | undefined;
  readonly seq?: number;
  /** True if it wrote the breakpoints: the steps before do not count. */
  readonly clears?: boolean;
};

const LIMITS = "reasoning.checkingLimits";
const CHECK = "reasoning.checkingBreakpoints";
/** A session whose breakpoints hold no request does not check them. Its step is read as the two that it would be. */
const UNCHECKED = "hasBreakpoints";

const REVIEWED = "agent.acting.reviewing|xstate.done.actor.reviewCalls|0";

/** A session without breakpoints does not review calls that it allows whatever they are. Its step is read as the two that it would be. */
const UNREVIEWED = "allowsAll";

/** The states from which a session goes on that was suspended before a call. */
const BACK_FROM = ["acting.reviewing", "acting.authorizing", "acting.deciding"];
const BACK_IN = ["reasoning", "summarizing", "acting.executing"];

const HOOKS_OF: { readonly [state: string]: string } = {
  reasoning: "Reasoning",
  acting: "Acting",
  summarizing: "Summary",
  compacting: "Compact",
};

let known: ReadonlyMap<string, Edge> | undefined;

/** Returns the edges of the agent's chart by their ids. */
export function edges(): ReadonlyMap<string, Edge> {
  if (known) return known;
  const all = new Map<string, Edge>();
  for (const node of agentResolver.nodes.values()) {
    for (const [on, transitions] of node.on) add(all, node, on, transitions, []);
    add(all, node, "", node.decide, []);
  }
  return (known = all);
}

function add(
  all: Map<string, Edge>,
  node: AnyNode,
  on: string,
  transitions: readonly AnyTransition[],
  before: readonly Judged[],
): void {
  const judged = [...before];
  for (const { guard, choose, edge, route } of transitions) {
    const guards = guard ? [...judged, { names: namesOf(guard), is: true }] : [...judged];
    if (choose.length > 0) add(all, node, on, choose, guards);
    else {
      const entered = (route?.entered ?? []).map(({ path }) => path);
      all.set(edge, { left: pathsOf(node), entered, on, guards, leaf: route?.leaf.path });
    }
    if (guard) judged.push({ names: namesOf(guard), is: false });
  }
}

function namesOf({ name, params }: Guard<AgentContext>): readonly string[] {
  return params ? [name, `${name}(${Object.values(params).join(", ")})`] : [name];
}

function pathsOf(node: AnyNode): readonly string[] {
  const paths: string[] = [];
  for (let each: AnyNode | undefined = node; each?.parent; each = each.parent) paths.push(each.path);
  return paths;
}

/** Returns the hook point of a state that runs hooks, such as `acting.preHooks`. */
function pointOf([path = ""]: readonly string[]): string {
  const keys = path.split(".").filter((key) => key !== "running" && key !== "aborting");
  const last = keys.at(-1) ?? "";
  return last.replace("Hooks", HOOKS_OF[keys.at(-2) ?? ""] ?? "");
}

/** The changes that hooks made in a step. */
function deedsOf(account: StepAccount | undefined, left: readonly string[]): PassedEdge["hooks"] {
  if (!account) return [];
  const { hooks = [], stop, stoppedBy, goto, gotoBy } = account;
  const point = pointOf(left);
  const deed = (by: string | undefined, changed: readonly string[]) => ({
    names: [by ?? "", ...(by?.split(", ") ?? [])],
    point,
    changed,
  });
  return [
    ...hooks.map(({ hook, deny, parts = [] }) => deed(hook, deny === undefined ? parts : ["deny"])),
    ...(stop ? [deed(stoppedBy, ["stop"])] : []),
    ...(goto ? [deed(gotoBy, ["goto"])] : []),
  ];
}

/**
 * The edges that a session has taken since it rested last, or since its breakpoints were written. The way back from a suspension does not
 * count, so that a session which a breakpoint has stopped goes on as one that was not stopped. Stored and live sessions are read alike.
 */
export class Trail {
  #passed: PassedEdge[] = [];
  readonly #forgotten = new WeakSet<PassedEdge>();
  /** The place from which the session was suspended, while it goes back there. */
  #returnsTo: "call" | "request" | undefined;

  get passed(): readonly PassedEdge[] {
    return this.#passed;
  }

  /** True if a breakpoint has held the next request already. */
  get isReleased(): boolean {
    return this.#returnsTo === "request";
  }

  /** Takes a step. `onReview` is called where its calls get their permission, and `onRequest` before a request, with the edges before. */
  push({ edges: ids, at, account, seq, clears }: TrailStep, { onReview, onRequest }: TrailPlaces = {}): void {
    if (clears) this.clear();
    const place = { at, ...(seq !== undefined && { seq }) };
    for (const [index, id] of ids.flatMap(asHeld).entries()) {
      const edge = edges().get(id);
      if (!edge) continue;
      const { leaf, ...fields } = edge;
      const [from = ""] = edge.left;
      if (id === REVIEWED) onReview?.([...this.#passed]);
      if (from === CHECK && edge.on.startsWith("xstate.done.")) {
        if (!this.isReleased) onRequest?.([...this.#passed]);
        else this.#returnsTo = undefined;
        if (leaf?.startsWith("suspended.")) this.#returnsTo = "request";
      } else if (this.#returnsTo === "call" && isBack(edge)) this.#returnsTo = undefined;
      const hooks = index === 0 ? deedsOf(account, edge.left) : [];
      if (this.#returnsTo === undefined) this.#passed.push({ ...fields, hooks, ...place });
      if (leaf !== "stopped.idle" && leaf !== "suspended.waiting") continue;
      this.clear();
      this.#returnsTo = leaf === "stopped.idle" ? undefined : (this.#returnsTo ?? "call");
    }
  }

  /** The session rests, or its breakpoints were written. */
  clear(): void {
    this.#passed = [];
  }

  /** The session would have rested behind these edges. */
  forget(passed: readonly PassedEdge[]): void {
    for (const edge of passed) this.#forgotten.add(edge);
    this.#passed = this.present(this.#passed);
  }

  /** Returns those of some edges that were not forgotten since. */
  present(passed: readonly PassedEdge[]): PassedEdge[] {
    return passed.filter((edge) => !this.#forgotten.has(edge));
  }
}

/** The functions that are called with the edges before a call is judged, and before a request. */
type TrailPlaces = {
  readonly onReview?: (passed: readonly PassedEdge[]) => void;
  readonly onRequest?: (passed: readonly PassedEdge[]) => void;
};

function isBack({ left: [from = ""], entered }: Edge): boolean {
  return BACK_FROM.includes(from) || entered.some((path) => BACK_IN.includes(path));
}

/** Returns an edge of a session without breakpoints as those that one with breakpoints takes. */
function asHeld(id: string): readonly string[] {
  const kept = held.get(id) ?? asReviewed(id).flatMap(asChecked);
  held.set(id, kept);
  return kept;
}
const held = new Map<string, readonly string[]>();

/** Returns an edge that gives calls their permission unreviewed as those that lead through the review, and others as they are. */
function asReviewed(id: string): readonly string[] {
  const edge = edges().get(id);
  const last = edge?.guards.at(-1);
  if (!edge || last?.is !== true || !last.names.includes(UNREVIEWED)) return [id];
  const toReview = [...edges()].find(
    ([, { left, leaf }]) => left[0] === edge.left[0] && leaf === "acting.reviewing",
  );
  return toReview ? [toReview[0], REVIEWED] : [id];
}

/** Returns an edge to a request whose breakpoints were not checked as those that lead through the check, and others as they are. */
function asChecked(id: string): readonly string[] {
  const edge = edges().get(id);
  if (!edge || edge.left[0] !== LIMITS) return [id];
  const judged = edge.guards.findIndex(({ names, is }) => !is && names.includes(UNCHECKED));
  if (judged < 0) return [id];
  const behind = namesText(edge.guards.slice(judged + 1));
  const all = [...edges()];
  const [toCheck] = all.find(([, { left, leaf }]) => left[0] === LIMITS && leaf === CHECK) ?? [];
  const [on] =
    all.find(
      ([, { left, leaf, guards }]) =>
        left[0] === CHECK && leaf === edge.leaf && namesText(guards.slice(1)) === behind,
    ) ?? [];
  return toCheck !== undefined && on !== undefined ? [toCheck, on] : [id];
}

const namesText = (guards: Edge["guards"]): string =>
  guards.map(({ names, is }) => `${names.at(-1)} ${is}`).join();
