import { useMemo } from "react";
import { forkMarks, spread } from "../logic/fork-marks.ts";
import { writeAddress } from "../logic/address.ts";
import { Icon } from "../parts/icon.tsx";
import { useModel } from "../store/use-model.ts";
import { t } from "../words/t.ts";

/** The distance between marks that can be hit with a finger, px. */
const MARK_DISTANCE = 24;

type ForksProps = {
  /** Changes when steps were added. */
  readonly version: number;
  readonly width: number;
  /** The left edge of a step on the scrubber, px. */
  readonly positionOf: (stepNumber: number) => number;
};

/** Links to the forks of the run and to the run it was forked from, above the scrubber. */
export function ScrubberForks({ version, width, positionOf }: ForksProps) {
  const run = useModel((all) => all.run);
  const row = useModel((all) => all.row);
  const rows = useModel((all) => all.rows);
  const marks = useMemo(() => forkMarks(run, row, rows), [run, version, row, rows]);
  const seen = marks
    .map((mark) => ({ ...mark, x: positionOf(mark.stepNumber) }))
    .filter(({ x }) => x >= -1 && x <= width + 1);
  if (seen.length === 0) return null;
  const positions = spread(
    seen.map(({ x }) => Math.max(x, MARK_DISTANCE / 2)),
    MARK_DISTANCE,
    width - MARK_DISTANCE / 2,
  );
  return (
    <nav className="forks" aria-label={t("Forks")}>
      {seen.map(({ runId, kind, stepNumber, name, x }, at) => (
        <a
          key={`${kind} ${runId}`}
          href={writeAddress({ runId, stepNumber: null })}
          data-fork={kind}
          data-at-step={stepNumber}
          title={t`${name} (step ${stepNumber})`}
          aria-label={t`${name}, step ${stepNumber}`}
          style={{ transform: `translateX(${positions[at]}px)` }}
        >
          <i style={{ transform: `translateX(${x - positions[at]!}px)` }} />
          <Icon name="fork" />
        </a>
      ))}
    </nav>
  );
}
