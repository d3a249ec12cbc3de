import { until } from "../logic/format.ts";
import { Button } from "../parts/button.tsx";
import { Logo } from "../parts/icon.tsx";
import { openSample } from "../guide/sample-run.ts";
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

/** Replaces the runs: why there are none, and what to do. */
export function Welcome() {
  const connection = useModel((all) => all.connection);
  return (
    <main className="welcome" data-testid="welcome" data-state-of={connection.kind}>
      <div className="big-mark">
        <Logo />
      </div>
      <Explanation connection={connection} />
      <div className="choices">
        {connection.kind === "unreachable" && (
          <Button label="Retry now" onClick={() => client.connection?.connect()} />
        )}
        {location.protocol !== "file:" && connection.kind !== "unreachable" && (
          <Button icon="play" label="See a sample run" onClick={() => void openSample()} />
        )}
        <OpenFile label="Open an exported run" />
      </div>
      <p className="muted">or drop the file anywhere on this page</p>
    </main>
  );
}

function Explanation({ connection }: { readonly connection: ConnectionState }) {
  switch (connection.kind) {
    case "open":
    case "lost":
    case "connecting":
      return (
        <>
          <h2>No runs yet</h2>
          <p>
            Start an agent with <code>inspect</code> and it appears here.
          </p>
          <pre>{SNIPPET}</pre>
          <p>
            Or run <code>npx agentchart dev --agents agents.ts</code>: a chat with your agents, with this page
            beside it.
          </p>
        </>
      );
    case "unreachable":
      return <Unreachable retryAt={connection.retryAt} />;
    case "noToken":
      return (
        <>
          <h2>Token missing</h2>
          <p>
            Run <code>npx agentchart inspect</code> and open the link that it prints: it contains the token.
            Without the token, only files can be opened.
          </p>
        </>
      );
    case "badToken":
      return (
        <>
          <h2>This link is no longer valid</h2>
          <p>
            The inspector was restarted. Open the link that it printed last, or run{" "}
            <code>npx agentchart inspect</code> again.
          </p>
        </>
      );
    case "version":
      return (
        <>
          <h2>Incompatible versions</h2>
          <p>{versionText(connection.serverVersion)}</p>
        </>
      );
  }
}

function Unreachable({ retryAt }: { readonly retryAt: number }) {
  const now = useNow(500);
  return (
    <>
      <h2>The inspector is not responding</h2>
      <p>
        Retrying <span className="num">{until(retryAt, now)}</span>. Is <code>npx agentchart inspect</code>{" "}
        still running?
      </p>
    </>
  );
}
