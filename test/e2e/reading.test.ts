import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createAgent, defineTool, type Agent } from "agentchart";
import { accessibilityProblems } from "./support/axe.ts";
import { busyAgent } from "./support/busy.ts";
import { makeDesk, type Desk } from "./support/desk.ts";
import { HeldModel } from "./support/held-model.ts";
import { longRunner } from "./support/long-run.ts";
import { makeTap } from "./support/tap.ts";
import { truthOf, type Truth } from "./support/truth.ts";

let desk: Desk;
let agent: Agent;
let truth: Truth[];
beforeAll(async () => {
  desk = await makeDesk();
  agent = longRunner(60, desk.hub.address);
  truth = truthOf(agent);
  await agent.call("Look everywhere.");
});
afterAll(async () => {
  await agent.close();
  await desk.close();
});
afterEach(() => desk.closePages());

type Opened = Awaited<ReturnType<Desk["open"]>>;

/** The option that the list of steps names as the active one: its step, place and how many there are. */
function activeStep({ page }: Opened) {
  return page.getByRole("listbox", { name: "Steps" }).evaluate((list) => {
    const id = list.getAttribute("aria-activedescendant");
    if (id === null) return undefined;
    const option = list.querySelector(`[id="${id}"]`);
    return {
      id,
      selected: option?.ariaSelected,
      place: Number(option?.ariaPosInSet),
      count: Number(option?.ariaSetSize),
    };
  });
}

describe("A reader of the steps hears", () => {
  test("which one is shown, its place, and how many there are, wherever the list is scrolled to", async () => {
    const opened = await desk.open();
    const { page, ui } = opened;
    const steps = truth.length;
    await ui.choose(agent.sessionId);
    for (const q of [steps, 1, 17, Math.floor(steps / 2), steps - 1]) {
      await ui.goTo(q);
      await expect
        .poll(() => activeStep(opened))
        .toEqual({ id: `step-${q}`, selected: "true", place: q, count: steps });
    }
    const options = page.locator(".timeline [role=option]");
    expect(await options.count()).toBeLessThan(60);
    const list = page.getByRole("listbox", { name: "Steps" });
    await list.hover();
    await page.mouse.wheel(0, -100_000);
    await page.locator("#step-1").waitFor();
    expect(await activeStep(opened)).toBeUndefined();
    for (const [q, place] of await options.evaluateAll((all) =>
      all.map((row) => [row.getAttribute("data-q"), row.getAttribute("aria-posinset")] as const),
    ))
      expect(place).toBe(q);
  });

  test("the place among those that the list is narrowed to", async () => {
    const opened = await desk.open();
    const { page, ui } = opened;
    const id = "agent.reasoning.calling";
    const among = truth.flatMap(({ states }, at) =>
      states.includes(id) && !truth[at - 1]?.states.includes(id) ? [at + 1] : [],
    );
    await ui.choose(agent.sessionId);
    await page.locator(`svg.chart [data-state="${id}"] .title`).click({ force: true });
    await page.locator(".timeline .found").waitFor();
    await ui.goTo(among[4]!);
    await expect
      .poll(() => activeStep(opened))
      .toEqual({ id: `step-${among[4]!}`, selected: "true", place: 5, count: among.length });
  });

  test("that a step is missing, and where; a click on it fetches it", async () => {
    const long = longRunner(220, desk.hub.address);
    await long.call("Look everywhere.");
    const opened = await desk.open();
    const { page, ui } = opened;
    const isSteps = (url: URL): boolean => url.pathname.endsWith("/steps");
    await page.route(isSteps, (route) => route.abort());
    await ui.choose(long.sessionId);
    await ui.rests();
    const [, count] = await ui.step();
    await ui.goTo(3);
    await expect.poll(() => activeStep(opened)).toEqual({ id: "step-3", selected: "true", place: 3, count });
    const row = page.locator("#step-3");
    expect(await row.innerText()).toContain("step 3 is not here yet");
    expect(await accessibilityProblems(page, ".timeline")).toEqual([]);
    await page.unroute(isSteps);
    await row.click();
    await expect.poll(() => row.innerText()).not.toContain("not here");
    await long.close();
  });
});

test("the chart is hidden from readers; the outline beside it and the one in its place mark what is active", async () => {
  const { page, ui } = await desk.open();
  await ui.choose(agent.sessionId);
  const q = truth.findIndex(({ states }) => states.includes("agent.acting.executing")) + 1;
  await ui.goTo(q);
  expect(await page.locator("svg:not([aria-hidden=true])").count()).toBe(0);
  const tree = page.getByRole("tree", { name: /^States of/ });
  const marked = (): Promise<string[]> =>
    tree
      .locator("[role=treeitem][aria-current=step]")
      .evaluateAll((items) => items.map((item) => item.querySelector(".name")!.textContent!));
  const names = truth[q - 1]!.states.slice(1).map((id) => id.split(".").at(-1)!);
  await expect.poll(marked).toEqual(names);
  await page.keyboard.press("o");
  await page.locator(".outline-pane").waitFor();
  expect(await tree.count()).toBe(1);
  await expect.poll(marked).toEqual(names);
});

