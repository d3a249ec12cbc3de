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
};

const REVIEWED = "agent.acting.reviewing|xstate.done.actor.reviewCalls|0";

/** A session without breakpoints does not review calls that it allows whatever they are. Its step is read as the two that it would be. */
const UNREVIEWED = "allowsAll";

/** The states from which a suspended session goes on. */
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
  #isReturning = false;

  get passed(): readonly PassedEdge[] {
    return this.#passed;
  }

  /** Takes a step. `onReview` is called where its calls get their permission, with the edges before. */
  push(
    { edges: ids, at, account, seq }: TrailStep,
    onReview?: (passed: readonly PassedEdge[]) => void,
  ): void {
    const place = { at, ...(seq !== undefined && { seq }) };
    for (const [index, id] of ids.flatMap(asReviewed).entries()) {
      const edge = edges().get(id);
      if (!edge) continue;
      if (id === REVIEWED) onReview?.([...this.#passed]);
      const { leaf, ...fields } = edge;
      if (this.#isReturning && isBack(edge)) this.#isReturning = false;
      const hooks = index === 0 ? deedsOf(account, edge.left) : [];
      if (!this.#isReturning) this.#passed.push({ ...fields, hooks, ...place });
      if (leaf === "stopped.idle" || leaf === "suspended.waiting") this.clear(leaf === "suspended.waiting");
    }
  }

  /** The session rests, or its breakpoints were written. */
  clear(isReturning = this.#isReturning): void {
    this.#passed = [];
    this.#isReturning = isReturning;
  }

  /** The session would have rested behind these edges. */
  forget(passed: readonly PassedEdge[]): void {
    const gone = new Set(passed);
    this.#passed = this.#passed.filter((edge) => !gone.has(edge));
  }
}

function isBack({ left: [from = ""], entered }: Edge): boolean {
  return BACK_FROM.includes(from) || entered.some((path) => BACK_IN.includes(path));
}

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
