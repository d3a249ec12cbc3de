import { ago, compact, shortId } from "../logic/format.ts";
import { useNow } from "../parts/use-now.ts";
import { filterByWorker } from "../store/load.ts";
import { useModel } from "../store/use-model.ts";
import type { WorkerRow } from "../wire/types.ts";

/** The connected and lost processes; selecting one filters the list of runs. */
export function WorkerList() {
  const { rows, total } = useModel((all) => all.workers);
  const selected = useModel((all) => all.worker);
  const now = useNow(5_000);
  if (total === 0) return null;
  return (
    <details className="workers" open>
      <summary>
        {total === 1 ? "process" : "processes"} <span className="num">{compact(total)}</span>
      </summary>
      <ul aria-label="Processes">
        {rows.map((row) => (
          <li key={row.id}>
            <WorkerLine row={row} isSelected={row.id === selected} now={now} />
          </li>
        ))}
        {total > rows.length && <li className="more">and {compact(total - rows.length)} more</li>}
      </ul>
    </details>
  );
}

type WorkerLineProps = { readonly row: WorkerRow; readonly isSelected: boolean; readonly now: number };

function WorkerLine({ row: { id, pid, isUp, since, runs }, isSelected, now }: WorkerLineProps) {
  return (
    <button
      type="button"
      data-worker={id}
      data-tone={isUp ? "green" : "slate"}
      aria-pressed={isSelected}
      title={`${isSelected ? "Show all runs" : "Show only its runs"} (${id})`}
      onClick={() => filterByWorker(isSelected ? null : id)}
    >
      <span aria-hidden="true">{isUp ? "●" : "✕"}</span>
      <strong className="num">pid {pid}</strong>
      <span className="mono id">{shortId(id)}</span>
      <span className="side">
        {isUp ? "up" : "lost"} {ago(since, now)}
        {" · "}
        {runs} {runs === 1 ? "run" : "runs"}
      </span>
    </button>
  );
}
