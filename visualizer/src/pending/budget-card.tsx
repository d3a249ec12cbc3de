import { useState } from "react";
import { limitLabel } from "../../../machines/agent/limits.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { expectRevision, refusalText, sendCommand } from "../store/commands.ts";
import { disabledReason } from "../store/disabled-reason.ts";
import { model } from "../store/model.ts";
import { useModel } from "../store/use-model.ts";
import { labelled } from "../words/said.ts";
import { t } from "../words/t.ts";

/** A card for a turn that was stopped by an exceeded limit. */
export function BudgetCard({ limit }: { readonly limit: string }) {
  const name = labelled(limitLabel(limit));
  const isTime = limit === "wallMs"; // which people count in seconds
  const unit = isTime ? t("seconds") : name;
  const [extra, setExtra] = useState("");
  const [revision, setRevision] = useState(() => model.row?.leaf);
  const [error, setError] = useState<string>();
  const amount = Number(extra);
  const isSent = useModel((all) => all.sent.has("extendBudget"));
  const reason = useModel((all) => disabledReason(all, "extendBudget"));
  const isDisabled = isSent || reason !== undefined || extra === "" || !(amount > 0);
  const extend = async (): Promise<void> => {
    if (model.sent.has("extendBudget")) return; // clicked again before the next render
    setError(undefined);
    const ack = await sendCommand({
      type: "extendBudget",
      extra: { [limit]: isTime ? amount * 1_000 : amount },
      ...expectRevision(revision),
    });
    if (!ack.ok) setError(refusalText(ack));
    if (ack.error?.code !== "stale") return;
    setExtra("");
    setRevision(model.row?.leaf);
  };
  return (
    <form
      className="approval"
      id="approval"
      tabIndex={-1}
      data-pending="budget"
      data-kind="budget"
      aria-label={t`Budget used up: ${name}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isDisabled) void extend();
      }}
    >
      <header>
        <Icon name="hourglass" />
        <h2>
          {t("Budget used up:")} {name}
        </h2>
      </header>
      <div className="choices">
        <label className="extend">
          <span>{t("Add")}</span>
          <input
            className="input num"
            type="number"
            min={0}
            step="any"
            value={extra}
            aria-label={t`Additional ${unit}`}
            onChange={({ target }) => setExtra(target.value)}
          />
          <span>{unit}</span>
        </label>
        <Button type="submit" tone="good" label={t("Extend and continue")} isDisabled={isDisabled} />
      </div>
      {error !== undefined && (
        <p className="error" role="alert">
          {error}
        </p>
      )}
      {isSent && <p className="note">{t("Sent. The agent has not confirmed it yet.")}</p>}
      {reason !== undefined && !isSent && (
        <p className="note" data-testid="disabled-reason">
          {t("Not available:")} {reason}.
        </p>
      )}
    </form>
  );
}
