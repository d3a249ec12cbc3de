import type { Locator, Page } from "playwright-core";

/** The page as a person uses it. */
export class InspectorPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  run(runId: string): Locator {
    return this.page.locator(`[data-run="${runId}"]`);
  }

  /** Opens a run from the list and waits until its chart is drawn. */
  async choose(runId: string): Promise<void> {
    await this.run(runId).click();
    await this.page.locator("svg.chart [data-state]").first().waitFor({ timeout: 60_000 });
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

  /** The step that is shown and the newest one. */
  async step(): Promise<readonly [shown: number, newest: number]> {
    const slider = this.page.getByRole("slider", { name: "Step" });
    const [now, most] = await Promise.all(
      ["aria-valuenow", "aria-valuemax"].map((name) => slider.getAttribute(name)),
    );
    return [Number(now), Number(most)];
  }

  /** Goes to a step by its address. */
  async goTo(q: number): Promise<void> {
    await this.page.evaluate(`location.hash = location.hash.replace(/^(#\\/run\\/[^/]+).*/, "$1/${q}")`);
    await this.at(q);
  }

  /** Ends when this step is shown. */
  async at(q: number): Promise<void> {
    const slider = this.page.getByRole("slider", { name: "Step" });
    await slider.and(this.page.locator(`[aria-valuenow="${q}"]`)).waitFor();
  }

  tab(name: string): Locator {
    return this.page.locator(`[data-tab="${name}"]`);
  }

  panel(name: string): Locator {
    return this.page.locator(`[data-panel="${name}"]`);
  }

  async openTab(name: string): Promise<Locator> {
    await this.tab(name).click();
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
