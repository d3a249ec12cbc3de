import type { Chart } from "../../core/diagram/chart-json.ts";
import { PROTOCOL, type RunFileHeader, type Step } from "../protocol/protocol.ts";
import type { OpenRun } from "./open-run.ts";

const STEPS_PER_PAGE = 250;

/**
 * Exports a run as the lines of a file, see {@link RunFileHeader}. The chart has no layouts: the reader of the
 * file lays it out.
 */
export function* exportRun(run: OpenRun, chart: Chart | undefined): Generator<string> {
  const { row, log } = run;
  const { worker: _, ...rest } = row;
  const header: RunFileHeader = {
    agentchartRun: PROTOCOL,
    row: { ...rest, source: "file", can: [] },
    exportedAt: Date.now(),
  };
  yield line(header);
  if (chart) yield line({ chart, layouts: null, hash: row.chart });
  let written = 0;
  const { first, last } = log;
  for (let from = first; from <= last; from += STEPS_PER_PAGE) {
    const { items, keyframe, states } = log.page(
      from,
      Math.min(last, from + STEPS_PER_PAGE - 1),
      from > first,
    );
    if (keyframe) yield line({ keyframe, at: from - 1 });
    for (const step of items) {
      for (; written <= step.s; written++) yield line({ state: states[written] ?? [] });
      yield line(step satisfies Step);
    }
  }
  for (const [blob, text] of run.blobs()) yield line({ blob, text });
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
