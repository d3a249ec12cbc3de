// The page has no axe violation in any tab and theme.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createAgent, type Agent } from "agentchart";
import { problemsInBothThemes } from "./support/axe.ts";
import { NO_FAULTS } from "./support/browser.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { HeldModel } from "./support/held-model.ts";
import { parserFixer } from "./support/parser-fixer.ts";
import { settled } from "./support/settled.ts";
import { pageContext } from "./support/page-context.ts";
import { recordMicrosteps, type Microstep } from "./support/record-microsteps.ts";

let env: Environment;
let agent: Agent;
let microsteps: Microstep[];
beforeAll(async () => {
  env = await makeEnvironment();
  agent = parserFixer({ inspect: env.hub.address });
  microsteps = recordMicrosteps(agent);
  await agent.call("Please mend the lexer.");
});
afterAll(async () => {
  await agent.close();
  await env.close();
});
afterEach(() => env.closePages());

describe("The page, in dark and in light,", () => {
  test("has no axe violations while a call waits for approval, in any tab", async () => {
    const { page, ui } = await env.open();
    await ui.choose(agent.sessionId);
    await ui.pending("c5").waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
    for (const tab of ["context", "diff", "event", "tokens", "raw", "prompt"]) {
      await ui.openTab(tab);
      expect(await problemsInBothThemes(page, ".right"), tab).toEqual([]);
    }
    await ui.pending("c5").getByRole("button", { name: /^Edit/ }).click();
    expect(await problemsInBothThemes(page, ".right")).toEqual([]);
  });

  test("has no axe violations at a past step, in the outline and in the dialogs", async () => {
    const { page, ui } = await env.open();
    await ui.choose(agent.sessionId);
    await ui.goTo(9);
    expect(await problemsInBothThemes(page)).toEqual([]);
    await page.keyboard.press("o");
    await page.locator(".outline-pane").waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
    for (const key of ["?", "g"]) {
      await page.keyboard.press(key);
      await page.getByRole("dialog").waitFor();
      expect(await problemsInBothThemes(page, "dialog"), key).toEqual([]);
      await page.keyboard.press("Escape");
      await page.locator("dialog").waitFor({ state: "detached" });
    }
  });

  test("has no axe violations without a token and on a phone", async () => {
    const withoutToken = await env.open({ at: `${env.hub.url}/` });
    await withoutToken.page.getByTestId("welcome").waitFor();
    expect(await problemsInBothThemes(withoutToken.page)).toEqual([]);
    const { page } = await env.open({ viewport: { width: 390, height: 844 } });
    await page.locator(".phone-nav").waitFor();
    for (const panel of ["Runs", "Chart", "Steps", "Details"]) {
      await page.getByRole("navigation", { name: "Panels" }).getByRole("button", { name: panel }).click();
      expect(await problemsInBothThemes(page), panel).toEqual([]);
    }
  });
});

test("past steps can be reached and inspected with the keyboard alone", async () => {
  const { page, ui, faults } = await env.open();
  await ui.waitForChart();
  const press = (...keys: readonly string[]): Promise<void> =>
    keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
  const newest = microsteps.length;
  await ui.waitForStep(newest);
  await press("Home");
  await ui.waitForStep(1);
  await press("j", "ArrowDown", "ArrowRight", "k");
  await ui.waitForStep(3);
  const topAt = (stepNumber: number): string => microsteps[stepNumber - 1]!.states[1]!;
  const displayedTop = async (): Promise<string | undefined> => (await ui.activeStates())[1];
  await expect.poll(displayedTop).toBe(topAt(3));
  await press("Shift+ArrowRight");
  await expect.poll(displayedTop).not.toBe(topAt(3));
  const [entered] = await ui.steps();
  expect(await displayedTop()).toBe(topAt(entered));
  expect(topAt(entered - 1)).toBe(topAt(3));
  await press("g");
  await page.getByRole("dialog").locator("input:focus").waitFor();
  await page.keyboard.type("2");
  await press("Enter");
  await ui.waitForStep(2);
  await press("3");
  await ui.panel("context").getByRole("tree").waitFor();
  expect(await ui.context(2)).toEqual(pageContext(microsteps[1]!.context));
  await press("d");
  await ui.panel("diff").waitFor();
  await press("l");
  await ui.waitForStep(newest);
  await press("?");
  await page.getByRole("dialog").waitFor();
  await press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  await press("/");
  await page.getByRole("searchbox", { name: "Find a run" }).and(page.locator(":focus")).waitFor();
  await page.keyboard.type("jjlg");
  expect(await page.getByRole("searchbox", { name: "Find a run" }).inputValue()).toBe("jjlg");
  await ui.waitForStep(newest);
  expect(faults).toEqual(NO_FAULTS);
});

