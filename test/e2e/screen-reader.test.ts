// The page for screen readers.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createAgent, defineTool, type Agent } from "agentchart";
import { accessibilityProblems } from "./support/axe.ts";
import { busyAgent } from "./support/busy.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { HeldModel } from "./support/held-model.ts";
import { longRunner } from "./support/long-run.ts";
import { makeConnectionProxy } from "./support/connection-proxy.ts";
import { recordMicrosteps, type Microstep } from "./support/record-microsteps.ts";

let env: Environment;
let agent: Agent;
let microsteps: Microstep[];
beforeAll(async () => {
  env = await makeEnvironment();
  agent = longRunner(60, env.hub.address);
  microsteps = recordMicrosteps(agent);
  await agent.call("Look everywhere.");
});
afterAll(async () => {
  await agent.close();
  await env.close();
});
afterEach(() => env.closePages());

type Opened = Awaited<ReturnType<Environment["open"]>>;

/** Returns the active option of the list of steps: its id, position and the number of options. */
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

describe("The list of steps", () => {
  test("names the selected step, its position and the number of steps at any scroll position", async () => {
    const opened = await env.open();
    const { page, ui } = opened;
    const steps = microsteps.length;
    await ui.choose(agent.sessionId);
    for (const stepNumber of [steps, 1, 17, Math.floor(steps / 2), steps - 1]) {
      await ui.goTo(stepNumber);
      await expect
        .poll(() => activeStep(opened))
        .toEqual({ id: `step-${stepNumber}`, selected: "true", place: stepNumber, count: steps });
    }
    const options = page.locator(".timeline [role=option]");
    expect(await options.count()).toBeLessThan(60);
    const list = page.getByRole("listbox", { name: "Steps" });
    await list.hover();
    await page.mouse.wheel(0, -100_000);
    await page.locator("#step-1").waitFor();
    expect(await activeStep(opened)).toBeUndefined();
    for (const [step, place] of await options.evaluateAll((all) =>
      all.map((row) => [row.getAttribute("data-step"), row.getAttribute("aria-posinset")] as const),
    ))
      expect(place).toBe(step);
  });

  test("names the position among the matching steps while it is filtered", async () => {
    const opened = await env.open();
    const { page, ui } = opened;
    const id = "agent.reasoning.calling";
    const matching = microsteps.flatMap(({ states }, at) =>
      states.includes(id) && !microsteps[at - 1]?.states.includes(id) ? [at + 1] : [],
    );
    await ui.choose(agent.sessionId);
    await page
      .locator(`svg.chart [data-state="${id}"] rect`)
      .first()
      .click({ force: true, position: { x: 5, y: 5 } });
    await page.locator(".timeline .found").waitFor();
    await ui.goTo(matching[4]!);
    await expect
      .poll(() => activeStep(opened))
      .toEqual({ id: `step-${matching[4]!}`, selected: "true", place: 5, count: matching.length });
  });

  test("says that a step is not loaded and loads it on a click", async () => {
    const long = longRunner(420, env.hub.address);
    await long.call("Look everywhere.");
    const opened = await env.open();
    const { page, ui } = opened;
    const isSteps = (url: URL): boolean => url.pathname.endsWith("/steps");
    await page.route(isSteps, (route) => route.abort());
    await ui.choose(long.sessionId);
    await ui.waitForRest();
    const [, count] = await ui.steps();
    await ui.goTo(3);
    await expect.poll(() => activeStep(opened)).toEqual({ id: "step-3", selected: "true", place: 3, count });
    const row = page.locator("#step-3");
    expect(await row.innerText()).toContain("step 3 is not loaded");
    expect(await accessibilityProblems(page, ".timeline")).toEqual([]);
    await page.unroute(isSteps);
    await row.click();
    await expect.poll(() => row.innerText()).not.toContain("not loaded");
    await long.close();
  });
});

test("the chart is hidden from screen readers, and the outline marks the active states", async () => {
  const { page, ui } = await env.open();
  await ui.choose(agent.sessionId);
  const stepNumber = microsteps.findIndex(({ states }) => states.includes("agent.acting.executing")) + 1;
  await ui.goTo(stepNumber);
  expect(await page.locator("svg:not([aria-hidden=true])").count()).toBe(0);
  const tree = page.getByRole("tree", { name: /^States of/ });
  const marked = (): Promise<string[]> =>
    tree
      .locator("[role=treeitem][aria-current=step]")
      .evaluateAll((items) => items.map((item) => item.querySelector(".name")!.textContent!));
  const names = microsteps[stepNumber - 1]!.states.slice(1).map((id) => id.split(".").at(-1)!);
  await expect.poll(marked).toEqual(names);
  await page.keyboard.press("o");
  await page.locator(".outline-pane").waitFor();
  expect(await tree.count()).toBe(1);
  await expect.poll(marked).toEqual(names);
});

