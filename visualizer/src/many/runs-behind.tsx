import { useEffect, useState } from "react";
import type { OverviewFigure } from "../../../src/inspect/protocol/overview.ts";
import { money, shortId } from "../logic/format.ts";
import { outcomeOf } from "../logic/outcome.ts";
import { Button } from "../parts/button.tsx";
import { copy } from "../store/copy.ts";
import { compareRuns, select } from "../store/navigate.ts";
import { useModel } from "../store/use-model.ts";
import type { RunRow } from "../wire/types.ts";
import { t } from "../words/t.ts";
import { loadBehind } from "./use-overview.ts";

/** The list leaves room for what it is about. */
const SHORT = { flex: "none", maxHeight: "40%" };
const INSET = { padding: "4px 12px 8px" };

/** The number of runs that are compared at most. */
const MAX_COMPARED = 4;

type Props = { readonly figure: OverviewFigure; readonly title: string; readonly onClose: () => void };

/** The command that runs these runs again with other agents; that file and the store are named by who runs it. */
const experimentOn = (rows: readonly RunRow[]): string =>
  `npx agentchart experiment agents.ts --store STORE ${rows.map(({ runId }) => `--session ${quoted(runId)}`).join(" ")}`;

/** A text as a shell reads it. */
const quoted = (text: string): string =>
  /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** The runs behind a number, each of which opens. */
export function RunsBehind({ figure, title, onClose }: Props) {
  const [found, setFound] = useState<{ readonly rows: readonly RunRow[]; readonly total: number }>();
  const [error, setError] = useState<string>();
  const key = JSON.stringify(figure);
  const filter = useModel((all) => all.filter);
  const search = useModel((all) => all.search);
  useEffect(() => {
    let isCurrent = true;
    setFound(undefined);
    setError(undefined);
    loadBehind(figure).then(
      (page) => isCurrent && setFound(page),
      (problem: unknown) => isCurrent && setError((problem as Error).message),
    );
    return () => void (isCurrent = false);
  }, [key, filter, search]);
  const rows = found?.rows ?? [];
  return (
    <section
      className="comparison-table"
      style={SHORT}
      aria-label={t("Runs behind the number")}
      data-testid="runs-behind"
    >
      <p className="choice-bar" role="status">
        {error ?? (found ? t`${title}: ${found.total} runs` : t("Loading …"))}{" "}
        {rows.length > 1 && (
          <Button
            icon="compare"
            label={t`Compare the first ${Math.min(MAX_COMPARED, rows.length)}`}
            onClick={() => compareRuns(rows.slice(0, MAX_COMPARED).map(({ runId }) => runId))}
          />
        )}
        {rows.length > 0 && (
          <Button
            icon="fork"
            label={t("Copy an experiment on them")}
            onClick={() => void copy(experimentOn(rows))}
          />
        )}
        <Button icon="cross" label={t("Close the list")} onClick={onClose} />
      </p>
      <ul style={INSET}>
        {rows.map((row) => (
          <li key={row.runId}>
            <button
              type="button"
              className="link"
              data-behind={row.runId}
              title={row.runId}
              onClick={() => select({ runId: row.runId, stepNumber: null })}
            >
              {row.agent} {shortId(row.runId)}
            </button>{" "}
            {outcomeOf(row).label} · {money(row.usage.cost)} · {row.title ?? ""}
          </li>
        ))}
      </ul>
    </section>
  );
}
