import { ago, compact, shortId } from "../logic/format.ts";
import { useNow } from "../parts/use-now.ts";
import { showRunsOf } from "../store/load.ts";
import { useModel } from "../store/use-model.ts";
import type { WorkerRow } from "../wire/types.ts";

/** The processes that run agents, or ran them until they were lost; one that is chosen narrows the list of runs to its own. */
export function WorkerList() {
  const { rows, total } = useModel((all) => all.workers);
  const chosen = useModel((all) => all.worker);
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
            <WorkerLine row={row} isChosen={row.id === chosen} now={now} />
          </li>
        ))}
        {total > rows.length && <li className="more">and {compact(total - rows.length)} more</li>}
      </ul>
    </details>
  );
}

type LineProps = { readonly row: WorkerRow; readonly isChosen: boolean; readonly now: number };

function WorkerLine({ row: { id, pid, isUp, since, runs }, isChosen, now }: LineProps) {
  return (
    <button
      type="button"
      data-worker={id}
      data-tone={isUp ? "green" : "slate"}
      aria-pressed={isChosen}
      title={`${isChosen ? "Show all runs" : "Show only its runs"} (${id})`}
      onClick={() => showRunsOf(isChosen ? null : id)}
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
