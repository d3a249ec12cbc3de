import { BREAKPOINTS } from "../../core/tool/stored-slots.ts";
import type { SessionStore } from "../../store/port.ts";
import type { SessionEntry } from "../../session/entry.ts";
import { readEntries } from "../../session/read-entry.ts";
import { partsOfSteps } from "../../session/step-parts.ts";
import { agentChart } from "../../../machines/agent/known-chart.ts";
import { Trail, type TrailStep } from "./trail.ts";

type PositionEntry = Extract<SessionEntry, { readonly type: "position" }>;

/** One append: its entries by the steps that made them. Those of the first part were before its steps, or its steps are not known. */
type Append = {
  readonly position: PositionEntry;
  readonly parts: readonly { readonly step?: TrailStep; readonly entries: readonly SessionEntry[] }[];
};

/** Reads the steps of a session out of its journal. */
export class TrailReader {
  readonly trail = new Trail();
  /** The chart of the process that wrote the entries. */
  #writtenWith: string | undefined;
  #append: SessionEntry[] = [];

  /** `writtenWith`: the chart of the process that wrote the first entry, if it is not the first of the session. */
  constructor(writtenWith?: string) {
    this.#writtenWith = writtenWith;
  }

  /** Takes the next entry, and returns the append that it ends. */
  push(entry: SessionEntry): Append | undefined {
    this.#append.push(entry);
    if (entry.type !== "position" || entry.data.state === undefined) return undefined;
    const { chart, steps = [] } = entry.data;
    const entries = this.#append.splice(0);
    this.#writtenWith = chart ?? this.#writtenWith;
    const known = agentChart();
    const parts = this.#writtenWith === known.hash ? partsOfSteps(entries, steps) : undefined;
    if (!parts) return { position: entry, parts: [{ entries }] };
    const stepOf = (index: number): TrailStep => {
      const { x, at = entry.at, did } = steps[index]!;
      const edges = x.flatMap((number) => known.chart.edges[number]?.id ?? []);
      return { edges, at, seq: entry.seq, account: did };
    };
    return {
      position: entry,
      parts: parts.map((part, index) => ({ ...(index > 0 && { step: stepOf(index - 1) }), entries: part })),
    };
  }

  /** Reads an entry of an append, behind the step that made it. */
  read({ type, data }: SessionEntry): void {
    if (type === "slot" && data.name === BREAKPOINTS) this.trail.clear();
  }

  follow(entry: SessionEntry): void {
    for (const { step, entries } of this.push(entry)?.parts ?? []) {
      if (step) this.trail.push(step);
      for (const each of entries) this.read(each);
    }
  }
}

/** The number of entries that are read at once, from the newest back. */
const PAGE = 100;

/** The place from which the newest turn of a session is read. */
export type TurnBegin = { readonly after: number; readonly writtenWith: string | undefined };

/**
 * Returns where the newest turn begins, behind the last entry with which the session rested between two turns. What is before it is not
 * read, whatever its length, unless another process began the turn: then the chart of that one is looked for. To be asked by the
 * process that drives the session, when all that it has to write is written.
 */
export async function beginOfTurn(store: SessionStore, sessionId: string): Promise<TurnBegin> {
  const { seq = 0 } = (await store.load(sessionId)) ?? {};
  let after: number | undefined;
  /** The turn has an append that names its chart, and one before that does not. */
  let [isNamed, isBefore] = [false, false];
  for (let to = seq; to > 0; to -= PAGE) {
    const page: SessionEntry[] = [];
    const from = Math.max(0, to - PAGE);
    for await (const entry of readEntries(store, sessionId, { after: from, limit: to - from }))
      page.push(entry);
    for (const { type, data, seq: at } of page.toReversed()) {
      if (type !== "position") continue;
      const { chart, state } = data;
      if (after === undefined && state !== "stopped.idle") {
        isBefore = chart === undefined && isNamed;
        isNamed ||= chart !== undefined;
        continue;
      }
      after ??= at;
      if (!isNamed) return { after, writtenWith: agentChart().hash };
      if (!isBefore || chart !== undefined) return { after, writtenWith: chart };
    }
  }
  return { after: after ?? 0, writtenWith: undefined };
}
