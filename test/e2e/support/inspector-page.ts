import type { Locator, Page } from "playwright-core";

/** Timeout of every condition that a test waits for in the page, in ms. */
const TIMEOUT_MS = 60_000;

/** True for a path of the machine's own context, without the request to the model that the inspector adds. */
const isOfMachine = (path: string): boolean => !/^modelCall(?:[.[]|$)/.test(path);

/** Page object: what a user does and sees in the inspector. */
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
    await this.#waitUntil(
      `__agentchart.selection.runId === ${JSON.stringify(runId)} && __agentchart.drawn > 0`,
    );
    await this.waitForChart();
  }

  /** Waits until the innermost state of the newest step is one of these, and that step is drawn. */
  async waitForRest(states = ["agent.stopped.idle", "agent.suspended.waiting"]): Promise<void> {
    const newest = "__agentchart.statesAt(__agentchart.steps).at(-1)";
    await this.#waitUntil(`${JSON.stringify(states)}.includes(${newest})`);
    await this.#waitUntil("__agentchart.selection.shown === __agentchart.drawn");
  }

  /** Waits until a chart, or the map that stands in its place, is drawn. */
  async waitForChart(): Promise<void> {
    await this.page.locator("svg.chart [data-state], svg.map [data-card]").first().waitFor();
  }

  /** Waits until a JavaScript condition is true in the page. */
  async #waitUntil(condition: string): Promise<void> {
    await this.page.evaluate(`new Promise((resolve, reject) => {
      const end = performance.now() + ${TIMEOUT_MS};
      const check = () => {
        if (${condition}) resolve();
        else if (performance.now() > end) reject(new Error(${JSON.stringify(`Timeout: ${condition}`)}));
        else requestAnimationFrame(check);
      };
      check();
    })`);
  }

  /** Returns the ids of the states that the chart shows as active, in document order. */
  activeStates(): Promise<string[]> {
    return this.page
      .locator("svg.chart [data-state][data-active]")
      .evaluateAll((nodes) => nodes.map((node) => node.getAttribute("data-state")!));
  }

  /** Returns the ids of the edges that the chart highlights as taken in the displayed step. */
  async takenEdges(): Promise<string[]> {
    return this.page.locator('svg.chart [data-taken="0"]').evaluateAll((edges) =>
      edges.flatMap((edge) => {
        const labels = [...edge.querySelectorAll("[data-label][data-highlighted]")];
        return labels.length > 0
          ? labels.map((label) => label.getAttribute("data-label")!)
          : edge.getAttribute("data-edge")!.split(" ");
      }),
    );
  }

  /** Returns the id of the displayed run, from the address. */
  async selectedRun(): Promise<string> {
    return decodeURIComponent(await this.page.evaluate<string>('location.hash.split("/")[2]'));
  }

  /** Returns the numbers of the displayed and of the newest step. */
  steps(): Promise<readonly [displayed: number, newest: number]> {
    return this.page
      .getByRole("slider", { name: "Step" })
      .evaluate((slider) => [Number(slider.ariaValueNow), Number(slider.ariaValueMax)] as const);
  }

  /** Opens a step by its address. */
  async goTo(stepNumber: number): Promise<void> {
    await this.page.evaluate(
      `location.hash = location.hash.replace(/^(#\\/run\\/[^/]+).*/, "$1/${stepNumber}")`,
    );
    await this.waitForStep(stepNumber);
  }

  /** Waits until a step is displayed and its chart is drawn. */
  async waitForStep(stepNumber: number): Promise<void> {
    const slider = this.page.getByRole("slider", { name: "Step" });
    await slider.and(this.page.locator(`[aria-valuenow="${stepNumber}"]`)).waitFor();
    await this.#waitUntil(`__agentchart.drawn === ${stepNumber}`);
  }

  /** Waits until the page has loaded a step. */
  async waitUntilLoaded(stepNumber: number): Promise<void> {
    await this.#waitUntil(`__agentchart.stepAt(${stepNumber}) !== undefined`);
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

  /** Returns the paths of the machine's context that the diff lists, sorted. */
  async changedPaths(diff: Locator): Promise<string[]> {
    const paths = await diff
      .locator("[data-change]")
      .evaluateAll((entries) => entries.map((entry) => entry.getAttribute("data-path")!));
    return paths.filter(isOfMachine).toSorted();
  }

  /** Returns the machine's context after a step, as the page has computed it from the patches. */
  async context(stepNumber: number): Promise<unknown> {
    const context = await this.page.evaluate(
      (number) =>
        (
          globalThis as unknown as {
            __agentchart: { contextAt(stepNumber: number): { readonly [key: string]: unknown } | undefined };
          }
        ).__agentchart.contextAt(number),
      stepNumber,
    );
    return context && Object.fromEntries(Object.entries(context).filter(([key]) => isOfMachine(key)));
  }

  /** Returns path and text of the values of the machine's context in a JSON tree that have no members. */
  async contextLeaves(tree: Locator): Promise<(readonly [path: string, text: string])[]> {
    const leaves = await tree
      .locator('[role="treeitem"]:not([aria-expanded])')
      .evaluateAll((lines) =>
        lines.map(
          (line) => [line.getAttribute("data-path")!, line.querySelector(".value")!.textContent!] as const,
        ),
      );
    return leaves.filter(([path]) => isOfMachine(path));
  }

  /** Returns the card of a call that waits; "budget" is the card of an exceeded budget. */
  pending(callId: string): Locator {
    return this.page.locator(`[data-pending="${callId}"]`);
  }

  /** Returns the run's status as the header shows it, and the state that is active, which its tooltip says. */
  async status(): Promise<string> {
    const status = this.page.getByTestId("run-status");
    return `${await status.innerText()} ${await status.getAttribute("data-state-name")}`;
  }
}
