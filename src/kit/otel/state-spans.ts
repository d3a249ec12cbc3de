import { ROOT_CONTEXT, type Attributes, type Context } from "@opentelemetry/api";
import type { ChartStep } from "../../agent/steps.ts";
import type { AgentContext } from "../../../machines/agent/context.ts";
import type { Metrics } from "./metrics.ts";
import { GEN_AI, OWN } from "./names.ts";
import { fail, type OpenSpan } from "./observed.ts";
import type { OtelOptions } from "./options.ts";

type Parts = {
  start(title: string, attributes: Attributes, parent: Context): OpenSpan | undefined;
  turn(): OpenSpan | undefined;
  readonly states: NonNullable<OtelOptions["states"]>;
  readonly metrics: Metrics | undefined;
  readonly edges: boolean;
  readonly common: Attributes;
};

/** The first part of a path of states. */
function topOf(state: string): string {
  const dot = state.indexOf(".");
  return dot < 0 ? state : state.slice(0, dot);
}
/** The name of a state as events have it. */
const nameOf = (path: string): string => path.replace(/\.running$/, "");
/** The state that an edge leaves; an edge has the id "agent.from|event|number". */
const sourceOf = (edge: string): string => nameOf(edge.split("|", 1)[0]!.replace(/^agent\./, ""));
/** The event of an edge, without what a model has named. */
const eventOf = (edge: string): string => edge.split("|")[1] ?? "";

// By edge and by the state that it led to: a chart has few of both, and a turn takes the same ones again and again.
const transitions = new Map<string, Map<string, Attributes>>();

function transitionOf(edge: string, state: string): Attributes {
  let byState = transitions.get(edge);
  if (!byState) transitions.set(edge, (byState = new Map()));
  let made = byState.get(state);
  if (!made) {
    made = { [OWN.from]: sourceOf(edge), [OWN.to]: nameOf(state), [OWN.event]: eventOf(edge) };
    byState.set(state, Object.freeze(made));
  }
  return made;
}

/** The transitions of the chart as span events, spans and metrics, and the compactions of the prompt. */
export class StateSpans {
  readonly #parts: Parts;
  #path = "";
  #since = performance.now();
  #state: OpenSpan | undefined;
  #suspendedFor: string | undefined;
  #compacting: AgentContext["progress"]["compacting"];
  #compactions: AgentContext["progress"]["compactions"];
  #compaction: OpenSpan | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The context of what runs now: of the compaction, the state, or the turn. */
  get inside(): Context | undefined {
    return (this.#compaction ?? this.#state ?? this.#parts.turn())?.inside;
  }

  get isCompacting(): boolean {
    return this.#compaction !== undefined;
  }

  /** Takes note of a step of which nothing is recorded. */
  skip({ state, context: { progress } }: Pick<ChartStep, "state" | "context">): void {
    this.#path = state;
    this.#compacting = progress.compacting;
    this.#compactions = progress.compactions;
  }

  follow(step: ChartStep): void {
    const { event, state, edges, context } = step;
    const { states, metrics, edges: countsEdges } = this.#parts;
    const from = this.#path;
    const isLoaded = event.type === "session.load";
    if (countsEdges) for (const edge of edges) metrics?.edges.add(1, { [OWN.edge]: edge });
    const [edge] = edges;
    if (states === "events" && edge !== undefined && !isLoaded) {
      const turn = this.#parts.turn();
      if (turn?.span.isRecording()) turn.span.addEvent(OWN.transition, transitionOf(edge, state));
    }
    const followsStates = metrics !== undefined || states === "spans";
    if (followsStates && (topOf(from) !== topOf(state) || isLoaded)) this.#enter(state, context, isLoaded);
    this.#path = state;
    this.#compact(context);
  }

  #enter(state: string, { outcome }: AgentContext, isLoaded: boolean): void {
    const { metrics, states, common, start, turn } = this.#parts;
    const now = performance.now();
    const agent = { [GEN_AI.agent]: String(common[GEN_AI.agent]) };
    if (this.#path !== "" && !isLoaded)
      metrics?.state.record((now - this.#since) / 1_000, { ...agent, [OWN.state]: topOf(this.#path) });
    this.#since = now;
    if (this.#suspendedFor !== undefined && !isLoaded)
      metrics?.suspended.add(-1, { ...agent, [OWN.waitsFor]: this.#suspendedFor });
    const isSuspended = topOf(state) === "suspended";
    this.#suspendedFor = isSuspended ? (outcome?.reason ?? "unknown") : undefined;
    if (this.#suspendedFor !== undefined && !isLoaded)
      metrics?.suspended.add(1, { ...agent, [OWN.waitsFor]: this.#suspendedFor });
    if (states !== "spans") return;
    this.#state?.span.end();
    const parent = turn()?.inside;
    const isAtRest = isSuspended || topOf(state) === "stopped";
    const attributes = { [OWN.state]: topOf(state) };
    this.#state = parent && !isAtRest ? start(`state ${topOf(state)}`, attributes, parent) : undefined;
  }

  /** Begins and ends the span of a compaction; one that only clears results begins and ends at once. */
  #compact({ progress }: AgentContext): void {
    const { compacting, compactions } = progress;
    const last = compactions?.last;
    const hasEnded = last !== undefined && last !== this.#compactions?.last;
    const was = this.#compacting;
    this.#compacting = compacting;
    this.#compactions = compactions;
    const begun =
      compacting && !was ? compacting : hasEnded && !was && last.did !== "nothing" ? last : undefined;
    if (begun) {
      const attributes = {
        [OWN.cause]: begun.cause,
        [OWN.tokensBefore]: begun.tokensBefore,
      };
      this.#compaction = this.#parts.start(OWN.compaction, attributes, this.inside ?? ROOT_CONTEXT);
    }
    if (hasEnded && (was || begun)) {
      this.#parts.metrics?.compactions.add(1, { [OWN.cause]: last.cause, [OWN.did]: last.did });
      this.#compaction?.span.setAttributes({ [OWN.did]: last.did, [OWN.tokensAfter]: last.tokensAfter });
      if (last.error && this.#compaction) fail(this.#compaction.span, last.error.code);
    }
    if (!compacting) this.#endCompaction();
  }

  #endCompaction(): void {
    this.#compaction?.span.end();
    this.#compaction = undefined;
  }

  /** The turn is at rest. */
  endTurn(): void {
    this.#endCompaction();
    this.#state?.span.end();
    this.#state = undefined;
  }
}
