import type { CSSProperties } from "react";
import { ChartPane } from "../diagram/chart-pane.tsx";
import { Outline } from "../diagram/outline.tsx";
import { Guarded } from "../parts/guarded.tsx";
import { Splitter } from "../parts/splitter.tsx";
import { Details } from "../panels/details.tsx";
import { Header } from "../panels/header.tsx";
import { Player } from "../panels/player.tsx";
import { RunList } from "../panels/run-list.tsx";
import { Strip } from "../panels/strip.tsx";
import { Timeline } from "../panels/timeline.tsx";
import { Dialogs } from "../dialogs/dialogs.tsx";
import type { Model } from "../store/model.ts";
import { usePreferences } from "../store/preferences.ts";
import { useModel } from "../store/use-model.ts";
import { Announcer } from "./announcer.tsx";
import { Banner } from "./banner.tsx";
import { Notices } from "./notices.tsx";
import { PhoneNav } from "./phone-nav.tsx";
import { Skeleton } from "./skeleton.tsx";
import { Welcome } from "./welcome.tsx";

export function App() {
  const { left, right, bottom } = usePreferences();
  const phoneView = useModel((all) => all.phoneView);
  const sizes = {
    "--left": `${left}px`,
    "--right": `${right}px`,
    "--bottom": `${bottom}px`,
  } as CSSProperties;
  return (
    <div className="app" data-phone={phoneView} style={sizes}>
      <Guarded what="The header">
        <Header />
      </Guarded>
      <Banner />
      <Body />
      <PhoneNav />
      <Announcer />
      <Notices />
      <Guarded what="The dialog">
        <Dialogs />
      </Guarded>
    </div>
  );
}

function Body() {
  const hasRuns = useModel((all) => all.rows.size + all.files.size > 0);
  const runId = useModel((all) => all.selection.runId);
  const isWaiting = useModel(
    (all) => all.connection.kind === "connecting" || (all.isConnected && !all.isListed),
  );
  if (!hasRuns && runId === null) return isWaiting ? <Skeleton /> : <Welcome />;
  return (
    <div className="body">
      <nav className="left" aria-label="Runs">
        <Guarded what="The list of runs">
          <RunList />
        </Guarded>
        <Splitter side="left" />
      </nav>
      <main className="center">
        <Guarded what="The chart">
          <ChartArea />
        </Guarded>
        <section className="bottom" aria-label="Steps">
          <Splitter side="bottom" />
          <Guarded what="The strip">
            <Strip />
          </Guarded>
          <Player />
          <Guarded what="The list of steps">
            <Timeline />
          </Guarded>
        </section>
      </main>
      <Details />
    </div>
  );
}

function lackOfChart({ row, unknownCharts, isConnected }: Model): string {
  if (!row) return "Choose a run.";
  const isComing = isConnected && row.source !== "file" && !unknownCharts.has(row.chart);
  return isComing ? "Loading the chart …" : "The chart of this run is not known here. Its steps are below.";
}

function ChartArea() {
  const chart = useModel((all) => all.chart);
  const view = useModel((all) => all.view);
  const lack = useModel(lackOfChart);
  if (!chart)
    return (
      <div className="chart-pane">
        <p className="nothing">{lack}</p>
      </div>
    );
  if (!chart.layouts || view === "outline") return <Outline chart={chart} />;
  return (
    <>
      <ChartPane chart={chart} layouts={chart.layouts} />
      <Outline chart={chart} isTwin />
    </>
  );
}
