import { lazy, Suspense, useDeferredValue, type CSSProperties } from "react";
import { CallsBar } from "../diagram/calls-bar.tsx";
import { ChartPane, Outline, StateCaption } from "../diagram/lazy-engine.tsx";
import { shownView } from "../diagram/view-switch.tsx";
import { MapPane } from "../map/map-pane.tsx";
import { ErrorBoundary } from "../parts/error-boundary.tsx";
import { Splitter } from "../parts/splitter.tsx";
import { Details } from "../panels/details.tsx";
import { Header } from "../panels/header.tsx";
import { Player, StepsBar } from "../panels/player.tsx";
import { RunList } from "../panels/run-list.tsx";
import { Suspicions } from "../panels/suspicions.tsx";
import { Timeline } from "../panels/timeline.tsx";
import { Dialogs } from "../dialogs/dialogs.tsx";
import type { Model } from "../store/model.ts";
import { WhyNot } from "../why-not/why-not.tsx";
import { usePreferences } from "../store/preferences.ts";
import { useModel } from "../store/use-model.ts";
import { Announcer } from "./announcer.tsx";
import { Banner } from "./banner.tsx";
import { Notices } from "./notices.tsx";
import { PhoneNav } from "./phone-nav.tsx";
import { Skeleton } from "./skeleton.tsx";
import { Welcome } from "./welcome.tsx";
import { t } from "../words/t.ts";

const Waterfall = lazy(async () => ({ default: (await import("../panels/waterfall.tsx")).Waterfall }));
const Sequence = lazy(() => import("../actors/sequence.tsx"));
const Guide = lazy(() => import("../guide/guide.tsx"));
const ManyView = lazy(() => import("../many/many-view.tsx"));
const CompareView = lazy(() => import("../compare/compare-view.tsx"));

/** The page. */
export function App() {
  const { left, right, bottom } = usePreferences();
  const phoneView = useModel((all) => all.phoneView);
  const isAboutRun = useModel((all) => all.isAboutRun);
  const hasGuide = useModel((all) => all.guide !== null);
  const sizes = {
    "--left": `${left}px`,
    "--right": `${right}px`,
    "--bottom": `${bottom}px`,
  } as CSSProperties;
  return (
    <div className="app" data-phone={phoneView} style={sizes}>
      <ErrorBoundary what={t("The header")}>
        <Header />
      </ErrorBoundary>
      <div className="above">
        <Banner />
        {hasGuide && (
          <Suspense fallback={null}>
            <Guide />
          </Suspense>
        )}
      </div>
      <Body />
      {isAboutRun && <PhoneNav />}
      <Announcer />
      <Notices />
      <ErrorBoundary what={t("The dialog")}>
        <Dialogs />
      </ErrorBoundary>
    </div>
  );
}

function Body() {
  const { lower } = usePreferences();
  const hasRuns = useModel((all) => all.rows.size + all.files.size > 0);
  const runId = useModel((all) => all.selection.runId);
  const isWaiting = useModel(
    (all) => all.connection.kind === "connecting" || (all.isConnected && !all.isListed),
  );
  const compare = useModel((all) => all.compare);
  const many = useModel((all) => all.many);
  const isActor = useModel(({ row }) => row?.actor !== undefined);
  if (compare)
    return (
      <ErrorBoundary what={t("The comparison")}>
        <Suspense fallback={<Skeleton />}>
          <CompareView key={compare.join()} runIds={compare} />
        </Suspense>
      </ErrorBoundary>
    );
  if (many !== null)
    return (
      <ErrorBoundary what={t("The overview")}>
        <Suspense fallback={<Skeleton />}>
          <ManyView at={many} />
        </Suspense>
      </ErrorBoundary>
    );
  if (!hasRuns && runId === null) return isWaiting ? <Skeleton /> : <Welcome />;
  return (
    <div className="body">
      <nav className="left" aria-label={t("Runs")}>
        <ErrorBoundary what={t("The list of runs")}>
          <RunList />
        </ErrorBoundary>
        <Splitter side="left" />
      </nav>
      <ErrorBoundary what={t("The suspicions")}>
        <Suspicions key={runId} />
      </ErrorBoundary>
      <main className="center">
        <ErrorBoundary what={t("The chart")}>
          <ChartArea />
        </ErrorBoundary>
        <section className="bottom" aria-label={t("Steps")}>
          <Splitter side="bottom" />
          <Player />
          <StepsBar />
          <ErrorBoundary what={lower === "steps" ? t("The list of steps") : t("The waterfall")}>
            {lower === "steps" ? (
              <Timeline />
            ) : (
              <Suspense fallback={null}>{isActor ? <Sequence /> : <Waterfall />}</Suspense>
            )}
          </ErrorBoundary>
        </section>
      </main>
      <Details />
    </div>
  );
}

function missingChartText({
  row,
  selection,
  isLoading: isRunLoading,
  unknownCharts,
  isConnected,
}: Model): string {
  if (!row)
    return selection.runId === null
      ? t("Select a run.")
      : isRunLoading
        ? t("Loading …")
        : t("This run is not known here. It may have been deleted.");
  const isLoading = isConnected && row.source !== "file" && !unknownCharts.has(row.chart);
  return isLoading
    ? t("Loading the chart …")
    : t("The chart of this run is unknown. Its steps are listed below.");
}

function ChartArea() {
  const chart = useModel((all) => all.chart);
  const view = useModel(shownView);
  const text = useModel(missingChartText);
  const hasPicture = view === "chart" && chart?.layouts != null;
  const hasHiddenOutline = useDeferredValue(hasPicture, false); // large, and nobody waits for it with the chart
  if (!chart)
    return (
      <div className="chart-pane">
        <p className="placeholder">{text}</p>
      </div>
    );
  const { layouts } = chart;
  if (view === "map")
    return (
      <div className="chart-pane">
        <MapPane chart={chart} />
      </div>
    );
  return (
    <>
      <div className="chart-pane">
        {hasPicture && layouts ? <ChartPane chart={chart} layouts={layouts} /> : <Outline chart={chart} />}
        <CallsBar />
        <WhyNot chart={chart} />
        {hasPicture && <StateCaption chart={chart} />}
      </div>
      {hasPicture && hasHiddenOutline && <Outline chart={chart} isHidden />}
    </>
  );
}