/** Notes in the page what its live regions say, and when. */
const LISTEN = `(() => {
  const heard = globalThis.heard = {
    since: performance.now(),
    polite: [],
    assertive: [],
    first: __agentchart.steps,
    get steps() { return __agentchart.steps - this.first; },
  };
  for (const kind of ["polite", "assertive"]) {
    const region = document.querySelector('[aria-live="' + kind + '"]');
    new MutationObserver(() => heard[kind].push({ at: performance.now(), text: region.textContent }))
      .observe(region, { subtree: true, childList: true, characterData: true });
  }
})()`;

type Heard = {
  readonly lasted: number;
  readonly polite: readonly { readonly at: number; readonly text: string }[];
  readonly assertive: readonly { readonly text: string }[];
  /** How many the run has taken meanwhile. */
  readonly steps: number;
};

test("what counts up or down beside a trouble is not said again and again", async () => {
  const { tap, prepare } = makeTap();
  const { page, ui } = await desk.open({ prepare });
  await ui.choose(agent.sessionId);
  const region = page.locator("[role=status]:has([data-testid=lost])");
  const counted = region.locator("[aria-hidden=true].num, [aria-hidden=true] .num");
  /** What a reader is told: what is hidden from it changes in silence. */
  const said = (): Promise<string> =>
    region.evaluate((element) => {
      const copy = element.cloneNode(true) as typeof element;
      for (const hidden of copy.querySelectorAll("[aria-hidden=true]")) hidden.remove();
      return copy.textContent!;
    });
  tap.isOpen = false;
  tap.cut();
  await region.waitFor();
  const first = await said();
  expect(first).toMatch(/does not answer\. Trying again/);
  const shown = await counted.innerText();
  await expect.poll(() => counted.innerText()).not.toBe(shown);
  expect(await said()).toBe(first);
});

describe("Somebody who listens is told", () => {
  const heardBy = ({ page }: Opened): Promise<Heard> =>
    page.evaluate("({ ...heard, lasted: performance.now() - heard.since })");

  test("where a run of many steps a second stands, no more than once a second", async () => {
    const busy = busyAgent(desk.hub.address);
    const opened = await desk.open();
    const running = busy.call("Go on.");
    await opened.ui.choose(busy.sessionId);
    await expect.poll(() => opened.ui.standing()).toMatch(/(reasoning|acting)\./);
    await opened.page.evaluate(LISTEN);
    await expect.poll(async () => (await heardBy(opened)).polite.length).toBeGreaterThan(4);
    const { polite, assertive, steps, lasted } = await heardBy(opened);
    busy.interrupt();
    await running;
    // one a second, the one that was being said, and one that was due
    expect(polite.length).toBeLessThanOrEqual(lasted / 1_000 + 2);
    expect(steps).toBeGreaterThan(4 * polite.length);
    for (const { text } of polite) expect(text).toMatch(/^(reasoning|acting)\./);
    expect(assertive).toEqual([]);
    await busy.close();
  });

  test("at once who must answer what, until it is answered", async () => {
    const held = new HeldModel();
    const pay = defineTool({
      name: "pay",
      description: "Pays.",
      input: { type: "object" },
      execute: () => "Paid.",
    });
    const asking = createAgent({
      name: "payer",
      model: held.model,
      tools: [pay],
      permissions: { rules: [{ tool: "pay", action: "ask" }] },
      inspect: desk.hub.address,
    });
    const opened = await desk.open();
    const asked = asking.call("Pay both.");
    await held.asked(1);
    await opened.ui.choose(asking.sessionId);
    await opened.page.evaluate(LISTEN);
    held.give(
      { type: "tool.delta", key: 0, id: "ann", name: "pay", args: "{}" },
      { type: "tool.delta", key: 1, id: "ben", name: "pay", args: "{}" },
      { type: "finish", reason: "tool_calls" },
    );
    await asked;
    const said = async (): Promise<readonly string[]> =>
      (await heardBy(opened)).assertive.map(({ text }) => text);
    await expect.poll(async () => (await said()).at(-1)).toBe("pay wants to run. pay wants to run.");
    await asking.decide("ann", "approve");
    await expect.poll(async () => (await said()).at(-1)).toBe("pay wants to run.");
    await asking.close();
  });
});
