import { useEffect, useState, type ReactNode } from "react";
import { isObject, type Json, type JsonObject } from "../../../src/core/base/json.ts";
import { mcNemar } from "../../../src/testing/evals/statistics.ts";
import { Button } from "../parts/button.tsx";
import { compareRuns, select, showMany } from "../store/navigate.ts";
import { t } from "../words/t.ts";
import { loadReport, loadReports, type ListedReport } from "./use-overview.ts";

type Loaded = { readonly kind: string; readonly report: object };

const INSET = { padding: "8px 12px" };

/** The number of rows of a report that are shown at first, and more with each press. */
const ROWS = 500;

/** The reports that the server has opened: a list of them, one, or two evaluations side by side. */
export function ReportsPart({ numbers }: { readonly numbers: readonly number[] }) {
  const [listed, setListed] = useState<readonly ListedReport[]>([]);
  const [loaded, setLoaded] = useState<readonly Loaded[]>([]);
  const [error, setError] = useState<string>();
  useEffect(() => {
    Promise.all([loadReports(), Promise.all(numbers.map(loadReport))]).then(
      ([all, reports]) => {
        setListed(all);
        setLoaded(reports);
      },
      (problem: unknown) => setError((problem as Error).message),
    );
  }, []);
  return (
    <>
      {error !== undefined && (
        <p className="error" role="alert">
          {error}
        </p>
      )}
      <Chosen listed={listed} numbers={numbers} />
      <div className="comparison-table" role="region" aria-label={t("Results")} tabIndex={0}>
        {loaded.map((each, place) => (
          <Report
            key={numbers[place]}
            {...each}
            before={loaded.length > 1 && place === 1 ? loaded[0] : undefined}
          />
        ))}
      </div>
    </>
  );
}

type ChosenProps = { readonly listed: readonly ListedReport[]; readonly numbers: readonly number[] };

function Chosen({ listed, numbers }: ChosenProps) {
  if (listed.length === 0)
    return (
      <p className="muted" style={INSET}>
        {t("No report is open. Write one with")} <code>agentchart eval … --out report.json</code>
        {t(", and open it with")} <code>agentchart inspect --open report.json</code>.
      </p>
    );
  const toggled = (number: number): readonly number[] =>
    numbers.includes(number) ? numbers.filter((each) => each !== number) : [...numbers.slice(-1), number];
  return (
    <div className="choice-bar" role="group" aria-label={t("Reports")}>
      {listed.map(({ file, name }, number) => (
        <Button
          key={number}
          label={name === null ? file : `${name} (${file})`}
          isPressed={numbers.includes(number)}
          onClick={() => showMany(["reports", toggled(number).join(",")].filter(Boolean).join("/"))}
        />
      ))}
    </div>
  );
}

const listOf = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];
const textOf = (value: Json | undefined): string =>
  value === undefined ? "–" : typeof value === "string" ? value : JSON.stringify(value);

function Report({ kind, report, before }: Loaded & { readonly before: Loaded | undefined }) {
  const { name, counts } = report as JsonObject;
  return (
    <section>
      <p className="muted" style={INSET}>
        {typeof name === "string" && <strong>{name} </strong>}
        {isObject(counts) &&
          Object.entries(counts)
            .map(([what, count]) => `${what} ${textOf(count)}`)
            .join(" · ")}
      </p>
      {kind === "evaluation" ? (
        <Evaluation report={report as JsonObject} before={before?.report as JsonObject | undefined} />
      ) : (
        <Experiment report={report as JsonObject} />
      )}
    </section>
  );
}

type EvaluationProps = { readonly report: JsonObject; readonly before: JsonObject | undefined };

const keyOf = ({ case: of, repeat }: JsonObject): string => JSON.stringify([of, repeat]);

