import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createAgent, type Agent } from "agentchart";
import { accessibilityProblems } from "./support/axe.ts";
import { NO_FAULTS } from "./support/browser.ts";
import { makeDesk, type Desk } from "./support/desk.ts";
import { HeldModel } from "./support/held-model.ts";
import { parserFixer } from "./support/scene.ts";
import { settled } from "./support/settled.ts";
import { shownContext } from "./support/shown.ts";
import { truthOf, type Truth } from "./support/truth.ts";

let desk: Desk;
let agent: Agent;
let truth: Truth[];
beforeAll(async () => {
  desk = await makeDesk();
  agent = parserFixer({ inspect: desk.hub.address });
  truth = truthOf(agent);
  await agent.call("Please mend the lexer.");
});
afterAll(async () => {
  await agent.close();
  await desk.close();
});
afterEach(() => desk.closePages());

describe.each(["dark", "light"] as const)("In %s, axe finds nothing wrong", (colorScheme) => {
  test("live, with somebody to answer, and in every tab", async () => {
    const { page, ui } = await desk.open({ colorScheme });
    await ui.choose(agent.sessionId);
    await ui.pending("c5").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    for (const tab of ["context", "diff", "event", "tokens", "raw"]) {
      await ui.openTab(tab);
      expect(await accessibilityProblems(page, ".right"), tab).toEqual([]);
    }
    await ui.pending("c5").getByRole("button", { name: /^Edit/ }).click();
    expect(await accessibilityProblems(page, ".right")).toEqual([]);
  });

  test("in the past, in the outline, and in the dialogs", async () => {
    const { page, ui } = await desk.open({ colorScheme });
    await ui.choose(agent.sessionId);
    await ui.goTo(9);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press("o");
    await page.locator(".outline-pane").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    for (const key of ["?", "g"]) {
      await page.keyboard.press(key);
      await page.getByRole("dialog").waitFor();
      expect(await accessibilityProblems(page, "dialog"), key).toEqual([]);
      await page.keyboard.press("Escape");
      await page.locator("dialog").waitFor({ state: "detached" });
    }
  });

  test("without a token, and on a phone", async () => {
    const stranger = await desk.open({ colorScheme, at: `${desk.hub.url}/` });
    await stranger.page.getByTestId("welcome").waitFor();
    expect(await accessibilityProblems(stranger.page)).toEqual([]);
    const { page } = await desk.open({ colorScheme, viewport: { width: 390, height: 844 } });
    await page.locator(".phone-nav").waitFor();
    for (const panel of ["Runs", "Chart", "Steps", "Details"]) {
      await page.getByRole("navigation", { name: "Panels" }).getByRole("button", { name: panel }).click();
      expect(await accessibilityProblems(page), panel).toEqual([]);
    }
  });
});

test("the past is looked at with the keyboard alone", async () => {
  const { page, ui, faults } = await desk.open();
  await ui.chart();
  const press = (...keys: readonly string[]): Promise<void> =>
    keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
  const newest = truth.length;
  await ui.at(newest);
  await press("Home");
  await ui.at(1);
  await press("j", "ArrowDown", "ArrowRight", "k");
  await ui.at(3);
  const topAt = (q: number): string => truth[q - 1]!.states[1]!;
  const shownTop = async (): Promise<string | undefined> => (await ui.active())[1];
  await expect.poll(shownTop).toBe(topAt(3));
  await press("Shift+ArrowRight");
  await expect.poll(shownTop).not.toBe(topAt(3));
  const [entered] = await ui.step();
  expect(await shownTop()).toBe(topAt(entered));
  expect(topAt(entered - 1)).toBe(topAt(3));
  await press("g");
  await page.getByRole("dialog").locator("input:focus").waitFor();
  await page.keyboard.type("7");
  await press("Enter");
  await ui.at(7);
  await press("2");
  await ui.panel("context").getByRole("tree").waitFor();
  expect(await ui.context(7)).toEqual(shownContext(truth[6]!.context));
  await press("d");
  await ui.panel("diff").waitFor();
  await press("l");
  await ui.at(newest);
  await press("?");
  await page.getByRole("dialog").waitFor();
  await press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  await press("/");
  await page.getByRole("searchbox").and(page.locator(":focus")).waitFor();
  await page.keyboard.type("jjlg");
  expect(await page.getByRole("searchbox").inputValue()).toBe("jjlg");
  await ui.at(newest);
  expect(faults).toEqual(NO_FAULTS);
});

