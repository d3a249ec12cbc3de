import { ago, compact, shortId } from "../logic/format.ts";
import { useNow } from "../parts/use-now.ts";
import { filterByWorker } from "../store/load.ts";
import { useModel } from "../store/use-model.ts";
import type { WorkerRow } from "../wire/types.ts";
import { t } from "../words/t.ts";

/** The connected and lost processes; selecting one filters the list of runs. */
export function WorkerList() {
  const { rows, total } = useModel((all) => all.workers);
  const selected = useModel((all) => all.worker);
  const now = useNow(5_000);
  if (total === 0) return null;
  return (
    <details className="workers" open>
      <summary>
        {total === 1 ? t("process") : t("processes")} <span className="num">{compact(total)}</span>
      </summary>
      <ul aria-label={t("Processes")}>
        {rows.map((row) => (
          <li key={row.id}>
            <WorkerLine row={row} isSelected={row.id === selected} now={now} />
          </li>
        ))}
        {total > rows.length && (
          <li className="more">
            {t("and")} {compact(total - rows.length)} {t("more")}
          </li>
        )}
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
      title={`${isSelected ? t("Show all runs") : t("Show only its runs")} (${id})`}
      onClick={() => filterByWorker(isSelected ? null : id)}
    >
      <span aria-hidden="true">{isUp ? "●" : "✕"}</span>
      <strong className="num">
        {t("pid")} {pid}
      </strong>
      <span className="mono id">{shortId(id)}</span>
      <span className="side">
        {isUp ? t("up") : t("lost")} {ago(since, now)}
        {" · "}
        {runs} {runs === 1 ? t("run") : t("runs")}
      </span>
    </button>
  );
}
