import type { RunRow } from "../wire/types.ts";
import { parentOf } from "./inner-runs.ts";
import type { Work } from "./work.ts";

/** A lane of the waterfall: a turn, a request with its attempts, hooks, a call with its attempts, a wait, or a sub-agent. */
export type Lane = {
  readonly key: string;
  readonly kind: Work["kind"] | "agent";
  readonly name: string;
  readonly detail: string;
  /** 0 for a turn, 1 for what is in it, 2 for a sub-agent in a call. */
  readonly depth: number;
  /** Its attempts, oldest first; empty for a sub-agent. */
  readonly works: readonly Work[];
  /** The minor work of a turn: permissions and storage. */
  readonly minor: readonly Work[];
  /** The run of a sub-agent. */
  readonly run?: RunRow;
};

/** The lanes of what took time, in the order in which it began. The attempts of a call are one lane, as are those of a request. */
export function lanesOf(
  works: readonly Work[],
  inner: ReadonlyMap<string, readonly RunRow[]>,
): readonly Lane[] {
  const lanes: (Omit<Lane, "works" | "minor"> & { works: Work[]; minor: Work[] })[] = [];
  const calls = new Map<string, (typeof lanes)[number]>();
  let turn: (typeof lanes)[number] | undefined;
  let previous: Work | undefined;
  for (const work of works) {
    const { kind, callId } = work;
    if (kind === "rest") continue;
    if (kind === "review" || kind === "store") {
      (turn ?? lanes.at(-1))?.minor.push(work);
      continue;
    }
    const known = callId === undefined ? undefined : calls.get(callId);
    const isRetry = kind === "model" && previous?.kind === "model" && previous.state === "failed";
    previous = work;
    if (known) known.works.push(work);
    else if (isRetry) lanes.findLast((lane) => lane.kind === "model")!.works.push(work);
    else {
      const lane = {
        key: String(work.id),
        kind,
        name: nameOf(work),
        detail: work.input ?? "",
        depth: kind === "turn" ? 0 : 1,
        works: [work],
        minor: [],
      };
      lanes.push(lane);
      if (kind === "turn") turn = lane;
      if (callId === undefined) continue;
      calls.set(callId, lane);
      for (const run of inner.get(callId) ?? [])
        lanes.push({
          key: `run ${run.runId}`,
          kind: "agent",
          name: run.agent,
          detail: run.title ?? "",
          depth: 2,
          works: [],
          minor: [],
          run,
        });
    }
  }
  return lanes;
}

function nameOf({ kind, name }: Work): string {
  if (kind === "hooks") return `hooks · ${name}`;
  if (kind === "wait") return `waits for ${name}`;
  return name;
}

/** The known runs inside of the calls of a run, by call. */
export function runsInside(
  rows: ReadonlyMap<string, RunRow>,
  runId: string | null,
): ReadonlyMap<string, readonly RunRow[]> {
  const inside = [...rows.values()].filter((row) => runId !== null && parentOf(row)?.runId === runId);
  return Map.groupBy(
    inside.toSorted((a, b) => a.startedAt - b.startedAt),
    (row) => parentOf(row)!.callId,
  );
}

/** Returns the duration of a lane, from its first attempt to the end of its last; undefined while it lasts. */
export function laneTime({ works }: Lane): number | undefined {
  const [first] = works;
  const end = works.at(-1)?.end;
  return first === undefined || end === undefined ? undefined : end - first.begin;
}
