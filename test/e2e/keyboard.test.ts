// The shortcuts of the page.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createAgent, defineTool, type Agent } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { HeldModel } from "./support/held-model.ts";
import { longRunner } from "./support/long-run.ts";
import { parserFixer } from "./support/parser-fixer.ts";
import { settled } from "./support/settled.ts";
import { recordMicrosteps, type Microstep } from "./support/record-microsteps.ts";

let env: Environment;
let agent: Agent;
let microsteps: Microstep[];
beforeAll(async () => {
  env = await makeEnvironment();
  agent = parserFixer({ inspect: env.hub.address, store: memoryStore() });
  microsteps = recordMicrosteps(agent);
  await agent.call("Please mend the lexer.");
});
afterAll(async () => {
  await agent.close();
  await env.close();
});
afterEach(() => env.closePages());

type Opened = Awaited<ReturnType<Environment["open"]>>;

/** Opens a page at the run that waits for an approval. */
async function openRun(): Promise<Opened> {
  const opened = await env.open();
  await opened.ui.choose(agent.sessionId);
  await opened.ui.pending("c5").waitFor();
  await opened.ui.waitForStep(microsteps.length);
  return opened;
}

const topAt = (stepNumber: number): string => microsteps[stepNumber - 1]!.states[1]!;

describe("The shortcuts", () => {
  test("select the first step, the previous step in another top-level state, neighbours and the newest step", async () => {
    const { page, ui } = await openRun();
    const newest = microsteps.length;
    await page.keyboard.press("Shift+ArrowLeft");
    await expect.poll(async () => (await ui.steps())[0]).not.toBe(newest);
    const [left] = await ui.steps();
    expect(topAt(left)).not.toBe(topAt(newest));
    expect(topAt(left + 1)).toBe(topAt(newest));
    await page.keyboard.press("Home");
    await ui.waitForStep(1);
    await page.keyboard.press("ArrowRight");
    await ui.waitForStep(2);
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("j");
    await ui.waitForStep(3);
    await page.keyboard.press("End");
    await ui.waitForStep(newest);
    await page.getByRole("button", { name: "Live", exact: true, pressed: true }).waitFor();
  });

  test("open each tab, and the diff with d", async () => {
    const { page, ui } = await openRun();
    for (const [place, tab] of [
      "conversation",
      "prompt",
      "context",
      "diff",
      "event",
      "tokens",
      "raw",
    ].entries()) {
      await page.keyboard.press(String(place + 1));
      await ui.panel(tab).waitFor();
      expect(await ui.tab(tab).getAttribute("aria-selected")).toBe("true");
    }
    await page.keyboard.press("d");
    await ui.panel("diff").waitFor();
  });

  test("zoom the chart in and out, fit it to the view and toggle the outline", async () => {
    const { page } = await openRun();
    const zoom = page.locator(".tools .zoom");
    await settled(page);
    const scale = async (): Promise<number> => Number.parseInt(await zoom.innerText(), 10);
    const whole = await scale();
    await page.keyboard.press("+");
    await expect.poll(scale).toBeGreaterThan(whole);
    const near = await scale();
    await page.keyboard.press("-");
    await expect.poll(scale).toBeLessThan(near);
    await page.keyboard.press("-");
    await expect.poll(scale).toBeLessThan(whole);
    await page.keyboard.press("0");
    await expect.poll(scale).toBe(whole);
    await page.keyboard.press("o");
    await page.locator(".outline-pane").waitFor();
    await page.keyboard.press("o");
    await page.locator("svg.chart [data-state]").first().waitFor();
  });

  test("start and pause the playback with space", async () => {
    const long = longRunner(60, env.hub.address);
    await long.call("Look everywhere.");
    const { page, ui } = await env.open();
    await ui.choose(long.sessionId);
    await page.getByRole("listbox", { name: "Steps" }).focus();
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Pause playback (space)" }).waitFor();
    await expect.poll(async () => (await ui.steps())[0]).toBeGreaterThan(2);
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Play (space)" }).waitFor();
    const [shown, newest] = await ui.steps();
    expect(shown).toBeLessThan(newest);
    await long.close();
  });

  test("pause and resume the run with p", async () => {
    const held = new HeldModel();
    const note = defineTool({
      name: "note",
      description: "Takes a note.",
      input: { type: "object" },
      execute: () => "Noted.",
    });
    const paused = createAgent({
      name: "paused",
      model: held.model,
      tools: [note],
      store: memoryStore(),
      inspect: env.hub.address,
    });
    const { page, ui } = await env.open();
    paused.call("Tell me.").catch(() => {});
    await held.requested(1);
    await ui.choose(paused.sessionId);
    await page.getByRole("button", { name: /^Pause/ }).waitFor();
    await page.keyboard.press("p");
    await page.locator(".timeline .title", { hasText: "the process shuts down" }).waitFor();
    held.send(
      { type: "tool.delta", key: 0, id: "n1", name: "note", args: "{}" },
      { type: "finish", reason: "tool_calls" },
    );
    await page.getByRole("button", { name: /^Resume/ }).waitFor();
    expect(held.requests).toHaveLength(1);
    await page.keyboard.press("p");
    await held.requested(2);
    held.send({ type: "text.delta", delta: "There." }, { type: "finish", reason: "stop" });
    await expect.poll(() => ui.status()).toMatch(/idle/);
    await paused.close();
  });
});

