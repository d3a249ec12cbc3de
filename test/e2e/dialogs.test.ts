import type { Locator } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createAgent, defineTool, type Agent } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { accessibilityProblems } from "./support/axe.ts";
import { makeDesk, type Desk } from "./support/desk.ts";
import { isTrapped } from "./support/focus.ts";
import { HeldModel } from "./support/held-model.ts";
import { parserFixer } from "./support/scene.ts";
import { asksClerk, cutOffWhileWiring, outOfBudget } from "./support/waiting.ts";

let desk: Desk;
let approval: Agent;
let running: Agent;
let resting: Agent;
let others: Agent[];
let asked: Promise<unknown>;
const held = new HeldModel();

beforeAll(async () => {
  desk = await makeDesk();
  const inspect = desk.hub.address;
  approval = parserFixer({ inspect, store: memoryStore() });
  await approval.call("Please mend the lexer.");
  running = createAgent({ name: "running", model: held.model, inspect });
  asked = running.call("Go.");
  await held.asked(1);
  const read = defineTool({
    name: "read",
    description: "Reads.",
    input: { type: "object" },
    execute: () => "A long text. ".repeat(20_000),
  });
  resting = createAgent({
    name: "reader",
    model: scriptedModel([{ calls: [{ id: "r", name: "read" }] }, "Read."]),
    tools: [read],
    inspect,
  });
  await resting.call("Read.");
  others = await Promise.all([outOfBudget(inspect), asksClerk(inspect), cutOffWhileWiring(inspect)]);
});
afterAll(async () => {
  const end = [
    { type: "text.delta", delta: "Gone." },
    { type: "finish", reason: "stop" },
  ] as const;
  held.give(...end, ...end); // it is asked once more after it was steered
  await asked;
  for (const agent of [approval, running, resting, ...others]) await agent.close();
  await desk.close();
});
afterEach(() => desk.closePages());

type Opened = Awaited<ReturnType<Desk["open"]>>;

/** Each dialog, a run that has it, and the key or the button that opens it. */
const DIALOGS: readonly (readonly [name: string, run: () => Agent, opener: string | RegExp])[] = [
  ["Keys", () => approval, "?"],
  ["Go to a step", () => approval, "g"],
  ["Fork from step", () => approval, "f"],
  ["Steer the turn", () => running, /^Steer/],
  ["Interrupt the turn", () => running, /^Interrupt/],
  ["Send a message", () => resting, /^Message/],
  ["Long text", () => resting, /^(open|all) \d/],
];

/** Opens a dialog; what it leads back to is what had the focus before. */
async function show({ page }: Opened, opener: string | RegExp): Promise<Locator> {
  if (typeof opener === "string") {
    const steps = page.getByRole("listbox", { name: "Steps" });
    await steps.press(opener);
    return steps;
  }
  const button = page.getByRole("button", { name: opener }).first();
  await button.click();
  return button;
}

describe.each(["dark", "light"] as const)("In %s, axe finds nothing wrong", (colorScheme) => {
  test("in the dialogs", async () => {
    const opened = await desk.open({ colorScheme });
    const { page, ui } = opened;
    for (const [name, run, opener] of DIALOGS) {
      await ui.choose(run().sessionId);
      await show(opened, opener);
      await page.getByRole("dialog", { name }).waitFor();
      expect(await accessibilityProblems(page, "dialog"), name).toEqual([]);
      await page.keyboard.press("Escape");
      await page.locator("dialog").waitFor({ state: "detached" });
    }
  });

  test("in the cards and their forms", async () => {
    const { page, ui } = await desk.open({ colorScheme });
    for (const [at, id] of ["budget", "clerk", "wire"].entries()) {
      await ui.choose(others[at]!.sessionId);
      await ui.pending(id).waitFor();
      expect(await accessibilityProblems(page, ".pending"), id).toEqual([]);
    }
    await ui.choose(approval.sessionId);
    for (const name of [/^Edit/, /^Deny/, /^Answer/]) {
      await ui.pending("c5").getByRole("button", { name }).click();
      expect(await accessibilityProblems(page, ".pending"), String(name)).toEqual([]);
      await ui.pending("c5").getByRole("button", { name: "Back" }).click();
    }
  });
});

test.each(DIALOGS)(
  "the dialog %s keeps the focus until Escape closes it, then the focus is where it was",
  async (name, run, opener) => {
    const opened = await desk.open();
    const { page, ui } = opened;
    await ui.choose(run().sessionId);
    const before = await show(opened, opener);
    await page.getByRole("dialog", { name }).locator(":focus").waitFor();
    expect(await isTrapped(page, "dialog", 8)).toBe(true);
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
    await before.and(page.locator(":focus")).waitFor();
  },
);

test("a dialog that has done its work gives the focus back, too", async () => {
  const { page, ui } = await desk.open();
  await ui.choose(approval.sessionId);
  const steps = page.getByRole("listbox", { name: "Steps" });
  await steps.focus();
  await page.keyboard.press("g");
  await page.getByRole("dialog").locator("input:focus").waitFor();
  await page.keyboard.type("5");
  await page.keyboard.press("Enter");
  await ui.at(5);
  await steps.and(page.locator(":focus")).waitFor();
  await ui.choose(running.sessionId);
  await page.getByRole("button", { name: /^Steer/ }).click();
  await page.getByRole("dialog").locator("textarea:focus").waitFor();
  await page.keyboard.type("In French, please.");
  await page.keyboard.press("Control+Enter");
  await page
    .getByRole("button", { name: /^Steer/ })
    .and(page.locator(":focus"))
    .waitFor();
});

test("whoever turns to a form of a card is in its first field, and on the card again when it closes", async () => {
  const { page, ui } = await desk.open();
  await ui.choose(others[1]!.sessionId);
  await ui.pending("clerk").waitFor();
  expect(await ui.pending("clerk").locator(":focus").count()).toBe(0);
  await ui.choose(approval.sessionId);
  const card = ui.pending("c5");
  for (const name of [/^Edit/, /^Deny/, /^Answer/]) {
    await card.getByRole("button", { name }).click();
    await card.locator("form :is(input, textarea):focus").waitFor();
    await card.getByRole("button", { name: "Back" }).press("Enter");
    await card.and(page.locator(":focus")).waitFor();
  }
});
