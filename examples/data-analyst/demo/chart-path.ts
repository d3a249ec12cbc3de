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

/** Records which states an agent's chart passes through, also those that were left in the same step; none twice in a row. */
export class ChartPath {
  readonly states: string[] = [];

  /** For `createAgent({ inspect })`. */
  readonly inspect = (event: InspectionLike): void => {
    if (event.type !== "@xstate.microstep" || event.actorRef?.sessionId !== event.rootId) return;
    const value = (event.snapshot as { readonly value?: unknown } | undefined)?.value;
    const state = value === undefined ? undefined : stateName(value);
    if (state !== undefined && state !== this.states.at(-1)) this.states.push(state);
  };
}

/** The path as lines: a top-level state, then the sub-states it passed; two neighbours that repeat are printed once, with their count. */
export function pathLines(states: readonly string[]): string[] {
  const visits: { state: string; inner: string[] }[] = [];
  for (const name of states) {
    const [state = "", ...rest] = name.split(".");
    const inner = rest.filter((part) => part !== "running").join(".");
    const last = visits.at(-1);
    if (last?.state !== state) visits.push({ state, inner: inner === "" ? [] : [inner] });
    else if (inner !== "" && last.inner.at(-1) !== inner) last.inner.push(inner);
  }
  const lines = visits.map(({ state, inner }) => `${state.padEnd(12)} ${inner.join(" → ")}`.trimEnd());
  const isPair = (at: number, like: number): boolean =>
    at + 1 < lines.length && lines[at] === lines[like] && lines[at + 1] === lines[like + 1];
  const shown: string[] = [];
  for (let at = 0; at < lines.length;) {
    let times = 1;
    while (isPair(at + 2 * times, at)) times++;
    shown.push(`${times > 1 ? `${times} ×`.padStart(4) : "    "} ${lines[at]}`);
    if (times > 1) shown.push(`     ${lines[at + 1]}`);
    at += times > 1 ? 2 * times : 1;
  }
  return shown;
}
