import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createAgent, defineTool, type Agent } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { makeDesk, type Desk } from "./support/desk.ts";
import { HeldModel } from "./support/held-model.ts";
import { longRunner } from "./support/long-run.ts";
import { parserFixer } from "./support/scene.ts";
import { settled } from "./support/settled.ts";
import { truthOf, type Truth } from "./support/truth.ts";

let desk: Desk;
let agent: Agent;
let truth: Truth[];
beforeAll(async () => {
  desk = await makeDesk();
  agent = parserFixer({ inspect: desk.hub.address, store: memoryStore() });
  truth = truthOf(agent);
  await agent.call("Please mend the lexer.");
});
afterAll(async () => {
  await agent.close();
  await desk.close();
});
afterEach(() => desk.closePages());

type Opened = Awaited<ReturnType<Desk["open"]>>;

/** A window on the run that waits for an approval. */
async function look(): Promise<Opened> {
  const opened = await desk.open();
  await opened.ui.choose(agent.sessionId);
  await opened.ui.pending("c5").waitFor();
  await opened.ui.at(truth.length);
  return opened;
}

const topAt = (q: number): string => truth[q - 1]!.states[1]!;

describe("A key goes", () => {
  test("to the first step, to where the top state was another one, and to the newest", async () => {
    const { page, ui } = await look();
    const newest = truth.length;
    await page.keyboard.press("Shift+ArrowLeft");
    await expect.poll(async () => (await ui.step())[0]).not.toBe(newest);
    const [left] = await ui.step();
    expect(topAt(left)).not.toBe(topAt(newest));
    expect(topAt(left + 1)).toBe(topAt(newest));
    await page.keyboard.press("Home");
    await ui.at(1);
    await page.keyboard.press("ArrowRight");
    await ui.at(2);
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("j");
    await ui.at(3);
    await page.keyboard.press("End");
    await ui.at(newest);
    await page.getByRole("button", { name: "Live", exact: true, pressed: true }).waitFor();
  });

  test("to each tab, and to what the step changed", async () => {
    const { page, ui } = await look();
    for (const [place, tab] of ["conversation", "context", "diff", "event", "tokens", "raw"].entries()) {
      await page.keyboard.press(String(place + 1));
      await ui.panel(tab).waitFor();
      expect(await ui.tab(tab).getAttribute("aria-selected")).toBe("true");
    }
    await page.keyboard.press("d");
    await ui.panel("diff").waitFor();
  });

  test("nearer to the chart, away from it, to all of it, and to the outline", async () => {
    const { page } = await look();
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

  test("to the playing of the run, and stops it", async () => {
    const long = longRunner(60, desk.hub.address);
    await long.call("Look everywhere.");
    const { page, ui } = await desk.open();
    await ui.choose(long.sessionId);
    await page.getByRole("listbox", { name: "Steps" }).focus();
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Stop playing (space)" }).waitFor();
    await expect.poll(async () => (await ui.step())[0]).toBeGreaterThan(2);
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Play (space)" }).waitFor();
    const [shown, newest] = await ui.step();
    expect(shown).toBeLessThan(newest);
    await long.close();
  });

  test("to the pause of a run, and to its going on", async () => {
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
      inspect: desk.hub.address,
    });
    const { page, ui } = await desk.open();
    paused.call("Tell me.").catch(() => {});
    await held.asked(1);
    await ui.choose(paused.sessionId);
    await page.getByRole("button", { name: /^Pause/ }).waitFor();
    await page.keyboard.press("p");
    await page.locator('.timeline [title="run.shutdown"]').waitFor();
    held.give(
      { type: "tool.delta", key: 0, id: "n1", name: "note", args: "{}" },
      { type: "finish", reason: "tool_calls" },
    );
    await page.getByRole("button", { name: /^Resume/ }).waitFor();
    expect(held.requests).toHaveLength(1);
    await page.keyboard.press("p");
    await held.asked(2);
    held.give({ type: "text.delta", delta: "There." }, { type: "finish", reason: "stop" });
    await expect.poll(() => ui.standing()).toMatch(/idle/);
    await paused.close();
  });
});

