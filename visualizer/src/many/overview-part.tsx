import { useState, type ReactNode } from "react";
import type {
  Overview,
  OverviewFigure,
  PeriodFigures,
  ToolFigures,
} from "../../../src/inspect/protocol/overview.ts";
import { compact, duration, localTime, money } from "../logic/format.ts";
import { Filters } from "../panels/run-filters.tsx";
import { t } from "../words/t.ts";
import { RunsBehind } from "./runs-behind.tsx";
import { useOverview } from "./use-overview.ts";

const INSET = { padding: "8px 12px" };

/** The edges that are shown unless all are wanted. */
const SHOWN_EDGES = 20;

type Chosen = { readonly figure: OverviewFigure; readonly title: string };
type Choose = (chosen: Chosen) => void;

/** The runs that the filter finds, summed up. Each number leads to its runs. */
export function OverviewPart() {
  const { overview, isOld = false, error } = useOverview();
  const [chosen, setChosen] = useState<Chosen>();
  return (
    <>
      <Filters />
      {error !== undefined && (
        <p className="error" role="alert">
          {error}
        </p>
      )}
      {chosen && <RunsBehind {...chosen} onClose={() => setChosen(undefined)} />}
      {overview ? (
        <div className="comparison-table" role="region" aria-label={t("Overview")} tabIndex={0}>
          <Figures overview={overview} isOld={isOld} choose={setChosen} />
        </div>
      ) : (
        <p className="muted">{t("Loading …")}</p>
      )}
    </>
  );
}

type FiguresProps = { readonly overview: Overview; readonly isOld: boolean; readonly choose: Choose };

function Figures({ overview, isOld, choose }: FiguresProps) {
  const { runs, left, omitted, usage, outcomes, suspicions, labels, tools, periods } = overview;
  return (
    <>
      <p className="muted" style={INSET} role="status" data-testid="overview-runs">
        {t`${runs} runs`}
        {isOld && ` · ${t("old: the new figures have not come yet")}`}
        {left > 0 && ` · ${t`${left} are still being read`}`}
        {omitted > 0 && ` · ${t`${omitted} older ones are left out`}`}
        {` · ${compact(usage.inputTokens)}↓ ${compact(usage.outputTokens)}↑ · ${money(usage.cost)}`}
        {usage.unknown > 0 && ` · ${t`the cost of ${usage.unknown} is not known`}`}
      </p>
      <Table title={t("Outcomes")} head={[t("outcome"), t("runs")]}>
        {outcomes.map(({ outcome, runs: count }) => (
          <Row key={outcome} name={t(outcome)}>
            <Cell figure={{ outcome }} title={t(outcome)} count={count} of={runs} choose={choose} />
          </Row>
        ))}
      </Table>
      {suspicions.length > 0 && (
        <Table title={t("Suspicions")} head={[t("suspicion"), t("runs")]}>
          {suspicions.map(({ kind, runs: count }) => (
            <Row key={kind} name={kind}>
              <Cell figure={{ suspicion: kind }} title={kind} count={count} of={runs} choose={choose} />
            </Row>
          ))}
        </Table>
      )}
      {labels.length > 0 && (
        <Table title={t("Labels")} head={[t("label"), t("runs")]}>
          {labels.map(({ label, runs: count }) => (
            <Row key={label} name={t(label)}>
              <Cell figure={{ label }} title={t(label)} count={count} of={runs} choose={choose} />
            </Row>
          ))}
        </Table>
      )}
      {tools.length > 0 && <Tools tools={tools} runs={runs} choose={choose} />}
      {periods.length > 0 && <Periods periods={periods} choose={choose} />}
      <Edges overview={overview} choose={choose} />
    </>
  );
}

type ToolsProps = {
  readonly tools: readonly ToolFigures[];
  readonly runs: number;
  readonly choose: Choose;
};

