import type { CSSProperties } from "react";
import { ChartPane } from "../chart/chart-pane.tsx";
import { Outline } from "../chart/outline.tsx";
import { Splitter } from "../parts/splitter.tsx";
import { Details } from "../panels/details.tsx";
import { Header } from "../panels/header.tsx";
import { Player } from "../panels/player.tsx";
import { RunList } from "../panels/run-list.tsx";
import { Strip } from "../panels/strip.tsx";
import { Timeline } from "../panels/timeline.tsx";
import { Dialogs } from "../dialogs/dialogs.tsx";
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
      <Header />
      <Banner />
      <Body />
      <PhoneNav />
      <Announcer />
      <Notices />
      <Dialogs />
    </div>
  );
}

function Body() {
  const hasRuns = useModel((all) => all.rows.size + all.files.size > 0);
  const runId = useModel((all) => all.selection.runId);
  const connection = useModel((all) => all.connection.kind);
  if (!hasRuns && runId === null) return connection === "connecting" ? <Skeleton /> : <Welcome />;
  return (
    <div className="body">
      <nav className="left" aria-label="Runs">
        <RunList />
        <Splitter side="left" />
      </nav>
      <main className="center">
        <ChartArea />
        <section className="bottom" aria-label="Steps">
          <Splitter side="bottom" />
          <Strip />
          <Player />
          <Timeline />
        </section>
      </main>
      <Details />
    </div>
  );
}

function ChartArea() {
  const chart = useModel((all) => all.chart);
  const view = useModel((all) => all.view);
  const hasRun = useModel((all) => all.row !== undefined);
  if (!chart)
    return (
      <div className="chart-pane">
        <p className="nothing">
          {hasRun ? "The chart of this run is not known here. Its steps are below." : "Choose a run."}
        </p>
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
