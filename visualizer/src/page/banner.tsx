import type { ReactNode } from "react";
import { ago, until } from "../logic/format.ts";
import { Button } from "../parts/button.tsx";
import { Icon, type IconName } from "../parts/icon.tsx";
import { useNow } from "../parts/use-now.ts";
import { client } from "../store/client.ts";
import { versionText } from "./version-text.ts";
import type { OpenedFile } from "../store/model.ts";
import { useModel } from "../store/use-model.ts";
import { t } from "../words/t.ts";

/** A connection that is restored within this time is not reported, ms. */
const REPORT_AFTER_MS = 1_500;

/** Reports problems to users and screen readers; countdowns are hidden from screen readers. */
export function Banner() {
  return (
    <div role="status">
      <Problem />
    </div>
  );
}

/** The problem of the displayed run or of the connection. */
function Problem() {
  const connection = useModel((all) => all.connection);
  const row = useModel((all) => all.row);
  const file = useModel((all) =>
    all.selection.runId === null ? undefined : all.files.get(all.selection.runId),
  );
  const hasRuns = useModel((all) => all.rows.size > 0);
  const isLost = connection.kind === "lost";
  const now = useNow(500, isLost || row?.worker?.isUp === false);
  if (file) return <FileLine file={file} />;
  if (connection.kind === "badToken" || connection.kind === "version")
    return hasRuns ? (
      <BannerLine tone="red" testId="refused">
        {connection.kind === "badToken"
          ? t(
              "The inspector was restarted. Open the link that it printed, or run npx agentchart inspect for a new one.",
            )
          : versionText(connection.serverVersion)}{" "}
        {t("The page shows the last known state.")}
      </BannerLine>
    ) : null;
  if (isLost && now - connection.since > REPORT_AFTER_MS)
    return (
      <BannerLine tone="amber" testId="lost">
        {t("Connection lost. Retrying")}{" "}
        <span aria-hidden="true">
          <span className="num">{until(connection.retryAt, now)}</span>
          {t("; the data is")} {ageText(ago(connection.since, now))} {t("old.")}
        </span>
        <Button label={t("Retry now")} onClick={() => client.connection?.connect()} />
      </BannerLine>
    );
  if (row?.phase === "running" && row.worker?.isUp === false)
    return (
      <BannerLine tone="amber" testId="worker-lost">
        {t("The process of this run (")}
        {row.worker.id}
        {t(") is disconnected")}
        <span aria-hidden="true">
          {t(", last seen")} {ageText(ago(row.worker.since, now))} {t("ago")}
        </span>
        {t(". Its current state is unknown.")}
      </BannerLine>
    );
  if (row?.phase === "quarantined")
    return (
      <BannerLine tone="red" testId="quarantined">
        {t("This session is quarantined: no process continues it, and its journal is unchanged.")}{" "}
        {row.notice}
      </BannerLine>
    );
  if (row?.actor?.status === "active" && row.worker?.isUp && row.can.length === 0 && row.notice === undefined)
    return (
      <BannerLine tone="slate" testId="not-paused" icon="pause">
        {row.worker.pid === 0
          ? t("What observes this actor takes no commands, so it cannot be paused from here.")
          : t("XState cannot hold this actor between two events, so it cannot be paused.")}
      </BannerLine>
    );
  if (row?.notice !== undefined)
    return (
      <BannerLine tone="amber" testId="notice">
        {row.notice}
      </BannerLine>
    );
  return null;
}

const ageText = (since: string): string => (since === t("now") ? t("a moment") : since);

function FileLine({ file: { name, row, damage, lacksChart } }: { readonly file: OpenedFile }) {
  const chartNote = lacksChart
    ? t(" Its chart is neither in the file nor known here: the run is shown without a chart.")
    : "";
  return damage ? (
    <BannerLine tone="red" testId="damaged">
      {name} {t("is damaged at line")} {damage.line} ({damage.message}
      {t("). The part before it is shown.")}
      {chartNote}
    </BannerLine>
  ) : (
    <BannerLine tone={lacksChart ? "amber" : "slate"} testId="file" icon="file">
      {name} {t("is a file: commands are not available.")}
      {chartNote} {row.notice}
    </BannerLine>
  );
}

type BannerLineProps = {
  readonly tone: string;
  readonly testId: string;
  readonly icon?: IconName;
  readonly children: ReactNode;
};

function BannerLine({ tone, testId, icon = "warn", children }: BannerLineProps) {
  return (
    <div className="banner" data-tone={tone} data-testid={testId}>
      <Icon name={icon} />
      <p>{children}</p>
    </div>
  );
}
