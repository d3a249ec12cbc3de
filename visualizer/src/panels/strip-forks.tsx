import { useMemo } from "react";
import { forkMarks, spread } from "../logic/fork-marks.ts";
import { writeAddress } from "../logic/address.ts";
import { Icon } from "../parts/icon.tsx";
import { useModel } from "../store/use-model.ts";

/** Room for a mark that a finger can hit, in px. */
const APART = 24;

type ForksProps = {
  /** Changes when there are other steps. */
  readonly version: number;
  readonly width: number;
  /** Where a step begins on the strip, in px. */
  readonly placeOf: (q: number) => number;
};

/** Where the run was forked, and where it began as a fork: links to the other runs, above the strip. */
export function StripForks({ version, width, placeOf }: ForksProps) {
  const run = useModel((all) => all.run);
  const row = useModel((all) => all.row);
  const rows = useModel((all) => all.rows);
  const marks = useMemo(() => forkMarks(run, row, rows), [run, version, row, rows]);
  const seen = marks
    .map((mark) => ({ ...mark, x: placeOf(mark.q) }))
    .filter(({ x }) => x >= -1 && x <= width + 1);
  if (seen.length === 0) return null;
  const room = spread(
    seen.map(({ x }) => Math.max(x, APART / 2)),
    APART,
    width - APART / 2,
  );
  return (
    <nav className="forks" aria-label="Forks">
      {seen.map(({ runId, kind, q, name, x }, at) => (
        <a
          key={`${kind} ${runId}`}
          href={writeAddress({ runId, q: null })}
          data-fork={kind}
          data-step={q}
          title={`${name} (step ${q})`}
          aria-label={`${name}, step ${q}`}
          style={{ transform: `translateX(${room[at]}px)` }}
        >
          <i style={{ transform: `translateX(${x - room[at]!}px)` }} />
          <Icon name="fork" />
        </a>
      ))}
    </nav>
  );
}