describe("The shortcuts of a card", () => {
  test("act only while the card itself has the focus", async () => {
    const { page, ui } = await openRun();
    const card = ui.pending("c5");
    const keys = (): Promise<number> => card.locator("kbd").filter({ visible: true }).count();
    await page.getByRole("listbox", { name: "Steps" }).focus();
    expect(await keys()).toBe(0);
    for (const key of ["a", "e", "r"]) await page.keyboard.press(key);
    await card.getByRole("button", { name: /^Approve/ }).focus();
    for (const key of ["a", "e", "r"]) await page.keyboard.press(key);
    expect(await card.locator("form").count()).toBe(0);
    await page.keyboard.press("y");
    await card.and(page.locator(":focus")).waitFor();
    expect(await keys()).toBe(3);
    await page.keyboard.press("r");
    const reason = card.getByRole("textbox", { name: /^Reason/ });
    await reason.and(page.locator(":focus")).waitFor();
    await page.keyboard.type("are");
    expect(await reason.inputValue()).toBe("are");
    expect(agent.status().pending[0]?.decided).toBeUndefined();
  });

  test("send edited arguments with Ctrl+Enter but not with Enter", async () => {
    const edited = parserFixer({ inspect: env.hub.address });
    await edited.call("Please mend the lexer.");
    const { page, ui } = await env.open();
    await ui.choose(edited.sessionId);
    const card = ui.pending("c5");
    await card.waitFor();
    await page.keyboard.press("y");
    await page.keyboard.press("e");
    const command = card.getByRole("textbox", { name: "command" });
    await command.and(page.locator(":focus")).waitFor();
    const error = card.getByRole("alert");
    await card.getByRole("textbox", { name: "timeoutS" }).fill("soon");
    await page.keyboard.press("Enter");
    expect(await error.count()).toBe(0);
    await page.keyboard.press("Control+Enter");
    await error.waitFor();
    await card.getByRole("textbox", { name: "timeoutS" }).fill("90");
    await page.keyboard.press("Control+Enter");
    await expect.poll(() => ui.status()).toMatch(/idle/);
    expect(JSON.stringify(await edited.messages())).toContain("new branch");
    expect(await page.locator('[data-notice="bad"]').count()).toBe(0);
    await edited.close();
  });
});

test("shortcuts ignore keys in text fields and select boxes and keys with Ctrl, Alt or Meta", async () => {
  const { page, ui } = await openRun();
  await page.keyboard.press("/");
  const find = page.getByRole("searchbox", { name: "Find a run" });
  await find.and(page.locator(":focus")).waitFor();
  await page.keyboard.type("ok4?l g");
  expect(await find.inputValue()).toBe("ok4?l g");
  await find.fill("");
  await page.getByRole("combobox", { name: "Filter runs" }).focus();
  for (const key of ["k", "4", "o", "?"]) await page.keyboard.press(key);
  await page.getByRole("listbox", { name: "Steps" }).focus();
  for (const key of ["Control+4", "Alt+4", "Meta+o"]) await page.keyboard.press(key);
  await page.keyboard.press("k");
  await ui.waitForStep(microsteps.length - 1);
  expect(await page.locator("dialog, .outline-pane").count()).toBe(0);
  expect(await ui.tab("event").getAttribute("aria-selected")).toBe("false");
});

test("disabled single-key shortcuts stay disabled after a reload, except those of a focused card", async () => {
  const { page, ui } = await openRun();
  await page.keyboard.press("?");
  await page.getByRole("checkbox", { name: /single-key/ }).uncheck();
  await page.getByRole("button", { name: "Close" }).click();
  const expectNoEffect = async (): Promise<void> => {
    await page.locator("dialog").waitFor({ state: "detached" });
    for (const key of ["?", "g", "k", "Home", "4", "o", "f"]) await page.keyboard.press(key);
    await page.getByRole("button", { name: "Previous step (←)" }).click();
    await ui.waitForStep(microsteps.length - 1);
    expect(await page.locator("dialog, .outline-pane").count()).toBe(0);
    expect(await ui.tab("event").getAttribute("aria-selected")).toBe("false");
  };
  await expectNoEffect();
  await page.reload();
  await ui.choose(agent.sessionId);
  await ui.waitForStep(microsteps.length);
  await expectNoEffect();
  await ui.pending("c5").focus();
  await page.keyboard.press("r");
  await ui
    .pending("c5")
    .getByRole("textbox", { name: /^Reason/ })
    .waitFor();
});