function Tools({ tools, runs, choose }: ToolsProps) {
  const head = [t("tool"), t("runs"), t("runs with a failure"), t("calls"), t("failed"), "p50", "p95"];
  return (
    <Table title={t("Tools")} head={head}>
      {tools.map(({ tool, runs: used, failedRuns, calls, failed, p50, p95 }) => (
        <Row key={tool} name={tool}>
          <Cell figure={{ tool }} title={tool} count={used} of={runs} choose={choose} />
          <Cell
            figure={{ failed: tool }}
            title={t`failed: ${tool}`}
            count={failedRuns}
            of={used}
            choose={choose}
          />
          <td className="num">{compact(calls)}</td>
          <td className="num">{compact(failed)}</td>
          <td className="num">{timeOf(p50)}</td>
          <td className="num">{timeOf(p95)}</td>
        </Row>
      ))}
    </Table>
  );
}

const timeOf = (ms: number | undefined): string => (ms === undefined ? "–" : duration(ms));

type PeriodsProps = { readonly periods: readonly PeriodFigures[]; readonly choose: Choose };

function Periods({ periods, choose }: PeriodsProps) {
  const most = Math.max(...periods.map(({ runs }) => runs));
  const head = [
    ...[t("from"), t("runs"), t("failed"), t("suspicious"), t("calls"), t("failed calls")],
    ...["p50", "p95", t("tokens"), t("cost")],
  ];
  return (
    <Table title={t("Over time")} head={head}>
      {periods.map((period) => {
        const name = localTime(period.at, NaN).slice(0, 16); // with its day;
        return (
          <Row key={period.at} name={name}>
            <Cell figure={{ period: period.at }} title={name} count={period.runs} of={most} choose={choose} />
            <td className="num">{compact(period.failed)}</td>
            <td className="num">{compact(period.suspicious)}</td>
            <td className="num">{compact(period.calls)}</td>
            <td className="num">{compact(period.failedCalls)}</td>
            <td className="num">{timeOf(period.p50)}</td>
            <td className="num">{timeOf(period.p95)}</td>
            <td className="num">{compact(period.inputTokens + period.outputTokens)}</td>
            <td className="num">{money(period.cost)}</td>
          </Row>
        );
      })}
    </Table>
  );
}

function Edges({
  overview: { edges, runs },
  choose,
}: {
  readonly overview: Overview;
  readonly choose: Choose;
}) {
  const [isOpen, setOpen] = useState(false);
  if (edges.length === 0) return null;
  return (
    <>
      <Table title={t("Edges taken")} head={[t("edge"), t("runs"), t("times")]}>
        {edges.slice(0, isOpen ? edges.length : SHOWN_EDGES).map(({ edge, runs: count, times }) => (
          <Row key={edge} name={edge}>
            <Cell figure={{ edge }} title={edge} count={count} of={runs} choose={choose} />
            <td className="num">{compact(times)}</td>
          </Row>
        ))}
      </Table>
      {edges.length > SHOWN_EDGES && !isOpen && (
        <button type="button" className="link" onClick={() => setOpen(true)}>
          {t`All ${edges.length}`}
        </button>
      )}
    </>
  );
}

type TableProps = { readonly title: string; readonly head: readonly string[]; readonly children: ReactNode };

function Table({ title, head, children }: TableProps) {
  return (
    <table aria-label={title}>
      <thead>
        <tr>
          {head.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

function Row({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      {children}
    </tr>
  );
}

type CellProps = Chosen & { readonly count: number; readonly of: number; readonly choose: Choose };

/** A number of runs, which leads to them. */
function Cell({ figure, title, count, of, choose }: CellProps) {
  return (
    <td className="num">
      <button
        type="button"
        className="link num"
        disabled={count === 0}
        aria-label={t`${count} runs: ${title}`}
        onClick={() => choose({ figure, title })}
      >
        {compact(count)}
      </button>{" "}
      <meter aria-hidden="true" max={Math.max(1, of)} value={count} />
    </td>
  );
}