/** Records in the page what its live regions announce, and when. */
const LISTEN = `(() => {
  const announcements = globalThis.announcements = {
    since: performance.now(),
    polite: [],
    assertive: [],
    first: __agentchart.steps,
    get steps() { return __agentchart.steps - this.first; },
  };
  for (const kind of ["polite", "assertive"]) {
    const region = document.querySelector('[aria-live="' + kind + '"]');
    new MutationObserver(() => announcements[kind].push({ at: performance.now(), text: region.textContent }))
      .observe(region, { subtree: true, childList: true, characterData: true });
  }
})()`;

type Announcements = {
  readonly durationMs: number;
  readonly polite: readonly { readonly at: number; readonly text: string }[];
  readonly assertive: readonly { readonly text: string }[];
  /** How many steps the run has taken meanwhile. */
  readonly steps: number;
};

test("a countdown beside an error is not announced again and again", async () => {
  const { proxy, prepare } = makeConnectionProxy();
  const { page, ui } = await env.open({ prepare });
  await ui.choose(agent.sessionId);
  const region = page.locator("[role=status]:has([data-testid=lost])");
  const counted = region.locator("[aria-hidden=true].num, [aria-hidden=true] .num");
  /** Returns what a screen reader announces: elements hidden from it may change silently. */
  const announced = (): Promise<string> =>
    region.evaluate((element) => {
      const copy = element.cloneNode(true) as typeof element;
      for (const hidden of copy.querySelectorAll("[aria-hidden=true]")) hidden.remove();
      return copy.textContent!;
    });
  proxy.isOpen = false;
  proxy.disconnect();
  await region.waitFor();
  const first = await announced();
  expect(first).toMatch(/Connection lost\. Retrying/);
  const shown = await counted.innerText();
  await expect.poll(() => counted.innerText()).not.toBe(shown);
  expect(await announced()).toBe(first);
});

describe("The live regions", () => {
  const announcementsOf = ({ page }: Opened): Promise<Announcements> =>
    page.evaluate("({ ...announcements, durationMs: performance.now() - announcements.since })");

  test("announce the state of a fast run at most once a second", async () => {
    const busy = busyAgent(env.hub.address);
    const opened = await env.open();
    const running = busy.call("Go on.");
    await opened.ui.choose(busy.sessionId);
    await expect.poll(() => opened.ui.status()).toMatch(/(reasoning|acting)\./);
    await opened.page.evaluate(LISTEN);
    await expect.poll(async () => (await announcementsOf(opened)).polite.length).toBeGreaterThan(4);
    const { polite, assertive, steps, durationMs } = await announcementsOf(opened);
    busy.interrupt();
    await running;
    // one per second, one that was in progress and one that was due
    expect(polite.length).toBeLessThanOrEqual(durationMs / 1_000 + 2);
    expect(steps).toBeGreaterThan(4 * polite.length);
    for (const { text } of polite) expect(text).toMatch(/^(reasoning|acting)\./);
    expect(assertive).toEqual([]);
    await busy.close();
  });

  test("announce calls that need approval immediately, until they are decided", async () => {
    const held = new HeldModel();
    const pay = defineTool({
      name: "pay",
      description: "Pays.",
      input: { type: "object" },
      execute: () => "Paid.",
    });
    const payer = createAgent({
      name: "payer",
      model: held.model,
      tools: [pay],
      permissions: { rules: [{ tool: "pay", action: "ask" }] },
      inspect: env.hub.address,
    });
    const opened = await env.open();
    const turn = payer.call("Pay both.");
    await held.requested(1);
    await opened.ui.choose(payer.sessionId);
    await opened.page.evaluate(LISTEN);
    held.send(
      { type: "tool.delta", key: 0, id: "ann", name: "pay", args: "{}" },
      { type: "tool.delta", key: 1, id: "ben", name: "pay", args: "{}" },
      { type: "finish", reason: "tool_calls" },
    );
    await turn;
    const announced = async (): Promise<readonly string[]> =>
      (await announcementsOf(opened)).assertive.map(({ text }) => text);
    await expect.poll(async () => (await announced()).at(-1)).toBe("pay needs approval. pay needs approval.");
    await payer.decide("ann", "approve");
    await expect.poll(async () => (await announced()).at(-1)).toBe("pay needs approval.");
    await payer.close();
  });
});
