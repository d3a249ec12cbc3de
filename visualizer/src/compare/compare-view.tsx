import { useMemo, useRef, useState } from "react";
import { alignRuns, answerOf, momentsOf, unasked, type CompareRow, type Moment } from "../logic/compare.ts";
import { forkText } from "../logic/fork-label.ts";
import { compact, duration, money, shortId } from "../logic/format.ts";
import { isInherited } from "../logic/inherited.ts";
import { cut } from "../logic/json-rows.ts";
import { outcomeOf } from "../logic/outcome.ts";
import { modelCalls, sumUsage, type ModelCall } from "../logic/totals.ts";
import { Button } from "../parts/button.tsx";
import { sendCommandTo } from "../store/commands.ts";
import { isDriven, model } from "../store/model.ts";
import { select } from "../store/navigate.ts";
import type { RunData } from "../store/run-data.ts";
import { useModel } from "../store/use-model.ts";
import { isMissing, useWholeRuns } from "../store/whole-run.ts";
import type { JsonObject, RunRow } from "../wire/types.ts";
import { t } from "../words/t.ts";
import { wordChanges } from "./word-changes.ts";

/** Longer texts are cut until they are opened. */
const MAX_TEXT = 600;

/** Two or more runs side by side, aligned by what happened in them. */
export default function CompareView({ runIds: asked }: { readonly runIds: readonly string[] }) {
  const loaded = useWholeRuns(asked);
  const runIds = asked.filter((runId) => !isMissing(runId));
  const runs = loaded.filter((_, index) => !isMissing(asked[index]!));
  const lost = asked.filter(isMissing);
  const isLoading = runs.some(({ last }) => last === 0);
  const rows = useModel((all) => all.rows);
  const versions = runs.map(({ version }) => version).join();
  const contexts = useMemo(() => runs.map((run) => run.contextAt(run.last)), [versions, runIds.length]);
  const moments = useMemo(() => contexts.map(momentsOf), [contexts]);
  const aligned = useMemo(() => alignRuns(moments), [moments]);
  const place = useRef<HTMLTableRowElement>(null);
  const all = runIds.map((runId) => model.files.get(runId)?.row ?? rows.get(runId));
  const own = runs.map((run, index) => ownCalls(run, all[index], contexts[index]));
  const running = all.flatMap((row) => (row && isDriven(row) ? [row.runId] : []));
  return (
    <main className="comparison" data-testid="compare">
      <header>
        <h2>
          {t("Compare")} {runIds.length} {t("runs")}
        </h2>
        {running.length > 0 && (
          <>
            <span className="badge" role="status">
              {runIds.length - running.length} {t("of")} {runIds.length} {t("at rest")}
            </span>
            <Button
              icon="stop"
              tone="bad"
              label={t`Stop ${running.length}`}
              onClick={() => running.forEach((runId) => void sendCommandTo(runId, { type: "interrupt" }))}
            />
          </>
        )}
        <span className="spacer" />
        <Button
          icon="cross"
          label={t("Close")}
          onClick={() => select({ runId: runIds[0] ?? null, stepNumber: null })}
        />
      </header>
      {lost.length > 0 && (
        <p className="error">
          {t("Not found:")} {lost.join(", ")}
        </p>
      )}
      {all.some((row) => row?.forkOf) && (
        <p className="muted">
          {t("Cost, tokens, times and steps of a fork are its own, without the common beginning.")}
        </p>
      )}
      {isLoading ? (
        <p className="divergence">{t("Loading …")}</p>
      ) : runIds.length < 2 ? null : (
        <Divergence
          {...aligned}
          silent={unasked(moments, aligned)}
          onGo={() => place.current?.scrollIntoView({ block: "center" })}
        />
      )}
      <div className="comparison-table" role="region" aria-label={t("Comparison")} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t("run")}</th>
              {runIds.map((runId, index) => (
                <th key={runId} scope="col" data-run-column={runId}>
                  <RunHead runId={runId} row={all[index]} first={runIds[0]!} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {FACTS.map(([name, textOf]) => (
              <tr key={name} className="fact">
                <th scope="row">{t(name)}</th>
                {runIds.map((runId, index) => (
                  <td key={runId} className="num">
                    {all[index] ? textOf(all[index], own[index]!) : "–"}
                  </td>
                ))}
              </tr>
            ))}
            <tr className="fact">
              <th scope="row">{t("answer")}</th>
              {moments.map((own, index) => (
                <td key={runIds[index]}>
                  <Text text={answerOf(own) ?? "–"} />
                </td>
              ))}
            </tr>
            {aligned.rows.map((row, index) => (
              <Row
                key={index}
                row={row}
                runIds={runIds}
                isFirst={index === aligned.effect}
                place={index === aligned.effect ? place : undefined}
              />
            ))}
          </tbody>
        </table>
      </div>
    </main>
  );
}

/** The model calls of a run, without those that it has from the run that it was forked from. */
function ownCalls(
  run: RunData,
  row: RunRow | undefined,
  context: JsonObject | undefined,
): readonly ModelCall[] {
  return modelCalls(context).filter(({ messageId }) => {
    const step = run.stepOfMessage(messageId);
    return step === undefined ? !row?.forkOf : !isInherited(run, row, step);
  });
}

const FACTS: readonly (readonly [string, (row: RunRow, calls: readonly ModelCall[]) => string])[] = [
  ["outcome", (row) => row.error?.code ?? outcomeOf(row).label],
  ["cost", (_row, calls) => money(sumUsage(calls.map(({ usage }) => usage)).cost)],
  [
    "tokens",
    (_row, calls) => {
      const { inputTokens, outputTokens } = sumUsage(calls.map(({ usage }) => usage));
      return inputTokens === undefined && outputTokens === undefined
        ? compact(undefined)
        : `${compact(inputTokens)}↓ ${compact(outputTokens)}↑`;
    },
  ],
  [
    t("time of the model"),
    (_row, calls) => duration(calls.reduce((sum, { usage }) => sum + (usage.durationMs ?? NaN), 0)),
  ],
  [t("time of the run"), ({ startedAt, updatedAt }) => duration(Math.max(0, updatedAt - startedAt))],
  ["steps", ({ steps }) => compact(steps)],
];

function RunHead({
  runId,
  row,
  first,
}: {
  readonly runId: string;
  readonly row: RunRow | undefined;
  readonly first: string;
}) {
  return (
    <>
      <button
        type="button"
        className="link"
        title={runId}
        onClick={() => select({ runId, stepNumber: null })}
      >
        {row?.agent} <span className="id">{shortId(runId.replace(/^file:/, ""))}</span>
      </button>
      {row?.forkOf && (
        <span className="badge">
          {t("fork of")} {row.forkOf.runId === first ? t("the first") : shortId(row.forkOf.runId)}
        </span>
      )}
      {row?.forkOf?.changed && <span className="changed">{forkText(row.forkOf)}</span>}
      {!row && <span className="badge">{t("loading")}</span>}
    </>
  );
}

/** Says where the model first did something else, and what differs before that. */
function Divergence({
  rows,
  divergence,
  effect,
  silent,
  onGo,
}: ReturnType<typeof alignRuns> & {
  /** The number of runs that have not asked their model, if therefore no effect can be seen. */
  readonly silent: number;
  readonly onGo: () => void;
}) {
  if (rows.length === 0) return <p className="divergence">{t("Nothing has happened yet.")}</p>;
  if (silent > 0)
    return (
      <p className="divergence" data-testid="divergence">
        {t`No effect can be seen yet: ${silent} of ${rows[0]!.cells.length} runs have not asked the model.`}
      </p>
    );
  if (divergence < 0) return <p className="divergence">{t("The runs do not differ.")}</p>;
  const changed = rows.slice(0, effect < 0 ? rows.length : effect).filter(({ isSame }) => !isSame);
  const names = [...new Set(changed.map(({ title }) => title))].join(", ");
  if (effect < 0)
    return (
      <p className="divergence" data-testid="divergence">
        {t("No effect: the model said and did the same in all runs, although this differs:")} {names}.
      </p>
    );
  const { title, cells } = rows[effect]!;
  const only = cells.some((cell) => !cell) ? t("only some runs have it") : t("it differs");
  return (
    <p className="divergence" data-testid="divergence">
      {t("First effect:")} <strong>{title}</strong> ({only}).{" "}
      {names === "" ? t("Nothing differs before it.") : t`What differs before it: ${names}.`}{" "}
      <button type="button" className="link" onClick={onGo}>
        {t("Show it")}
      </button>
    </p>
  );
}

type RowProps = {
  readonly row: CompareRow;
  readonly runIds: readonly string[];
  readonly isFirst: boolean;
  readonly place: React.Ref<HTMLTableRowElement> | undefined;
};

/** Shows the events of each run. What is the same in all of them is said once. */
function Row({ row: { title, cells, isSame, agree }, runIds, isFirst, place }: RowProps) {
  return (
    <tr ref={place} data-same={isSame || undefined} data-divergence={isFirst || undefined}>
      <th scope="row">
        {title}
        {isFirst && <span className="badge">{t("first effect")}</span>}
        {runIds.length > 1 && agree > 1 && (
          <span className="agree num" title={t("So many runs say the same")}>
            {agree} {t("of")} {runIds.length}
          </span>
        )}
      </th>
      {isSame && runIds.length > 1 ? (
        <td colSpan={runIds.length}>
          <Text text={cells[0]!.text} />
        </td>
      ) : (
        cells.map((cell, index) => (
          <Cell key={runIds[index]} cell={cell} first={index === 0 ? undefined : cells[0]} />
        ))
      )}
    </tr>
  );
}

/** Shows what a run has, with the words marked in which it differs from the first one. */
function Cell({ cell, first }: { readonly cell: Moment | undefined; readonly first: Moment | undefined }) {
  if (!cell) return <td data-empty="true">{t("not there")}</td>;
  if (!first)
    return (
      <td>
        <Text text={cell.text} />
      </td>
    );
  if (cell.text === first.text)
    return (
      <td data-equal="true">
        <span className="muted">{t("as in the first")}</span>
      </td>
    );
  return (
    <td>
      <Text text={cell.text} before={first.text} />
    </td>
  );
}

/** A text; with `before`, the text that it is compared with, the words that differ from it are marked. */
function Text({ text, before }: { readonly text: string; readonly before?: string }) {
  const [isOpen, setOpen] = useState(false);
  const isWhole = text.length <= MAX_TEXT || isOpen;
  const shown = isWhole ? text : cut(text, MAX_TEXT);
  const from = before === undefined || isWhole ? before : cut(before, MAX_TEXT);
  const parts = useMemo(
    () => (from === undefined ? [{ kind: "same", text: shown } as const] : wordChanges(from, shown)),
    [from, shown],
  );
  if (text === "") return <span className="muted">{t("empty")}</span>;
  return (
    <>
      <pre>
        {parts.map(({ kind, text: part }, index) =>
          kind === "same" ? (
            part
          ) : kind === "added" ? (
            <mark key={index}>{part}</mark>
          ) : (
            <del key={index}>{part}</del>
          ),
        )}
      </pre>
      {!isWhole && (
        <button type="button" className="link" onClick={() => setOpen(true)}>
          {t("Show all")}
        </button>
      )}
    </>
  );
}