test("arrow, page and Home/End keys move through the focused timeline while single-key shortcuts are off", async () => {
  const { page, ui } = await env.open();
  await ui.choose(agent.sessionId);
  await page.keyboard.press("?");
  await page.getByRole("checkbox", { name: /single-key/ }).uncheck();
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  const newest = microsteps.length;
  await ui.waitForStep(newest);
  const timeline = page.getByRole("listbox", { name: "Steps" });
  const stepAfter = async (key: string): Promise<number> => {
    const [before] = await ui.steps();
    await timeline.press(key);
    await expect.poll(async () => (await ui.steps())[0]).not.toBe(before);
    const [displayed] = await ui.steps();
    await expect.poll(() => timeline.getAttribute("aria-activedescendant")).toBe(`step-${displayed}`);
    return displayed;
  };
  expect(await stepAfter("ArrowUp")).toBe(newest - 1);
  expect(await stepAfter("Home")).toBe(1);
  expect(await stepAfter("ArrowDown")).toBe(2);
  const paged = await stepAfter("PageDown");
  expect(paged).toBeGreaterThan(3);
  expect(await stepAfter("ArrowDown")).toBe(paged + 1);
  expect(await stepAfter("PageUp")).toBe(3);
  expect(await stepAfter("End")).toBe(newest);
  await page.keyboard.press("k");
  await page.getByRole("button", { name: "Keyboard shortcuts (?)" }).click();
  await page.getByRole("checkbox", { name: /single-key/ }).check();
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  await ui.waitForStep(newest);
  expect(await stepAfter("ArrowUp")).toBe(newest - 1);
  expect(await stepAfter("ArrowUp")).toBe(newest - 2);
});

test("j and k move between the matching steps while the timeline is filtered by a state", async () => {
  const { page, ui } = await env.open();
  await ui.choose(agent.sessionId);
  await ui.waitForStep(microsteps.length);
  const id = "agent.reasoning.calling";
  const entering = microsteps.flatMap(({ states }, at) =>
    states.includes(id) && !microsteps[at - 1]?.states.includes(id) ? [at + 1] : [],
  );
  await page
    .locator(`svg.chart [data-state="${id}"] rect`)
    .first()
    .click({ force: true, position: { x: 5, y: 5 } });
  await expect
    .poll(() => page.locator(".timeline .found").innerText())
    .toMatch(`entered ${entering.length} times, `);
  for (const stepNumber of entering.toReversed()) {
    await page.keyboard.press("k");
    await ui.waitForStep(stepNumber);
  }
  await page.keyboard.press("k");
  await page.keyboard.press("j");
  await ui.waitForStep(entering[1]!);
  await page.locator(`.timeline [data-step="${entering[1]}"][aria-selected="true"]`).waitFor();
  for (const stepNumber of entering.slice(2)) {
    await page.keyboard.press("j");
    await ui.waitForStep(stepNumber);
  }
  await page.keyboard.press("j");
  await ui.waitForStep(microsteps.length);
});

test("the header fits a phone's screen and shows the agent's name, its actions in words, and a menu", async () => {
  const model = new HeldModel();
  const busy = createAgent({ name: "clerk-of-many-words", model: model.model, inspect: env.hub.address });
  const turn = busy.call("Go.");
  await model.requested(1);
  const { page, ui } = await env.open({ viewport: { width: 390, height: 844 } });
  const header = page.locator("header.header");
  const panels = page.getByRole("navigation", { name: "Panels" });
  const isVisible = async (found: ReturnType<typeof page.locator>): Promise<boolean> => {
    const { x = -1, width = 0 } = (await found.boundingBox()) ?? {};
    return x >= 0 && width >= 24 && x + width <= 390;
  };
  const fits = async (name: string): Promise<void> => {
    const displayedName = header.locator("strong", { hasText: name });
    await displayedName.waitFor();
    await settled(page);
    const [needed, available] = await header.evaluate(
      (found: { scrollWidth: number; clientWidth: number }) => [found.scrollWidth, found.clientWidth],
    );
    expect(needed).toBeLessThanOrEqual(available!);
    expect(await isVisible(displayedName)).toBe(true);
    expect(await isVisible(header.getByRole("button", { name: "More about the page" }))).toBe(true);
  };
  for (const { sessionId, name } of [busy, agent]) {
    await panels.getByRole("button", { name: "Runs" }).click();
    await ui.run(sessionId).click();
    await header.getByRole("button", { name: "Interrupt" }).waitFor();
    expect(await isVisible(header.getByText("Interrupt"))).toBe(true);
    await fits(name);
    await page.evaluate(`location.hash += "/2"`);
    await header.getByText("step 2 of").waitFor();
    await fits(name);
  }
  await header.getByRole("button", { name: "More about the page" }).click();
  await page.getByRole("menuitem", { name: "Keyboard shortcuts" }).click();
  await page.getByRole("dialog").waitFor();
  model.send({ type: "text.delta", delta: "Done." }, { type: "finish", reason: "stop" });
  await turn;
  await busy.close();
});

test("the state of a run that works moves, and nothing does if the user prefers reduced motion", async () => {
  const model = new HeldModel();
  const busy = createAgent({ name: "busy", model: model.model, inspect: env.hub.address });
  const turn = busy.call("Go.");
  await model.requested(1);
  for (const reducedMotion of ["no-preference", "reduce"] as const) {
    const { page, ui } = await env.open({ reducedMotion });
    await ui.choose(busy.sessionId);
    const moving = await page.evaluate<number>(
      `document.getAnimations().filter(({ effect }) => effect.getComputedTiming().duration > 10).length`,
    );
    expect(moving > 0, reducedMotion).toBe(reducedMotion === "no-preference");
  }
  model.send({ type: "text.delta", delta: "Done." }, { type: "finish", reason: "stop" });
  await turn;
  await busy.close();
});
