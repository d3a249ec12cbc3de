import { memo } from "react";
import { forkText } from "../logic/fork-label.ts";
import { ago, compact, duration, money, shortId } from "../logic/format.ts";
import { outcomeOf } from "../logic/outcome.ts";
import { Icon } from "../parts/icon.tsx";
import { isDriven, model } from "../store/model.ts";
import { select } from "../store/navigate.ts";
import type { RunRow } from "../wire/types.ts";

import { toggleChosen } from "./compare-choice.tsx";
import { labelled } from "../words/said.ts";
import { t } from "../words/t.ts";

type RunLineProps = {
  readonly row: RunRow;
  readonly depth: number;
  readonly isSelected: boolean;
  /** Undefined unless runs are being chosen. */
  readonly isChosen: boolean | undefined;
  readonly isConnected: boolean;
  readonly now: number;
  readonly style: { readonly transform: string; readonly height: number };
};

/** The length of a line of the list, in characters. */
const LINE_LENGTH = 34;

/** True if what a run is about, and what has gone wrong, needs a second line. */
export function isLong({ title, error, forkOf }: RunRow): boolean {
  const about = (forkOf && forkText(forkOf)) || title;
  return `${forkOf ? `${t("fork at")} 00 ` : ""}${error?.code ?? ""} ${about ?? ""}`.length > LINE_LENGTH;
}

/** A run in the list. */
export const RunLine = memo(function RunLine({
  row,
  depth,
  isSelected,
  isChosen,
  isConnected,
  now,
  style,
}: RunLineProps) {
  const { runId, agent, title, error, worker, updatedAt, pending, phase, forkOf, suspicions = [] } = row;
  const [suspicion] = suspicions;
  const isLost = phase === "running" && worker?.isUp === false;
  const { icon, tone, label } = outcomeOf(row);
  const figures = figuresOf(row, isConnected && isDriven(row) ? Math.max(now, row.updatedAt) : row.updatedAt);
  const change = forkOf ? forkText(forkOf) : "";
  const id = shortId(runId.replace(/^file:/, ""));
  return (
    <div
      className="run-line"
      data-long={isLong(row) || undefined}
      style={{ ...style, paddingLeft: 8 + depth * 16 }}
    >
      <button
        type="button"
        data-run={runId}
        data-tone={tone}
        data-lost={isLost || undefined}
        aria-current={isSelected ? "true" : undefined}
        aria-pressed={isChosen}
        onClick={() => {
          if (isChosen !== undefined) return toggleChosen(runId);
          select({ runId, stepNumber: null });
          model.set({ phoneView: "chart" });
        }}
      >
        {depth > 0 && (
          <span className="branch" aria-hidden="true">
            ↳
          </span>
        )}
        <span
          className="mark"
          role="img"
          aria-label={label}
          title={label}
          data-is-working={(isConnected && isDriven(row)) || undefined}
        >
          <Icon name={isChosen === undefined ? icon : isChosen ? "check" : "plus"} />
        </span>
        <span className="words">
          <span className="row">
            <strong>{agent}</strong>
            {pending > 0 ? (
              <span className="badge" data-tone="amber" title={label}>
                {pending}
              </span>
            ) : (
              <span className="outcome" aria-hidden="true">
                {label}
              </span>
            )}
            <span className="ago">{isLost ? t`lost ${ago(worker.since, now)}` : ago(updatedAt, now)}</span>
          </span>
          <span className="about">
            {forkOf && (
              <span className="fork-of">
                {t("fork at")} {forkOf.seq}{" "}
              </span>
            )}
            {error && (
              <span className="failure" title={`${error.code}: ${error.message}`}>
                {error.code}{" "}
              </span>
            )}
            {change !== "" ? (
              <span className="fork-change" title={`${change}\n${title ?? ""}`}>
                {change}
              </span>
            ) : (
              <span className={title ? "title" : "mono"} title={title ? `${title} · ${runId}` : runId}>
                {title ?? id}
              </span>
            )}
          </span>
          <span className="row">
            <span className="figures" title={figures.join(" · ")}>
              {figures.slice(0, 2).join(" · ")}
              <span className="spent">{figures.slice(2).map((spent) => ` · ${spent}`)}</span>
            </span>
            {suspicion && (
              <span className="suspicion" title={suspicions.map(({ label }) => labelled(label)).join("\n")}>
                <Icon name="warn" />
                <span>{labelled(suspicion.label)}</span>
                {suspicions.length > 1 && <span className="num">+{suspicions.length - 1}</span>}
              </span>
            )}
          </span>
        </span>
      </button>
    </div>
  );
});

/** Returns how many steps a run has, how long it took and what it spent, as far as that is known. */
function figuresOf(
  { steps, isAtMost, startedAt, usage: { inputTokens, outputTokens, cost } }: RunRow,
  end: number,
): readonly string[] {
  const tokens = inputTokens === undefined ? undefined : inputTokens + (outputTokens ?? 0);
  return [
    ...(isAtMost ? [] : [`${compact(steps)} ${steps === 1 ? t("step") : t("steps")}`]),
    duration(Math.max(0, end - startedAt)),
    ...(cost === undefined ? (tokens === undefined ? [] : [t`${compact(tokens)} tokens`]) : [money(cost)]),
  ];
}
