// Dialogs: focus, keys and axe.
import type { Locator } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createAgent, defineTool, type Agent } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { problemsInBothThemes } from "./support/axe.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { isTrapped } from "./support/focus.ts";
import { HeldModel } from "./support/held-model.ts";
import { parserFixer } from "./support/parser-fixer.ts";
import {
  agentWaitingForAnswer,
  agentWithUnknownOutcome,
  agentOverBudget,
} from "./support/suspended-agents.ts";

let env: Environment;
let approval: Agent;
let running: Agent;
let resting: Agent;
let waiting: Agent[];
let turn: Promise<unknown>;
const held = new HeldModel();

beforeAll(async () => {
  env = await makeEnvironment();
  const inspect = env.hub.address;
  approval = parserFixer({ inspect, store: memoryStore() });
  await approval.call("Please mend the lexer.");
  running = createAgent({ name: "running", model: held.model, inspect });
  turn = running.call("Go.");
  await held.requested(1);
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
  waiting = await Promise.all([
    agentOverBudget(inspect),
    agentWaitingForAnswer(inspect),
    agentWithUnknownOutcome(inspect),
  ]);
});
afterAll(async () => {
  const end = [
    { type: "text.delta", delta: "Done." },
    { type: "finish", reason: "stop" },
  ] as const;
  held.send(...end, ...end); // the second one answers the request after the steering message
  await turn;
  for (const agent of [approval, running, resting, ...waiting]) await agent.close();
  await env.close();
});
afterEach(() => env.closePages());

type Opened = Awaited<ReturnType<Environment["open"]>>;

/** Each dialog, a run that offers it, and the key or button that opens it. */
const DIALOGS: readonly (readonly [name: string, run: () => Agent, opener: string | RegExp])[] = [
  ["Keyboard shortcuts", () => approval, "?"],
  ["Go to a step", () => approval, "g"],
  ["Edit and run again from", () => approval, "f"],
  ["Steer the turn", () => running, /^Steer/],
  ["Interrupt the turn", () => running, /^Interrupt/],
  ["Send a message", () => resting, /^Message/],
  ["Long text", () => resting, /^(open|show all \()\s?\d/],
];

/** Opens a dialog; returns the element that had the focus before. */
async function openDialog({ page }: Opened, opener: string | RegExp): Promise<Locator> {
  if (typeof opener === "string") {
    const steps = page.getByRole("listbox", { name: "Steps" });
    await steps.press(opener);
    return steps;
  }
  const button = page.getByRole("button", { name: opener }).first();
  await button.click();
  return button;
}

test("no dialog has an axe violation in dark and in light", async () => {
  const opened = await env.open();
  const { page, ui } = opened;
  for (const [name, run, opener] of DIALOGS) {
    await ui.choose(run().sessionId);
    await openDialog(opened, opener);
    await page.getByRole("dialog", { name }).waitFor();
    expect(await problemsInBothThemes(page, "dialog"), name).toEqual([]);
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
  }
});

test("no card and none of its forms has an axe violation in dark and in light", async () => {
  const { page, ui } = await env.open();
  for (const [at, id] of ["budget", "clerk", "wire"].entries()) {
    await ui.choose(waiting[at]!.sessionId);
    await ui.pending(id).waitFor();
    expect(await problemsInBothThemes(page, ".pending"), id).toEqual([]);
  }
  await ui.choose(approval.sessionId);
  for (const name of [/^Edit/, /^Deny/, /^Answer/]) {
    await ui.pending("c5").getByRole("button", { name }).click();
    expect(await problemsInBothThemes(page, ".pending"), String(name)).toEqual([]);
    await ui.pending("c5").getByRole("button", { name: "Back" }).click();
  }
});

test.each(DIALOGS)(
  "the dialog %s traps the focus until Escape closes it and restores it then",
  async (name, run, opener) => {
    const opened = await env.open();
    const { page, ui } = opened;
    await ui.choose(run().sessionId);
    const before = await openDialog(opened, opener);
    await page.getByRole("dialog", { name }).locator(":focus").waitFor();
    expect(await isTrapped(page, "dialog", 8)).toBe(true);
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
    await before.and(page.locator(":focus")).waitFor();
  },
);

test("a dialog that is submitted restores the focus", async () => {
  const { page, ui } = await env.open();
  await ui.choose(approval.sessionId);
  const steps = page.getByRole("listbox", { name: "Steps" });
  await steps.focus();
  await page.keyboard.press("g");
  await page.getByRole("dialog").locator("input:focus").waitFor();
  await page.keyboard.type("5");
  await page.keyboard.press("Enter");
  await ui.waitForStep(5);
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

test("a form of a card focuses its first field when it opens and the card when it closes", async () => {
  const { page, ui } = await env.open();
  await ui.choose(waiting[1]!.sessionId);
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
