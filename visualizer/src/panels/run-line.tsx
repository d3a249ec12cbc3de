import { memo } from "react";
import { toneOf } from "../logic/chart-index.ts";
import { ago, shortId } from "../logic/format.ts";
import { groupOf } from "../logic/run-groups.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { isDriven, model } from "../store/model.ts";
import { select } from "../store/navigate.ts";
import type { RunRow } from "../wire/types.ts";

type RunLineProps = {
  readonly row: RunRow;
  readonly depth: number;
  readonly isSelected: boolean;
  readonly isConnected: boolean;
  readonly now: number;
  readonly style: { readonly transform: string; readonly height: number };
};

/** A run in the list. */
export const RunLine = memo(function RunLine({
  row,
  depth,
  isSelected,
  isConnected,
  now,
  style,
}: RunLineProps) {
  const { runId, agent, state, worker, updatedAt, pending, phase } = row;
  const isLost = phase === "running" && worker?.isUp === false;
  const { icon, tone } = iconOf(row);
  return (
    <div className="run-line" style={{ ...style, paddingLeft: 8 + depth * 16 }}>
      <button
        type="button"
        data-run={runId}
        data-tone={tone}
        data-lost={isLost || undefined}
        aria-current={isSelected ? "true" : undefined}
        onClick={() => {
          select({ runId, stepNumber: null });
          model.set({ phoneView: "chart" });
        }}
      >
        {depth > 0 && (
          <span className="branch" aria-hidden="true">
            ↳
          </span>
        )}
        <span className="mark" data-is-working={(isConnected && isDriven(row)) || undefined}>
          <Icon name={icon} />
        </span>
        <span className="words">
          <strong>{agent}</strong>
          <span className="mono">{shortId(runId.replace(/^file:/, ""))}</span>
        </span>
        <span className="side">
          <span>{isLost ? `lost ${ago(worker.since, now)}` : ago(updatedAt, now)}</span>
          {pending > 0 ? (
            <span className="badge" data-tone="amber">
              {pending}
            </span>
          ) : (
            <span className="state mono">{state.split(".")[0]}</span>
          )}
        </span>
      </button>
    </div>
  );
});

function iconOf(row: RunRow): { readonly icon: IconName; readonly tone: string } {
  const group = groupOf(row);
  if (row.phase === "quarantined") return { icon: "cross", tone: "red" };
  if (group === "needsYou") return { icon: "hand", tone: "amber" };
  if (group === "running")
    return { icon: "play", tone: toneOf(undefined, ["agent", `agent.${row.state.split(".")[0]}`]) };
  if (row.phase === "unfinished") return { icon: "pause", tone: "blue" };
  if (group === "suspended") return { icon: "hourglass", tone: "amber" };
  if (row.reason === "ERROR") return { icon: "cross", tone: "red" };
  return row.reason === "INTERRUPTED" ? { icon: "stop", tone: "slate" } : { icon: "check", tone: "green" };
}
