import { model } from "../store/model.ts";
import { stepThrottle } from "../store/displayed-step.ts";

/** Exposes the page's data for tests as `window.__agentchart`, read-only. */
export function exposeForTests(): void {
  const view = {
    get selection() {
      return { ...model.selection, shown: model.stepNumber };
    },
    get steps() {
      return model.run.last;
    },
    /** The step of the selected run at which the chart is drawn; 0 if it is not drawn yet. */
    get drawn() {
      return stepThrottle.displayed.run === model.run ? stepThrottle.displayed.stepNumber : 0;
    },
    get connection() {
      return model.connection.kind;
    },
    statesAt: (stepNumber: number) => [...model.run.statesAt(stepNumber)],
    contextAt: (stepNumber: number) => model.run.contextAt(stepNumber),
    stepAt: (stepNumber: number) => model.run.at(stepNumber),
  };
  Object.defineProperty(window, "__agentchart", { value: Object.freeze(view) });
}
