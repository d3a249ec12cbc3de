import type { Chart } from "../../diagram/chart-json.ts";
import { PROTOCOL, type RunFileHeader, type Step } from "../protocol/protocol.ts";
import type { OpenRun } from "./open-run.ts";

const PAGE = 250;

/** A run as the lines of one file, see {@link RunFileHeader}. Its chart is without layouts: whoever opens it lays it out. */
export function* exportRun(run: OpenRun, chart: Chart | undefined): Generator<string> {
  const { row, log } = run;
  const { worker: _, ...plain } = row;
  const header: RunFileHeader = {
    agentchartRun: PROTOCOL,
    row: { ...plain, source: "file", can: [] },
    exportedAt: Date.now(),
  };
  yield line(header);
  if (chart) yield line({ chart, layouts: null, hash: row.chart });
  let written = 0;
  const last = log.last;
  for (let from = log.first; from <= last; from += PAGE) {
    const { items, keyframe, states } = log.page(from, Math.min(last, from + PAGE - 1));
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
