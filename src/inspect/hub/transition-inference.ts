import type { Chart, ChartEdge, ChartNode } from "../../diagram/chart-json.ts";

type Reached = { readonly path: readonly ChartEdge[]; readonly edges: readonly ChartEdge[] };

type PathQuery = {
  readonly from: string;
  readonly to: string;
  readonly resumes: readonly ChartEdge[];
  readonly unused: string | undefined;
  /** An edge that the path must not contain. */
  readonly without: ChartEdge | undefined;
};

/** The event that resumes a session that was cut off. */
export const RESUME = "session.resume";

/**
 * Infers from the chart how a session got from one stored state to the next. A journal stores states, not the
 * transitions between them.
 *
 * G1 A session is stored where it rests, so a path does not lead through a resting state.
 * G2 A session that may have been cut off and restored may have taken one of the edges that resume it.
 * G3 An edge is reported if no path exists without it, never because it is likely.
 */
export class TransitionInference {
  readonly #nodes: ReadonlyMap<string, ChartNode>;
  readonly #edges = new Map<string, readonly ChartEdge[]>();
  readonly #restingStates = new Set<string>();
  /** False for charts with parallel or history states, which have more than one innermost state. */
  readonly #isPlain: boolean;
  readonly #cache = new Map<string, readonly string[]>();

  constructor({ nodes, edges }: Chart) {
    this.#nodes = new Map(nodes.map((node) => [node.id, node]));
    this.#isPlain = nodes.every(({ type }) => type !== "parallel" && type !== "history");
    for (const { id } of nodes.filter(({ type }) => type !== "compound")) {
      const active = this.#withAncestors(id);
      const own = edges.filter(({ source, targets }) => active.includes(source) && targets.length > 0);
      const invokes = active.some((each) => this.#nodes.get(each)!.invoke.length > 0);
      const isWorking = invokes || own.some(({ kind }) => kind === "done");
      if (!isWorking && own.every(({ kind }) => kind !== "always")) this.#restingStates.add(id);
      this.#edges.set(
        id,
        own.filter(({ event }) => event !== RESUME),
      );
    }
  }

  /**
   * Returns the edges that are part of every path between two innermost states, in order; none if no path
   * exists.
   * @param resumes - the edges by which the session may have been resumed on the way
   * @param unused - a service that was not used on the way
   */
  between(from: string, to: string, resumes: readonly ChartEdge[], unused?: string): readonly string[] {
    const key = [from, to, unused, ...resumes.map(({ id }) => id)].join(" ");
    const cached = this.#cache.get(key);
    if (cached) return cached;
    const reach = (without?: ChartEdge) => this.#shortest({ from, to, resumes, unused, without });
    const path = this.#isPlain ? reach() : undefined;
    const edges = (path ?? []).filter((taken) => !reach(taken)).map(({ id }) => id);
    this.#cache.set(key, edges);
    return edges;
  }

  #shortest({ from, to, resumes, unused, without }: PathQuery): readonly ChartEdge[] | undefined {
    const seen = new Set<string>();
    let reached: readonly Reached[] = [{ path: [], edges: [...this.#edgesFrom(from), ...resumes] }];
    while (reached.length > 0) {
      const next: Reached[] = [];
      for (const { path, edges } of reached) {
        for (const edge of edges) {
          if (edge === without) continue;
          const at = this.#innermost(edge.targets[0]!);
          const longer = [...path, edge];
          if (at === to) return longer;
          if (seen.has(at) || this.#restingStates.has(at) || this.#uses(at, unused)) continue;
          seen.add(at);
          next.push({ path: longer, edges: this.#edgesFrom(at) });
        }
      }
      reached = next;
    }
    return undefined;
  }

  /** The edges by which a state can be left without an interruption of the session. */
  #edgesFrom(id: string): readonly ChartEdge[] {
    return this.#edges.get(id) ?? [];
  }

  #uses(id: string, service: string | undefined): boolean {
    return (
      service !== undefined &&
      this.#withAncestors(id).some((each) => this.#nodes.get(each)!.invoke.includes(service))
    );
  }

  #innermost(id: string): string {
    const inner = this.#nodes.get(id)?.initial;
    return inner === undefined ? id : this.#innermost(inner);
  }

  #withAncestors(id: string): readonly string[] {
    const parent = this.#nodes.get(id)?.parent;
    return parent === undefined ? [id] : [id, ...this.#withAncestors(parent)];
  }
}
