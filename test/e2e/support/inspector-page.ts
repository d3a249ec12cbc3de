import type { Locator, Page } from "playwright-core";

/** How long the page may take for anything, in ms. */
const PATIENCE = 60_000;

/** The page as a person uses it. */
export class InspectorPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  run(runId: string): Locator {
    return this.page.locator(`[data-run="${runId}"]`);
  }

  /** Opens a run from the list and waits until a step of it and its chart are drawn. */
  async choose(runId: string): Promise<void> {
    await this.run(runId).click();
    await this.#until(`__agentchart.selection.runId === ${JSON.stringify(runId)} && __agentchart.drawn > 0`);
    await this.chart();
  }

  /** Ends when the newest step is one at which the run rests, in one of these states, and is drawn. */
  async rests(states = ["agent.stopped.idle", "agent.suspended.waiting"]): Promise<void> {
    const newest = "__agentchart.statesAt(__agentchart.steps).at(-1)";
    await this.#until(`${JSON.stringify(states)}.includes(${newest})`);
    await this.#until("__agentchart.selection.shown === __agentchart.drawn");
  }

  /** Ends when a chart is drawn. */
  async chart(): Promise<void> {
    await this.page.locator("svg.chart [data-state]").first().waitFor();
  }

  /** Ends when this holds in the page. */
  async #until(condition: string): Promise<void> {
    await this.page.evaluate(`new Promise((resolve, reject) => {
      const end = performance.now() + ${PATIENCE};
      const look = () => {
        if (${condition}) resolve();
        else if (performance.now() > end) reject(new Error(${JSON.stringify(`It never held: ${condition}`)}));
        else requestAnimationFrame(look);
      };
      look();
    })`);
  }

  /** The ids of the states that are lit in the chart, in the order of the machine file. */
  active(): Promise<string[]> {
    return this.page
      .locator("svg.chart [data-state][data-active]")
      .evaluateAll((nodes) => nodes.map((node) => node.getAttribute("data-state")!));
  }

  /** The edges of the chart that are lit as those of the shown step. */
  async taken(): Promise<string[]> {
    const lit = await this.page.locator('svg.chart [data-taken="0"]').evaluateAll((edges) =>
      edges.flatMap((edge) => {
        const lines = [...edge.querySelectorAll("[data-label][data-lit]")];
        return lines.length > 0
          ? lines.map((line) => line.getAttribute("data-label")!)
          : edge.getAttribute("data-edge")!.split(" ");
      }),
    );
    return lit;
  }

  /** The run that is shown, by the address. */
  async shownRun(): Promise<string> {
    return decodeURIComponent(await this.page.evaluate<string>('location.hash.split("/")[2]'));
  }

  /** The step that is shown and the newest one. */
  step(): Promise<readonly [shown: number, newest: number]> {
    return this.page
      .getByRole("slider", { name: "Step" })
      .evaluate((slider) => [Number(slider.ariaValueNow), Number(slider.ariaValueMax)] as const);
  }

  /** Goes to a step by its address. */
  async goTo(q: number): Promise<void> {
    await this.page.evaluate(`location.hash = location.hash.replace(/^(#\\/run\\/[^/]+).*/, "$1/${q}")`);
    await this.at(q);
  }

  /** Ends when this step is shown, in the chart too. */
  async at(q: number): Promise<void> {
    const slider = this.page.getByRole("slider", { name: "Step" });
    await slider.and(this.page.locator(`[aria-valuenow="${q}"]`)).waitFor();
    await this.#until(`__agentchart.drawn === ${q}`);
  }

  tab(name: string): Locator {
    return this.page.locator(`[data-tab="${name}"]`);
  }

  panel(name: string): Locator {
    return this.page.locator(`[data-panel="${name}"]`);
  }

  async openTab(name: string): Promise<Locator> {
    await this.tab(name).click();
    await this.panel(name).waitFor();
    return this.panel(name);
  }

  /** The places that the diff lists. */
  async changedPaths(diff: Locator): Promise<string[]> {
    const paths = await diff
      .locator("[data-change]")
      .evaluateAll((entries) => entries.map((entry) => entry.getAttribute("data-path")!));
    return paths.toSorted();
  }

  /** The context after a step, as the page has put it together. */
  context(q: number): Promise<unknown> {
    return this.page.evaluate(
      (step) =>
        (globalThis as unknown as { __agentchart: { contextAt(q: number): unknown } }).__agentchart.contextAt(
          step,
        ),
      q,
    );
  }

  /** The values without members that a tree of JSON shows: where each stands, and its text. */
  contextLeaves(tree: Locator): Promise<(readonly [path: string, text: string])[]> {
    return tree
      .locator('[role="treeitem"]:not([aria-expanded])')
      .evaluateAll((lines) =>
        lines.map(
          (line) => [line.getAttribute("data-path")!, line.querySelector(".value")!.textContent!] as const,
        ),
      );
  }

  pending(callId: string): Locator {
    return this.page.locator(`[data-pending="${callId}"]`);
  }

  /** Where the run stands, as the header says. */
  standing(): Promise<string> {
    return this.page.getByTestId("standing").innerText();
  }
}
