import type { AgentEvent } from "agentchart";

/** One stay in a top-level state: its name and the sub-states that were passed. */
type Visit = { readonly state: string; readonly inner: readonly string[] };

/** An XState inspection event, as far as it is read here. */
type InspectionLike = {
  readonly type: string;
  readonly rootId?: string;
  readonly actorRef?: { readonly sessionId?: string };
  readonly snapshot?: unknown;
};

/** A state value as one word: `{ reasoning: { calling: "running" } }` is "reasoning.calling.running". */
function stateName(value: unknown): string {
  if (typeof value === "string") return value;
  return Object.entries(value as Record<string, unknown>)
    .map(([key, inner]) => [key, stateName(inner)].filter((part) => part !== "").join("."))
    .join("|");
}

/** Records which states an agent's chart passes through. From inspection it learns every one, also those that were left
 *  in the same step; from events only those that something was waited for in. */
export class ChartPath {
  readonly #microsteps: string[] = [];
  readonly #states: string[] = [];

  /** For `createAgent({ inspect })`. */
  readonly inspect = (event: InspectionLike): void => {
    if (event.type !== "@xstate.microstep" || event.actorRef?.sessionId !== event.rootId) return;
    const value = (event.snapshot as { readonly value?: unknown } | undefined)?.value;
    if (value !== undefined) append(this.#microsteps, stateName(value));
  };

  /** For the events of the turn. */
  readonly observe = (event: AgentEvent): void => {
    if (event.type === "state") append(this.#states, event.value);
  };

  /** The states in order, none twice in a row. */
  get states(): readonly string[] {
    return this.#microsteps.length > 0 ? this.#microsteps : this.#states;
  }
}

function append(states: string[], state: string): void {
  if (states.at(-1) !== state) states.push(state);
}

function visitsOf(states: readonly string[]): Visit[] {
  const visits: { state: string; inner: string[] }[] = [];
  for (const name of states) {
    const [state = "", ...rest] = name.split(".");
    const inner = rest.filter((part) => part !== "running").join(".");
    const last = visits.at(-1);
    if (last?.state !== state) visits.push({ state, inner: inner === "" ? [] : [inner] });
    else if (inner !== "" && last.inner.at(-1) !== inner) last.inner.push(inner);
  }
  return visits;
}

type Run = { readonly times: number; readonly visits: readonly Visit[] };

/** Puts neighbours that repeat, one or two visits long, into one run. */
function foldRuns(visits: readonly Visit[]): Run[] {
  const same = (a: number, b: number, length: number): boolean =>
    JSON.stringify(visits.slice(a, a + length)) === JSON.stringify(visits.slice(b, b + length));
  const runs: Run[] = [];
  for (let at = 0; at < visits.length;) {
    const repeats = [1, 2].map((length) => {
      let times = 1;
      while (at + (times + 1) * length <= visits.length && same(at, at + times * length, length)) times++;
      return { length, times };
    });
    const { length, times } = repeats.find((repeat) => repeat.times > 1) ?? { length: 1, times: 1 };
    runs.push({ times, visits: visits.slice(at, at + length) });
    at += length * times;
  }
  return runs;
}

/** The path as lines: a state, then the sub-states it passed; what repeats is printed once, with its count. */
export function pathLines(states: readonly string[]): string[] {
  return foldRuns(visitsOf(states)).flatMap(({ times, visits }) =>
    visits.map(({ state, inner }, index) => {
      const often = times > 1 && index === 0 ? `${times} ×` : "";
      return `${often.padStart(4)} ${state.padEnd(12)} ${inner.join(" → ")}`.trimEnd();
    }),
  );
}
