import { useEffect, useState } from "react";
import { WAIT_TEXT } from "../logic/wait-text.ts";
import { configurationName } from "../logic/chart-index.ts";
import { limitLabel } from "../../../machines/agent/limits.ts";
import { model, type PendingState } from "../store/model.ts";
import { useModel } from "../store/use-model.ts";
import { labelled } from "../words/said.ts";
import { t } from "../words/t.ts";

/**
 * Announces to screen readers the state of the run, at most once a second, and immediately that a decision is
 * pending.
 */
export function Announcer() {
  const [location, setLocation] = useState("");
  const pending = useModel((all) => all.pending);
  useEffect(() => {
    const timer = setInterval(() => {
      if (model.stepNumber === 0) return;
      const name = configurationName(model.run.statesAt(model.stepNumber));
      setLocation(model.isLive ? name : t`step ${model.stepNumber}, ${name}`);
    }, 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <>
      <p className="hidden-text" aria-live="polite">
        {location}
      </p>
      <p className="hidden-text" aria-live="assertive">
        {waitText(pending)}
      </p>
    </>
  );
}

function waitText({ items, exceeded }: PendingState): string {
  const calls = items
    .filter(({ decided }) => decided === undefined)
    .map(({ name, waitsFor }) => `${name} ${WAIT_TEXT[waitsFor]}.`);
  const rest =
    exceeded === "breakpoint"
      ? t("Stopped at a breakpoint")
      : exceeded === undefined
        ? ""
        : t`Budget used up: ${labelled(limitLabel(exceeded))}.`;
  return [...calls, rest].filter(Boolean).join(" ");
}
