import { useMemo } from "react";
import { duration } from "../logic/format.ts";
import { stepAt, type StripScale } from "../logic/strip-scale.ts";
import type { RunData } from "../store/run-data.ts";

/** The least distance of two times, px. */
const APART = 96;

type Props = {
  readonly run: RunData;
  readonly version: number;
  readonly scale: StripScale;
  readonly from: number;
  readonly width: number;
};

/** The times below the strip: since the run began, at steps that are far enough from each other. */
export function StripAxis({ run, version, scale, from, width }: Props) {
  const marks = useMemo(() => {
    const found: { readonly x: number; readonly text: string }[] = [];
    const start = run.at(run.first)?.elapsed;
    if (start === undefined) return found;
    for (let x = 0; x < width - APART / 2; x += APART) {
      const index = stepAt(scale, from + x);
      const step = run.at(run.first + index);
      const at = (scale.edges[index] ?? 0) - from;
      const last = found.at(-1);
      if (!step || at < 0 || (last && at - last.x < APART * 0.8)) continue;
      const text = step.elapsed === start ? "0" : duration(step.elapsed - start);
      if (text !== last?.text) found.push({ x: at, text }); // an axis says what differs
    }
    return found;
  }, [run, version, scale, from, width]);
  return (
    <div className="strip-axis" aria-hidden="true">
      {marks.map(({ x, text }) => (
        <span key={x} className="num" style={{ transform: `translateX(${x}px)` }}>
          {text}
        </span>
      ))}
    </div>
  );
}
