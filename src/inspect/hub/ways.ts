import type { Chart, ChartEdge, ChartNode } from "../../diagram/chart-json.ts";

type Reached = { readonly way: readonly ChartEdge[]; readonly edges: readonly ChartEdge[] };

type Wanted = {
  readonly from: string;
  readonly to: string;
  readonly resumes: readonly ChartEdge[];
  readonly unused: string | undefined;
  /** An edge not to take. */
  readonly without: ChartEdge | undefined;
};

/** The event by which a session goes on that was cut off. */
export const RESUME = "session.resume";

/**
 * What a chart says about how a session went from one stored state to the next. A journal knows where it stood, not what it
 * went through.
 *
 * G1 Where it rests it is stored, so a way does not lead through a state of rest.
 * G2 If it may have been cut off and restored, it may have gone on by one of the edges that resume it.
 * G3 An edge is named if there is no way without it; never because it is likely.
 */
export class Ways {
  readonly #nodes: ReadonlyMap<string, ChartNode>;
  readonly #edges = new Map<string, readonly ChartEdge[]>();
  readonly #rests = new Set<string>();
  /** Parallel and remembered states would need more than one state at a time. */
  readonly #isPlain: boolean;
  readonly #known = new Map<string, readonly string[]>();

  constructor({ nodes, edges }: Chart) {
    this.#nodes = new Map(nodes.map((node) => [node.id, node]));
    this.#isPlain = nodes.every(({ type }) => type !== "parallel" && type !== "history");
    for (const { id } of nodes.filter(({ type }) => type !== "compound")) {
      const active = this.#withAncestors(id);
      const own = edges.filter(({ source, targets }) => active.includes(source) && targets.length > 0);
      const invokes = active.some((each) => this.#nodes.get(each)!.invoke.length > 0);
      const isWorking = invokes || own.some(({ kind }) => kind === "done");
      if (!isWorking && own.every(({ kind }) => kind !== "always")) this.#rests.add(id);
      this.#edges.set(
        id,
        own.filter(({ event }) => event !== RESUME),
      );
    }
  }

  /** The edges that every way between two innermost states takes, in their order; none if there is no way.
   *  @param resumes - the edges by which it may have been resumed on the way
   *  @param unused - a service that was not used on the way */
  between(from: string, to: string, resumes: readonly ChartEdge[], unused?: string): readonly string[] {
    const key = [from, to, unused, ...resumes.map(({ id }) => id)].join(" ");
    const known = this.#known.get(key);
    if (known) return known;
    const reach = (without?: ChartEdge) => this.#shortest({ from, to, resumes, unused, without });
    const way = this.#isPlain ? reach() : undefined;
    const edges = (way ?? []).filter((taken) => !reach(taken)).map(({ id }) => id);
    this.#known.set(key, edges);
    return edges;
  }

  #shortest({ from, to, resumes, unused, without }: Wanted): readonly ChartEdge[] | undefined {
    const seen = new Set<string>();
    let reached: readonly Reached[] = [{ way: [], edges: [...this.#edgesFrom(from), ...resumes] }];
    while (reached.length > 0) {
      const next: Reached[] = [];
      for (const { way, edges } of reached) {
        for (const edge of edges) {
          if (edge === without) continue;
          const at = this.#innermost(edge.targets[0]!);
          const longer = [...way, edge];
          if (at === to) return longer;
          if (seen.has(at) || this.#rests.has(at) || this.#uses(at, unused)) continue;
          seen.add(at);
          next.push({ way: longer, edges: this.#edgesFrom(at) });
        }
      }
      reached = next;
    }
    return undefined;
  }

  /** Those by which a state may be left while nothing cuts the session off. */
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
