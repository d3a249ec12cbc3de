import { useEffect, useState } from "react";
import { ASKS } from "../logic/asks.ts";
import { configurationName } from "../logic/chart-index.ts";
import { limitName } from "../logic/limits.ts";
import { model, type PendingState } from "../store/model.ts";
import { useModel } from "../store/use-model.ts";

/** What a screen reader is told: where the run stands, at most once a second, and at once that somebody must answer. */
export function Announcer() {
  const [where, setWhere] = useState("");
  const pending = useModel((all) => all.pending);
  useEffect(() => {
    const timer = setInterval(() => {
      if (model.q > 0)
        setWhere(
          `${model.isLive ? "" : `step ${model.q}, `}${configurationName(model.run.statesAt(model.q))}`,
        );
    }, 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <>
      <p className="hidden-text" aria-live="polite">
        {where}
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
    .map(({ name, waitsFor }) => `${name} ${ASKS[waitsFor]}.`);
  return [
    ...calls,
    ...(exceeded === undefined ? [] : [`The budget of ${limitName(exceeded)} is used up.`]),
  ].join(" ");
}
