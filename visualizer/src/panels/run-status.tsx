import { configurationName, toneOf } from "../logic/chart-index.ts";
import { outcomeOf } from "../logic/outcome.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { isDriven, model } from "../store/model.ts";
import { goLive } from "../store/navigate.ts";
import { useModel } from "../store/use-model.ts";
import { t } from "../words/t.ts";

/** The state of the run, or which of its steps is displayed. */
export function RunStatus() {
  const isLive = useModel((all) => all.isLive);
  const stepNumber = useModel((all) => all.stepNumber);
  const last = useModel((all) => Math.max(all.run.last, all.run.total));
  const row = useModel((all) => all.row)!;
  const states = useModel((all) => all.run.statesAt(all.stepNumber));
  const index = useModel((all) => all.chart?.index);
  const canFork = useModel((all) => all.isConnected && (all.row?.can.includes("fork") ?? false));
  const isConnected = useModel((all) => all.isConnected);
  const isWorking = useModel((all) => all.isWorking);
  if (!isLive)
    return (
      <div className="actions">
        <span className="status" data-tone="amber">
          <Icon name="clock" /> {t("step")} <span className="num">{stepNumber}</span> {t("of")}{" "}
          <span className="num">{last}</span>
        </span>
        <Button label={row.source === "file" ? t("To the end") : t("Live")} hint="L" onClick={goLive} />
        {row.source !== "file" && (
          <Button
            icon="fork"
            label={t("Fork")}
            title={t("Begins a new run before this step")}
            className="is-in-menu"
            hint="F"
            isDisabled={!canFork}
            onClick={() => model.set({ dialog: { kind: "fork", stepNumber } })}
          />
        )}
      </div>
    );
  const name = configurationName(states);
  const { label, tone } = outcomeOf(row);
  const status = isWorking ? "live" : isDriven(row) && !isConnected ? t("not connected") : label;
  return (
    <span
      className="status"
      data-tone={isWorking ? toneOf(index, states) : tone}
      data-is-working={isWorking || undefined}
      data-testid="run-status"
      data-state-name={name}
      title={row.error ? `${row.error.code}: ${row.error.message}` : name}
    >
      <i className="dot" /> {row.source === "file" && t("file · ")}
      {status} {row.error && <span className="num">{row.error.code}</span>}
    </span>
  );
}
