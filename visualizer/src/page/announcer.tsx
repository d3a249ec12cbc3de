import { useEffect, useState } from "react";
import { configurationName } from "../logic/chart-index.ts";
import { model } from "../store/model.ts";
import { useModel } from "../store/use-model.ts";

/** What a screen reader is told: where the run stands, at most once a second, and at once that somebody must answer. */
export function Announcer() {
  const [where, setWhere] = useState("");
  const items = useModel((all) => all.pending.items);
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
        {items.map(({ name, waitsFor }) => `${name} waits: ${waitsFor}.`).join(" ")}
      </p>
    </>
  );
}
