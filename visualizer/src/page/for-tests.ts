import { model } from "../store/model.ts";
import { pace } from "../store/pace.ts";

/** A way to read, never to change, what the page holds: `window.__agentchart`. */
export function showToTests(): void {
  const view = {
    get selection() {
      return { ...model.selection, shown: model.q };
    },
    get steps() {
      return model.run.last;
    },
    /** The step of the selected run at which the chart is drawn; 0 if there is none yet. */
    get drawn() {
      return pace.shown.run === model.run ? pace.shown.q : 0;
    },
    get connection() {
      return model.connection.kind;
    },
    statesAt: (q: number) => [...model.run.statesAt(q)],
    contextAt: (q: number) => model.run.contextAt(q),
    stepAt: (q: number) => model.run.at(q),
  };
  Object.defineProperty(window, "__agentchart", { value: Object.freeze(view) });
}
