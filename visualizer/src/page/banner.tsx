import type { ReactNode } from "react";
import { ago, until } from "../logic/format.ts";
import { Button } from "../parts/button.tsx";
import { Icon, type IconName } from "../parts/icon.tsx";
import { useNow } from "../parts/use-now.ts";
import { client } from "../store/client.ts";
import { versionText } from "./version-text.ts";
import type { OpenedFile } from "../store/model.ts";
import { useModel } from "../store/use-model.ts";

/** Nobody needs to know of a connection that comes back at once. */
const PATIENCE = 1_500;

/** Said once to who listens: what counts up or down in it is for the eyes. */
export function Banner() {
  return (
    <div role="status">
      <Trouble />
    </div>
  );
}

/** What is wrong with what the page shows; the data stays. */
function Trouble() {
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
      <Line tone="red" of="refused">
        {connection.kind === "badToken"
          ? "The inspector was started anew: open the link that it printed, or run npx agentchart inspect for a fresh one."
          : versionText(connection.theirs)}{" "}
        What you see is as of before.
      </Line>
    ) : null;
  if (isLost && now - connection.since > PATIENCE)
    return (
      <Line tone="amber" of="lost">
        The inspector does not answer. Trying again{" "}
        <span aria-hidden="true">
          <span className="num">{until(connection.retryAt, now)}</span>; what you see is{" "}
          {worded(ago(connection.since, now))} old.
        </span>
        <Button label="Try now" onClick={() => client.connection?.connect()} />
      </Line>
    );
  if (row?.phase === "running" && row.worker?.isUp === false)
    return (
      <Line tone="amber" of="worker-lost">
        The process of this run ({row.worker.id}) is gone
        <span aria-hidden="true">, last seen {worded(ago(row.worker.since, now))} ago</span>. What it does now
        is not known.
      </Line>
    );
  if (row?.phase === "quarantined")
    return (
      <Line tone="red" of="quarantined">
        This session is quarantined: nobody goes on with it, and its journal stays as it is. {row.notice}
      </Line>
    );
  if (row?.notice !== undefined)
    return (
      <Line tone="amber" of="notice">
        {row.notice}
      </Line>
    );
  return null;
}

const worded = (since: string): string => (since === "now" ? "a moment" : since);

function FileLine({ file: { name, damage, lacksChart } }: { readonly file: OpenedFile }) {
  const without = lacksChart ? " Its chart is not in it and not known here: it is shown without." : "";
  return damage ? (
    <Line tone="red" of="damaged">
      {name} is damaged at line {damage.line} ({damage.message}). What stands before it is shown.{without}
    </Line>
  ) : (
    <Line tone={lacksChart ? "amber" : "slate"} of="file" icon="file">
      {name}: a file, nothing can be asked of it.{without}
    </Line>
  );
}

type LineProps = {
  readonly tone: string;
  readonly of: string;
  readonly icon?: IconName;
  readonly children: ReactNode;
};

function Line({ tone, of, icon = "warn", children }: LineProps) {
  return (
    <div className="banner" data-tone={tone} data-testid={of}>
      <Icon name={icon} />
      <p>{children}</p>
    </div>
  );
}