/** The runs of an evaluation, those that did not pass first; with another one before, those that changed first. */
function Evaluation({ report, before }: EvaluationProps) {
  const former = new Map(listOf(before?.["results"]).map((each) => [keyOf(each), each]));
  const isChanged = (each: JsonObject): boolean =>
    former.has(keyOf(each)) && former.get(keyOf(each))!["state"] !== each["state"];
  const rank = (each: JsonObject): number => (isChanged(each) ? 0 : each["state"] === "passed" ? 2 : 1);
  const results = listOf(report["results"]).toSorted((one, other) => rank(one) - rank(other));
  const changes = results.map((each) => changeOf(former.get(keyOf(each)), each));
  const count = (what: ReturnType<typeof changeOf>): number => changes.filter((each) => each === what).length;
  const [better, worse] = [count("better"), count("worse")];
  const pairs = better + worse + count("same");
  const p = mcNemar(better, worse);
  const [shown, more] = useShown(results);
  return (
    <>
      {before && (
        <p data-testid="pairs" style={INSET}>
          {t`${better} better, ${worse} worse of ${pairs} pairs, p = ${p < 0.001 ? p.toExponential(1) : p.toFixed(3)} (McNemar's exact test)`}
        </p>
      )}
      <table aria-label={t("Evaluation")}>
        <thead>
          <tr>
            {[t("case"), ...(before ? [t("before")] : []), t("result"), t("reason")].map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((each) => (
            <tr key={keyOf(each)} data-divergence={isChanged(each) || undefined}>
              <th scope="row">
                <OpenRun
                  id={each["sessionId"]}
                  label={`${textOf(each["case"])} #${textOf(each["repeat"])}`}
                />
              </th>
              {before && <td>{textOf(former.get(keyOf(each))?.["state"])}</td>}
              <td>{textOf(each["state"])}</td>
              <td>
                {isObject(each["error"]) ? `${textOf(each["error"]["message"])} ` : ""}
                {listOf(each["verdicts"])
                  .filter(({ pass }) => pass !== true)
                  .map(({ judge, reason }) => `${textOf(judge)}: ${textOf(reason)}`)
                  .join(" ")}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {more}
    </>
  );
}

/** Returns how a run differs between two evaluations; undefined if one of them has no judgement of it. */
function changeOf(then: JsonObject | undefined, now: JsonObject): "better" | "worse" | "same" | undefined {
  const [before, after] = [then?.["state"], now["state"]];
  if (![before, after].every((state) => state === "passed" || state === "failed")) return undefined;
  return before === after ? "same" : after === "passed" ? "better" : "worse";
}

/** The clusters of an experiment, then its rows, those that differ first. Each opens the pair side by side. */
function Experiment({ report }: { readonly report: JsonObject }) {
  const rank = ({ state }: JsonObject): number => (state === "same" ? 1 : 0);
  const rows = listOf(report["rows"]).toSorted((one, other) => rank(one) - rank(other));
  const [shown, more] = useShown(rows);
  return (
    <>
      <ul style={INSET}>
        {listOf(report["clusters"]).map((each, place) => (
          <li key={place}>
            {textOf(each["kind"])} {each["tool"] === undefined ? "" : textOf(each["tool"])} ·{" "}
            {textOf(each["edges"])} · {listLength(each["sessions"])}
          </li>
        ))}
      </ul>
      <table aria-label={t("Experiment")}>
        <thead>
          <tr>
            {[t("session"), t("result"), t("changed"), t("reason"), t("compare")].map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((each, place) => (
            <tr key={place}>
              <th scope="row">
                <OpenRun id={each["sessionId"]} label={textOf(each["sessionId"])} />
              </th>
              <td>{textOf(each["state"])}</td>
              <td>{Array.isArray(each["changed"]) ? each["changed"].map(textOf).join(", ") : ""}</td>
              <td>{whyOf(each)}</td>
              <td>
                {typeof each["sessionId"] === "string" && typeof each["replayId"] === "string" && (
                  <Button
                    icon="compare"
                    label={t("Compare")}
                    onClick={() => compareRuns([String(each["sessionId"]), String(each["replayId"])])}
                  />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {more}
    </>
  );
}

/** The rows that are shown, and a button for more of them. */
function useShown(rows: readonly JsonObject[]): readonly [readonly JsonObject[], ReactNode] {
  const [count, setCount] = useState(ROWS);
  const left = rows.length - count;
  const more = left > 0 && <Button label={t`Show ${left} more`} onClick={() => setCount(count + ROWS)} />;
  return [rows.slice(0, count), more];
}

/** The place at which a run parts, or why it came to nothing. */
function whyOf({ divergence, stopped, error }: JsonObject): string {
  const parts = [
    isObject(divergence) ? `${textOf(divergence["recorded"])} → ${textOf(divergence["replayed"])}` : "",
    typeof stopped === "string" ? stopped : "",
    isObject(error) ? textOf(error["message"]) : "",
  ];
  return parts.filter(Boolean).join(" · ");
}

const listLength = (value: Json | undefined): number => (Array.isArray(value) ? value.length : 0);

function OpenRun({ id, label }: { readonly id: Json | undefined; readonly label: string }) {
  if (typeof id !== "string") return label;
  return (
    <button type="button" className="link" onClick={() => select({ runId: id, stepNumber: null })}>
      {label}
    </button>
  );
}
