import { CompareChoice } from "./compare-choice.tsx";
import { WorkerList } from "./worker-list.tsx";
import { isLong, RunLine } from "./run-line.tsx";
import { Filters, Foot, NoRuns } from "./run-filters.tsx";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef } from "react";
import { compact } from "../logic/format.ts";
import { GROUP_NAMES, listLines } from "../logic/run-groups.ts";
import { isListed, queryOf } from "../logic/run-filter.ts";
import { useNow } from "../parts/use-now.ts";
import { loadMore } from "../store/load.ts";
import { useModel } from "../store/use-model.ts";
import { groupOf, RUN_GROUPS, type RunGroup, type RunRow } from "../wire/types.ts";
import { t } from "../words/t.ts";

const LINE_HEIGHT = { run: 62, longRun: 78, group: 30, more: 32 } as const;

type Line = ReturnType<typeof listLines>[number] | { readonly kind: "files" };

function heightOf(line: Line): number {
  if (line.kind === "run") return isLong(line.row) ? LINE_HEIGHT.longRun : LINE_HEIGHT.run;
  return line.kind === "more" ? LINE_HEIGHT.more : LINE_HEIGHT.group;
}

/** The list of runs; runs that need a user come first. */
export function RunList() {
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useModel((all) => all.rows);
  const lists = useModel((all) => all.lists);
  const search = useModel((all) => all.search);
  const filter = useModel((all) => all.filter);
  const found = useModel((all) => all.found);
  const group = useModel((all) => all.group);
  const worker = useModel((all) => all.worker);
  const files = useModel((all) => all.files);
  const selected = useModel((all) => all.selection.runId);
  const chosen = useModel((all) => all.chosen);
  const isConnected = useModel((all) => all.isConnected);
  const now = useNow(5_000);
  const lines = useMemo(() => {
    const query = queryOf(filter, search, Date.now());
    const isWanted = (row: RunRow): boolean =>
      (group === "all" || groupOf(row) === group) &&
      (worker === null || row.worker?.id === worker) &&
      isListed(row, query, found);
    const totals = Object.fromEntries(RUN_GROUPS.map((each) => [each, lists[each].total]));
    const opened = [...files.values()].map(({ row }) => ({ kind: "run", row, depth: 0 }) as const);
    const known = listLines(
      [...rows.values()].filter(isWanted),
      totals,
      (each) => lists[each].cursor !== undefined && (group === "all" || group === each),
    );
    return opened.length === 0 ? known : [{ kind: "files" } as const, ...opened, ...known];
  }, [rows, lists, search, filter, found, group, worker, files]);
  const list = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => heightOf(lines[at]!),
    overscan: 6,
  });
  const heights = lines.map(heightOf).join();
  useEffect(() => list.measure(), [heights, list]);
  const place = lines.findIndex((line) => line.kind === "run" && line.row.runId === selected);
  const latest = useRef(place);
  useEffect(() => {
    latest.current = place;
  });
  useEffect(() => {
    if (latest.current >= 0) list.scrollToIndex(latest.current);
  }, [selected, place >= 0, list]);
  return (
    <>
      <Filters />
      <div ref={scroller} className="run-list" tabIndex={-1}>
        <div style={{ height: list.getTotalSize(), position: "relative" }}>
          {list.getVirtualItems().map(({ index, start, size }) => {
            const line = lines[index]!;
            const style = { transform: `translateY(${start}px)`, height: size };
            if (line.kind === "run")
              return (
                <RunLine
                  key={line.row.runId}
                  row={line.row}
                  depth={line.depth}
                  isSelected={line.row.runId === selected}
                  isChosen={chosen?.has(line.row.runId)}
                  isConnected={isConnected}
                  now={now}
                  style={style}
                />
              );
            if (line.kind === "files")
              return (
                <h2 key="files" className="group" style={style}>
                  {t("opened files")}
                </h2>
              );
            if (line.kind === "more")
              return <More key={`more ${line.group}`} group={line.group} style={style} />;
            return (
              <h2 key={line.group} className="group" style={style} data-group={line.group}>
                {GROUP_NAMES[line.group]} <span className="num">{compact(line.total)}</span>
              </h2>
            );
          })}
        </div>
        {lines.length === 0 && <NoRuns />}
      </div>
      <CompareChoice />
      <WorkerList />
      <Foot />
    </>
  );
}

function More({ group, style }: { readonly group: RunGroup; readonly style: object }) {
  useEffect(() => {
    void loadMore(group);
  });
  return (
    <p className="more" style={style}>
      {t("Loading more …")}
    </p>
  );
}
