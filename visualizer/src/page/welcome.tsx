import { until } from "../logic/format.ts";
import { Button } from "../parts/button.tsx";
import { Mark } from "../parts/icon.tsx";
import { useNow } from "../parts/use-now.ts";
import { OpenFile } from "../panels/open-file.tsx";
import { client } from "../store/client.ts";
import { versionText } from "./version-text.ts";
import type { ConnectionState } from "../store/model.ts";
import { useModel } from "../store/use-model.ts";

const SNIPPET = `const agent = createAgent({
  name: "my-agent", model, tools,
  inspect: "auto",
});`;

/** Instead of a run: why there is none to see, and what to do about it. */
export function Welcome() {
  const connection = useModel((all) => all.connection);
  return (
    <main className="welcome" data-testid="welcome" data-state-of={connection.kind}>
      <div className="big-mark">
        <Mark />
      </div>
      <Words connection={connection} />
      <div className="choices">
        {connection.kind === "unreachable" && (
          <Button label="Try now" onClick={() => client.connection?.connect()} />
        )}
        <OpenFile label="Open an exported run" />
      </div>
      <p className="muted">or drop the file anywhere on this page</p>
    </main>
  );
}

function Words({ connection }: { readonly connection: ConnectionState }) {
  switch (connection.kind) {
    case "open":
    case "lost":
    case "connecting":
      return (
        <>
          <h2>No run yet</h2>
          <p>Start an agent with the inspector on, and it shows up here.</p>
          <pre>{SNIPPET}</pre>
        </>
      );
    case "unreachable":
      return <Unreachable retryAt={connection.retryAt} />;
    case "noToken":
      return (
        <>
          <h2>This page needs its link</h2>
          <p>
            Run <code>npx agentchart inspect</code> and open the link that it prints: it carries the token.
            Without it only files can be opened.
          </p>
        </>
      );
    case "badToken":
      return (
        <>
          <h2>The link is no longer good</h2>
          <p>
            The inspector was started anew since. Open the link that it printed last, or run{" "}
            <code>npx agentchart inspect</code> again.
          </p>
        </>
      );
    case "version":
      return (
        <>
          <h2>Two versions that do not fit</h2>
          <p>{versionText(connection.theirs)}</p>
        </>
      );
  }
}

function Unreachable({ retryAt }: { readonly retryAt: number }) {
  const now = useNow(500);
  return (
    <>
      <h2>The inspector does not answer</h2>
      <p>
        Trying again <span className="num">{until(retryAt, now)}</span>. Is{" "}
        <code>npx agentchart inspect</code> still running?
      </p>
    </>
  );
}