describe("Keys of a card", () => {
  test("act while the card has the focus, and nowhere else", async () => {
    const { page, ui } = await look();
    const card = ui.pending("c5");
    await page.getByRole("listbox", { name: "Steps" }).focus();
    for (const key of ["a", "e", "r"]) await page.keyboard.press(key);
    await card.getByRole("button", { name: /^Approve/ }).focus();
    for (const key of ["a", "e", "r"]) await page.keyboard.press(key);
    expect(await card.locator("form").count()).toBe(0);
    await page.keyboard.press("y");
    await card.and(page.locator(":focus")).waitFor();
    await page.keyboard.press("r");
    const reason = card.getByRole("textbox", { name: /^Why not/ });
    await reason.and(page.locator(":focus")).waitFor();
    await page.keyboard.type("are");
    expect(await reason.inputValue()).toBe("are");
    expect(agent.status().pending[0]?.decided).toBeUndefined();
  });

  test("send edited arguments with Ctrl+Enter, not with Enter alone", async () => {
    const edited = parserFixer({ inspect: desk.hub.address });
    await edited.call("Please mend the lexer.");
    const { page, ui } = await desk.open();
    await ui.choose(edited.sessionId);
    const card = ui.pending("c5");
    await card.waitFor();
    await page.keyboard.press("y");
    await page.keyboard.press("e");
    const command = card.getByRole("textbox", { name: "command" });
    await command.and(page.locator(":focus")).waitFor();
    const trouble = card.getByRole("alert");
    await card.getByRole("textbox", { name: "timeoutS" }).fill("soon");
    await page.keyboard.press("Enter");
    expect(await trouble.count()).toBe(0);
    await page.keyboard.press("Control+Enter");
    await trouble.waitFor();
    await card.getByRole("textbox", { name: "timeoutS" }).fill("90");
    await page.keyboard.press("Control+Enter");
    await expect.poll(() => ui.standing()).toMatch(/idle/);
    expect(JSON.stringify(await edited.messages())).toContain("new branch");
    expect(await page.locator('[data-notice="bad"]').count()).toBe(0);
    await edited.close();
  });
});

test("keys are left to whoever types, to a list of choices, and to the browser", async () => {
  const { page, ui } = await look();
  await page.keyboard.press("/");
  const find = page.getByRole("searchbox");
  await find.and(page.locator(":focus")).waitFor();
  await page.keyboard.type("ok4?l g");
  expect(await find.inputValue()).toBe("ok4?l g");
  await find.fill("");
  await page.getByRole("combobox", { name: "Which runs" }).focus();
  for (const key of ["k", "4", "o", "?"]) await page.keyboard.press(key);
  await page.getByRole("listbox", { name: "Steps" }).focus();
  for (const key of ["Control+4", "Alt+4", "Meta+o"]) await page.keyboard.press(key);
  await page.keyboard.press("k");
  await ui.at(truth.length - 1);
  expect(await page.locator("dialog, .outline-pane").count()).toBe(0);
  expect(await ui.tab("event").getAttribute("aria-selected")).toBe("false");
});

test("turned off, no single key acts, also after the page is opened anew; those of a focused card do", async () => {
  const { page, ui } = await look();
  await page.keyboard.press("?");
  await page.getByRole("checkbox", { name: /single keys/ }).uncheck();
  await page.getByRole("button", { name: "Close" }).click();
  const nothing = async (): Promise<void> => {
    await page.locator("dialog").waitFor({ state: "detached" });
    for (const key of ["?", "g", "k", "Home", "4", "o", "f"]) await page.keyboard.press(key);
    await page.getByRole("button", { name: "Step back (←)" }).click();
    await ui.at(truth.length - 1);
    expect(await page.locator("dialog, .outline-pane").count()).toBe(0);
    expect(await ui.tab("event").getAttribute("aria-selected")).toBe("false");
  };
  await nothing();
  await page.reload();
  await ui.choose(agent.sessionId);
  await ui.at(truth.length);
  await nothing();
  await ui.pending("c5").focus();
  await page.keyboard.press("r");
  await ui
    .pending("c5")
    .getByRole("textbox", { name: /^Why not/ })
    .waitFor();
});