test("with single keys off, the focused timeline is gone through by its own keys", async () => {
  const { page, ui } = await desk.open();
  await ui.choose(agent.sessionId);
  await page.keyboard.press("?");
  await page.getByRole("checkbox", { name: /single keys/ }).uncheck();
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  const newest = truth.length;
  await ui.at(newest);
  const timeline = page.getByRole("listbox", { name: "Steps" });
  const goneTo = async (key: string): Promise<number> => {
    const [before] = await ui.step();
    await timeline.press(key);
    await expect.poll(async () => (await ui.step())[0]).not.toBe(before);
    const [q] = await ui.step();
    await expect.poll(() => timeline.getAttribute("aria-activedescendant")).toBe(`step-${q}`);
    return q;
  };
  expect(await goneTo("ArrowUp")).toBe(newest - 1);
  expect(await goneTo("Home")).toBe(1);
  expect(await goneTo("ArrowDown")).toBe(2);
  const paged = await goneTo("PageDown");
  expect(paged).toBeGreaterThan(3);
  expect(await goneTo("ArrowDown")).toBe(paged + 1);
  expect(await goneTo("PageUp")).toBe(3);
  expect(await goneTo("End")).toBe(newest);
  await page.keyboard.press("k");
  await page.getByRole("button", { name: "Keys (?)" }).click();
  await page.getByRole("checkbox", { name: /single keys/ }).check();
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  await ui.at(newest);
  expect(await goneTo("ArrowUp")).toBe(newest - 1);
  expect(await goneTo("ArrowUp")).toBe(newest - 2);
});

test("with the timeline narrowed to a state, the keys go from one of its steps to another", async () => {
  const { page, ui } = await desk.open();
  await ui.choose(agent.sessionId);
  await ui.at(truth.length);
  const id = "agent.reasoning.calling";
  const entering = truth.flatMap(({ states }, at) =>
    states.includes(id) && !truth[at - 1]?.states.includes(id) ? [at + 1] : [],
  );
  await page.locator(`svg.chart [data-state="${id}"] .title`).click({ force: true });
  await expect
    .poll(() => page.locator(".timeline .found").innerText())
    .toMatch(`entered ${entering.length} times, `);
  for (const q of entering.toReversed()) {
    await page.keyboard.press("k");
    await ui.at(q);
  }
  await page.keyboard.press("k");
  await page.keyboard.press("j");
  await ui.at(entering[1]!);
  await page.locator(`.timeline [data-q="${entering[1]}"][aria-selected="true"]`).waitFor();
  for (const q of entering.slice(2)) {
    await page.keyboard.press("j");
    await ui.at(q);
  }
  await page.keyboard.press("j");
  await ui.at(truth.length);
});

test("on a phone the header is no wider than the screen, with the agent's name and the help in view", async () => {
  const model = new HeldModel();
  const busy = createAgent({ name: "clerk-of-many-words", model: model.model, inspect: desk.hub.address });
  const asked = busy.call("Go.");
  await model.asked(1);
  const { page, ui } = await desk.open({ viewport: { width: 390, height: 844 } });
  const header = page.locator("header.header");
  const panels = page.getByRole("navigation", { name: "Panels" });
  const isSeen = async (found: ReturnType<typeof page.locator>): Promise<boolean> => {
    const { x = -1, width = 0 } = (await found.boundingBox()) ?? {};
    return x >= 0 && width >= 24 && x + width <= 390;
  };
  const fits = async (name: string): Promise<void> => {
    const shownName = header.locator("strong", { hasText: name });
    await shownName.waitFor();
    await settled(page);
    const [needed, there] = await header.evaluate((found: { scrollWidth: number; clientWidth: number }) => [
      found.scrollWidth,
      found.clientWidth,
    ]);
    expect(needed).toBeLessThanOrEqual(there!);
    expect(await isSeen(shownName)).toBe(true);
    expect(await isSeen(header.getByRole("button", { name: "Keys (?)" }))).toBe(true);
  };
  for (const { sessionId, name } of [busy, agent]) {
    await panels.getByRole("button", { name: "Runs" }).click();
    await ui.run(sessionId).click();
    await header.getByRole("button", { name: "Interrupt" }).waitFor();
    await fits(name);
    await page.evaluate(`location.hash += "/2"`);
    await header.getByText("step 2 of").waitFor();
    await fits(name);
  }
  model.give({ type: "text.delta", delta: "Done." }, { type: "finish", reason: "stop" });
  await asked;
  await busy.close();
});

test("who wants less motion gets none", async () => {
  const { page, ui } = await desk.open({ reducedMotion: "reduce" });
  await ui.choose(agent.sessionId);
  const moving = await page.evaluate(
    `document.getAnimations().filter(({ effect }) => effect.getComputedTiming().duration > 10).length`,
  );
  expect(moving).toBe(0);
});
