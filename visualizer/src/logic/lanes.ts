import type { RunRow } from "../wire/types.ts";
import { parentOf } from "./inner-runs.ts";
import { hooksText } from "./step-title.ts";
import type { Work } from "./work.ts";
import { t } from "../words/t.ts";

/** A lane of the waterfall: a turn, a request with its attempts, hooks, a call with its attempts, a wait, or a sub-agent. */
export type Lane = {
  readonly key: string;
  readonly kind: Work["kind"] | "agent";
  readonly name: string;
  readonly detail: string;
  /** 0 for a turn, 1 for what is in it, 2 for a sub-agent in a call, more for what is inside of that. */
  readonly depth: number;
  /** Its attempts, oldest first; empty for a sub-agent. */
  readonly works: readonly Work[];
  /** The minor work of a turn: permissions and storage. */
  readonly minor: readonly Work[];
  /** The run of a sub-agent. */
  readonly run?: RunRow;
  /** The run that a lane inside of a sub-agent belongs to; undefined for a lane of the run itself. */
  readonly of?: string;
};

/** The work of a run inside of a call, as far as it is known. */
export type InnerWork = {
  readonly works: readonly Work[];
  /** The time that is added to its times for those of the run that it is shown in, ms. */
  readonly shift: number;
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
        detail: plain(work.input ?? ""),
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
  return lanes.map(withDifference(lanes));
}

/** Calls of a tool whose arguments begin alike by this many letters show what comes after them. */
const LEAST_ALIKE = 16;

/** Returns a function that leaves out of a call's arguments what those of all calls of its tool begin with: there is room for a few letters. */
function withDifference(lanes: readonly Lane[]): (lane: Lane) => Lane {
  const calls = Map.groupBy(
    lanes.filter(({ kind }) => kind === "tool"),
    ({ name }) => name,
  );
  const alike = new Map([...calls].map(([name, all]) => [name, alikeIn(all.map(({ detail }) => detail))]));
  return (lane) => {
    const at = lane.kind === "tool" ? alike.get(lane.name)! : 0;
    return at < LEAST_ALIKE ? lane : { ...lane, detail: `… ${lane.detail.slice(at)}` };
  };
}

/** The length of the whole arguments with which all of these begin; 0 if they are all the same. */
function alikeIn([first = "", ...others]: readonly string[]): number {
  if (others.every((each) => each === first)) return 0;
  let at = 0;
  while (others.every((each) => at < first.length && each[at] === first[at])) at++;
  return first.lastIndexOf(", ", at - 1) + 2;
}

/** Returns all runs inside of calls of a run, and inside of theirs, the outer ones first. */
export function runsBelow(rows: ReadonlyMap<string, RunRow>, runId: string | null): readonly RunRow[] {
  const found: RunRow[] = [];
  const known = new Set([runId]);
  let level = [...runsInside(rows, runId).values()].flat();
  while (level.length > 0) {
    const fresh = level.filter((row) => !known.has(row.runId)); // rows of a file may name each other
    for (const row of fresh) known.add(row.runId);
    found.push(...fresh);
    level = fresh.flatMap((row) => [...runsInside(rows, row.runId).values()].flat());
  }
  return found;
}

/** Opens the sub-agents among lanes: what took time in each stands below it, at the times of the run that is shown, as far as it is known. */
export function openedLanes(
  lanes: readonly Lane[],
  rows: ReadonlyMap<string, RunRow>,
  known: ReadonlyMap<string, InnerWork>,
): readonly Lane[] {
  return lanes.flatMap((lane) => {
    const inner = lane.run && known.get(lane.run.runId);
    if (!lane.run || !inner) return [lane];
    const { runId } = lane.run;
    const rest = new Map([...known].filter(([id]) => id !== runId));
    const own = lanesOf(inner.works.map(shifted(inner.shift)), runsInside(rows, runId))
      .filter(({ kind }) => kind !== "turn")
      .map((each) => ({
        ...each,
        key: `${runId} ${each.key}`,
        depth: lane.depth + each.depth,
        of: runId,
      }));
    return [lane, ...openedLanes(own, rows, rest)];
  });
}

const shifted =
  (by: number) =>
  (work: Work): Work => ({
    ...work,
    begin: Math.max(0, work.begin + by),
    ...(work.end !== undefined && { end: Math.max(0, work.end + by) }),
  });

function nameOf({ kind, name }: Work): string {
  if (kind === "hooks") return t`hooks ${hooksText(name)}`;
  if (kind === "wait") return t`waits for ${name}`;
  return name;
}

/** JSON without what only a parser needs: there is room for a few letters. */
const plain = (json: string): string =>
  json.startsWith("{") ? json.replaceAll(/[{}"]/g, "").replaceAll(/([:,])(?=\S)/g, "$1 ") : json;

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
