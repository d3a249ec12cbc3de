import { agentMachine, chartJson } from "agentchart/machines";
import { element } from "./element.ts";

/** What a top-level state is for, in the words of a visitor. */
const WORDS: { readonly [state: string]: string } = {
  doCall: "a message comes in",
  reasoning: "the model is asked",
  acting: "tools run",
  summarizing: "the limit is reached",
  suspended: "somebody must answer",
  stopped: "no turn runs",
};

/** The chart of the agent as its states: each has a dot for each state in it, taken from the machine. */
export class ChartView {
  readonly root = element("ol", { class: "chart", "aria-label": "The states of the agent" });
  readonly #groups = new Map<string, HTMLElement>();
  readonly #dots = new Map<string, HTMLElement>();
  readonly #leaf = new Map<string, HTMLElement>();

  constructor() {
    const { id: chart, nodes } = chartJson(agentMachine);
    for (const { id, parent, description } of nodes) {
      if (parent !== chart) continue;
      const name = id.slice(chart.length + 1);
      const dots = nodes
        .filter((node) => node.id.startsWith(`${id}.`))
        .map((node) => {
          const dot = element("i", { title: node.id.slice(chart.length + 1) });
          this.#dots.set(dot.title, dot);
          return dot;
        });
      const leaf = element("small", {}, "\u00a0");
      const group = element(
        "li",
        { title: description ?? name, "data-state": name },
        element("b", {}, name),
        element("span", {}, WORDS[name] ?? ""),
        element("div", { class: "dots", "aria-hidden": "true" }, ...dots),
        leaf,
      );
      this.#groups.set(name, group);
      this.#leaf.set(name, leaf);
      this.root.append(group);
    }
  }

  /** Shows the state in which the session is, such as "acting.executing"; null: nothing runs it. */
  show(path: string | null): void {
    const parts = path?.split(".") ?? [];
    for (const [name, group] of this.#groups) {
      if (name === parts[0]) group.setAttribute("aria-current", "step");
      else group.removeAttribute("aria-current");
      this.#leaf.get(name)!.textContent =
        name === parts[0] ? parts.slice(1).join(" › ") || "\u00a0" : "\u00a0";
    }
    for (const dot of this.#dots.values()) dot.classList.remove("now");
    for (let length = 2; length <= parts.length; length++)
      this.#dots.get(parts.slice(0, length).join("."))?.classList.add("now", "seen");
  }
}
