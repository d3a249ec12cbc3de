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
import { t } from "../words/t.ts";

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
          <Button label={t("Retry now")} onClick={() => client.connection?.connect()} />
        )}
        {location.protocol !== "file:" && connection.kind !== "unreachable" && (
          <Button icon="play" label={t("See a sample run")} onClick={() => void openSample()} />
        )}
        <OpenFile label={t("Open an exported run")} />
      </div>
      <p className="muted">{t("or drop the file anywhere on this page")}</p>
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
          <h2>{t("No runs yet")}</h2>
          <p>
            {t("Start an agent with")} <code>inspect</code> {t("and it appears here.")}
          </p>
          <pre>{SNIPPET}</pre>
          <p>
            {t("Or run")} <code>npx agentchart dev --agents agents.ts</code>
            {t(": a chat with your agents, with this page beside it.")}
          </p>
        </>
      );
    case "unreachable":
      return <Unreachable retryAt={connection.retryAt} />;
    case "noToken":
      return (
        <>
          <h2>{t("Token missing")}</h2>
          <p>
            {t("Run")} <code>npx agentchart inspect</code>{" "}
            {t(
              "and open the link that it prints: it contains the token. Without the token, only files can be opened.",
            )}
          </p>
        </>
      );
    case "badToken":
      return (
        <>
          <h2>{t("This link is no longer valid")}</h2>
          <p>
            {t("The inspector was restarted. Open the link that it printed last, or run")}{" "}
            <code>npx agentchart inspect</code> {t("again.")}
          </p>
        </>
      );
    case "version":
      return (
        <>
          <h2>{t("Incompatible versions")}</h2>
          <p>{versionText(connection.serverVersion)}</p>
        </>
      );
  }
}

function Unreachable({ retryAt }: { readonly retryAt: number }) {
  const now = useNow(500);
  return (
    <>
      <h2>{t("The inspector is not responding")}</h2>
      <p>
        {t("Retrying")} <span className="num">{until(retryAt, now)}</span>
        {t(". Is")} <code>npx agentchart inspect</code> {t("still running?")}
      </p>
    </>
  );
}
