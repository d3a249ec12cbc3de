import { ago, until } from "../logic/format.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { useNow } from "../parts/use-now.ts";
import { client } from "../store/client.ts";
import { versionText } from "./version-text.ts";
import type { OpenedFile } from "../store/model.ts";
import { useModel } from "../store/use-model.ts";

/** Nobody needs to know of a connection that comes back at once. */
const PATIENCE = 1_500;

/** What is wrong with what the page shows; the data stays. */
export function Banner() {
  const connection = useModel((all) => all.connection);
  const row = useModel((all) => all.row);
  const file = useModel((all) =>
    all.selection.runId === null ? undefined : all.files.get(all.selection.runId),
  );
  const hasRuns = useModel((all) => all.rows.size > 0);
  const isLost = connection.kind === "lost";
  const now = useNow(500, isLost || row?.worker?.isUp === false);
  if (file) return <FileBanner file={file} />;
  if (connection.kind === "badToken" || connection.kind === "version")
    return hasRuns ? (
      <p className="banner" role="status" data-tone="red" data-testid="refused">
        <Icon name="warn" />
        {connection.kind === "badToken"
          ? "The inspector was started anew: open the link that it printed, or run npx agentchart inspect for a fresh one."
          : versionText(connection.theirs)}{" "}
        What you see is as of before.
      </p>
    ) : null;
  if (isLost && now - connection.since > PATIENCE)
    return (
      <p className="banner" role="status" data-tone="amber" data-testid="lost">
        <Icon name="warn" /> The inspector does not answer; what you see is{" "}
        {ago(connection.since, now) === "now" ? "as of now" : `${ago(connection.since, now)} old`}. Trying
        again
        <span className="num">{until(connection.retryAt, now)}</span>
        <Button label="Try now" onClick={() => client.connection?.connect()} />
      </p>
    );
  if (row?.phase === "running" && row.worker?.isUp === false)
    return (
      <p className="banner" role="status" data-tone="amber" data-testid="worker-lost">
        <Icon name="warn" /> The process of this run ({row.worker.id}) is gone, last seen{" "}
        {seen(ago(row.worker.since, now))}. What it does now is not known.
      </p>
    );
  if (row?.phase === "quarantined")
    return (
      <p className="banner" role="status" data-tone="red" data-testid="quarantined">
        <Icon name="warn" /> This session is quarantined: nobody goes on with it, and its journal stays as it
        is. {row.notice}
      </p>
    );
  if (row?.notice !== undefined)
    return (
      <p className="banner" role="status" data-tone="amber" data-testid="notice">
        <Icon name="warn" /> {row.notice}
      </p>
    );
  return null;
}

const seen = (since: string): string => (since === "now" ? "just now" : `${since} ago`);

function FileBanner({ file }: { readonly file: OpenedFile }) {
  const { name, damage, lacksChart } = file;
  const without = lacksChart ? " Its chart is not in it and not known here: it is shown without." : "";
  return damage ? (
    <p className="banner" role="status" data-tone="red" data-testid="damaged">
      <Icon name="warn" /> {name} is damaged at line {damage.line} ({damage.message}). What stands before it
      is shown.{without}
    </p>
  ) : (
    <p className="banner" role="status" data-tone={lacksChart ? "amber" : "slate"} data-testid="file">
      <Icon name="file" /> {name}: a file, nothing can be asked of it.{without}
    </p>
  );
}
