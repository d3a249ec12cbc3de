import { notesOf } from "./ledger.ts";
import type { Run } from "./run-point.ts";
import type { CrashPoint, CrashRelease } from "./types.ts";

/** A tool that takes this long may also be killed in the middle, ms. */
const LONG_MS = 20;

/** A point, and when the process dies if that is not an instant of its own. */
export type PlannedPoint = { readonly point: CrashPoint; readonly afterMs?: number };

/** The name of a point, such as `kill:append:3:before` or `kill@schema:waiting:1`. */
export const nameOf = ({ how, instant, release }: CrashPoint): string =>
  `${how}${release === undefined ? "" : `@${release}`}:${instant}`;

/** All points at which the processes of a scenario end, by what the run without a kill did. The kinds take turns, so that a test whose time
 *  is over has tried each. */
export function pointsOf(run: Run, hasRelease: boolean): readonly PlannedPoint[] {
  const instants = notesOf(run.notes, "instant");
  const kills = instants.map(({ id: instant, label }): PlannedPoint => ({
    point: { how: "kill", instant, label },
  }));
  const within = notesOf(run.notes, "end")
    .filter(({ ms, isIdempotent }) => isIdempotent && ms >= LONG_MS)
    .flatMap(({ tool, ms }): readonly PlannedPoint[] => {
      const before = instants.find(({ id }) => id.startsWith(`tool:${tool}:`) && id.endsWith(":before"));
      if (!before) return [];
      const point = {
        how: "kill",
        instant: before.id.replace(/before$/, "within"),
        label: `within ${tool}`,
      } as const;
      return [{ point, afterMs: ms / 2 }];
    });
  const stops = instants
    .filter(({ id }) => /^append:\d+:before$|^tool:.*:after$/.test(id))
    .map(({ id: instant, label }): PlannedPoint => ({
      point: { how: "stop", instant, label: `a second worker takes over, ${label}` },
    }));
  const releases: readonly CrashRelease[] = [
    "prompt",
    "schema",
    "name",
    ...(hasRelease ? ["file" as const] : []),
  ];
  const changed = instants
    .filter(({ id }) => /^(waiting|decided|tool):/.test(id))
    .flatMap(({ id: instant, label }) =>
      releases.map((release): PlannedPoint => ({
        point: { how: "kill", instant, release, label: `${label}; then ${RELEASES[release]}` },
      })),
    );
  const tools = [...new Set(notesOf(run.notes, "begin").map(({ tool }) => tool))];
  const repeats = tools.map((tool): PlannedPoint => ({
    point: { how: "repeat", instant: tool, label: `${tool} is called twice with one idempotency key` },
  }));
  return inTurns([repeats, kills, within, changed, stops]);
}

const RELEASES: { readonly [release in CrashRelease]: string } = {
  prompt: "a release with another prompt",
  schema: "a release with another schema of each tool",
  name: "a release with other names of the tools",
  file: "the next release",
};

function inTurns<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) =>
    lists.flatMap((list) => list.slice(index, index + 1)),
  ).flat();
}
