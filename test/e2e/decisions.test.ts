// Decisions about calls in the page, with edited arguments.
import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Reply } from "agentchart";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { clickTwice } from "./support/click-twice.ts";
import { CHARTS } from "../diagram/charts.ts";
import { recordNotices } from "./support/notices.ts";
import { calls, payer, stopped } from "./support/payer.ts";
import { WirePage } from "./support/wire-page.ts";
import { WireWorker } from "./support/wire-worker.ts";

let env: Environment;
beforeAll(async () => {
  env = await makeEnvironment();
});
afterAll(() => env.close());
afterEach(() => env.closePages());

test("calls are approved, edited and denied: an edited number stays a number, and the model reads the reason of the denial", async () => {
  const { agent, model, paid } = payer(env, [
    calls({ to: "ann", cents: 100 }, { to: "ben", cents: 200 }, { to: "cy", cents: 300 }),
    "Settled.",
  ]);
  const { page, ui } = await env.open();
  const reply: Reply = await agent.call("Pay all of them.");
  expect(reply.reason).toBe("APPROVAL_REQUIRED");
  await ui.choose(agent.sessionId);
  await expect.poll(() => page.title()).toMatch(/^\(1\)/);

  const ann = ui.pending("to-ann");
  expect(await ann.innerText()).toMatch(/pay needs approval[^]*"ann"/);
  await ann.getByRole("button", { name: /^Approve/ }).click();
  await expect.poll(() => agent.status().pending[0]?.decided).toBe("approve");

  const ben = ui.pending("to-ben");
  await ben.getByRole("button", { name: /^Edit/ }).click();
  await ben.getByRole("textbox", { name: /cents/ }).fill("250");
  await expect.poll(() => ben.innerText()).toMatch(/cents: 200 250/);
  await ben.getByRole("textbox", { name: /cents/ }).press("Control+Enter");
  await expect.poll(() => agent.status().pending[1]?.decided).toEqual({ edit: { to: "ben", cents: 250 } });

  const cy = ui.pending("to-cy");
  await cy.getByRole("button", { name: /^Deny/ }).click();
  await cy.getByRole("textbox").fill("Cy was paid yesterday.");
  await cy.getByRole("button", { name: /^Deny/ }).click();

  await stopped(agent);
  expect(paid).toEqual([
    { to: "ann", cents: 100 },
    { to: "ben", cents: 250 },
  ]);
  expect(JSON.stringify(model.requests.at(-1)!.messages)).toContain("Cy was paid yesterday.");
  await expect.poll(() => page.locator("[data-pending]").count()).toBe(0);
  await expect.poll(() => page.title()).not.toMatch(/^\(/);
  model.done();
});

test("an invalid edit is reported at its field and nothing runs", async () => {
  const { agent, paid } = payer(env, [calls({ to: "ann", cents: 100 }), "Settled."]);
  const { ui } = await env.open();
  await agent.call("Pay.");
  await ui.choose(agent.sessionId);
  const card = ui.pending("to-ann");
  await card.getByRole("button", { name: /^Edit/ }).click();
  await card.getByRole("textbox", { name: /cents/ }).fill("a lot");
  await card.getByRole("button", { name: /^Approve changes/ }).click();
  await expect.poll(() => card.getByRole("alert").innerText()).toMatch(/number/);
  expect(agent.status().pending[0]?.decided).toBeUndefined();
  expect(paid).toEqual([]);
});

test("the open card and its form stay when an older call is decided elsewhere", async () => {
  const { agent, paid } = payer(env, [
    calls({ to: "ann", cents: 100 }, { to: "ben", cents: 200 }, { to: "cy", cents: 300 }),
    "Settled.",
  ]);
  const { page, ui } = await env.open();
  await agent.call("Pay all of them.");
  await ui.choose(agent.sessionId);
  await page.getByRole("button", { name: "Newer" }).click();
  const ben = ui.pending("to-ben");
  await ben.getByRole("button", { name: /^Edit/ }).click();
  await ben.getByRole("textbox", { name: /cents/ }).fill("250");
  await agent.decide("to-ann", "approve");
  await page.getByText("1 of 2").waitFor();
  expect(await ben.getByRole("textbox", { name: /cents/ }).inputValue()).toBe("250");
  await ben.getByRole("button", { name: /^Approve changes/ }).click();
  await ui.pending("to-cy").waitFor();
  expect(agent.status().pending.map(({ decided }) => decided)).toEqual([
    "approve",
    { edit: { to: "ben", cents: 250 } },
    undefined,
  ]);
  expect(paid).toEqual([]);
});

test("the form of a card does not stay for the same call of another run, though both are shown in one frame", async () => {
  const [{ agent: one }, { agent: other }] = [
    payer(env, [calls({ to: "ann", cents: 100 })]),
    payer(env, [calls({ to: "ann", cents: 100 })]),
  ];
  for (const agent of [one, other]) await agent.call("Pay ann.");
  const prepare = async (page: Page): Promise<void> => {
    await page.addInitScript(
      "requestAnimationFrame = (draw) => setTimeout(() => draw(performance.now()), 200)",
    );
  };
  const { page, ui } = await env.open({ prepare });
  await ui.choose(one.sessionId);
  await ui.pending("to-ann").getByRole("button", { name: /^Deny/ }).click();
  await ui.pending("to-ann").getByRole("textbox").fill("Ann was paid yesterday.");
  await ui.choose(other.sessionId);
  await ui
    .pending("to-ann")
    .getByRole("button", { name: /^Approve/ })
    .waitFor();
  expect(await page.getByText("Ann was paid yesterday.").count()).toBe(0);
});

test("edits of the arguments carry over between the form and the JSON field in both directions", async () => {
  const { agent, paid } = payer(env, [calls({ to: "ann", cents: 100 }), "Settled."]);
  const { ui } = await env.open();
  await agent.call("Pay.");
  await ui.choose(agent.sessionId);
  const card = ui.pending("to-ann");
  await card.getByRole("button", { name: /^Edit/ }).click();
  const [asJson, asForm] = ["Edit as JSON", "Edit as form"].map((name) => card.getByRole("button", { name }));
  await asJson!.click();
  const json = card.getByRole("textbox", { name: "Arguments (JSON)" });
  await json.fill('{ "to": "ann", "cents": 70, "memo": "rent" }');
  await asForm!.click();
  expect(await card.getByRole("textbox", { name: /cents/ }).inputValue()).toBe("70");
  await card.getByRole("textbox", { name: "memo" }).fill("May");
  await asJson!.click();
  expect(JSON.parse(await json.inputValue())).toEqual({ to: "ann", cents: 70, memo: "May" });
  await json.fill("[1]");
  await asForm!.click();
  expect(await json.inputValue()).toBe("[1]");
  await json.fill('{ "to": "ann", "cents": 71 }');
  await card.getByRole("button", { name: /^Approve changes/ }).click();
  await stopped(agent);
  expect(paid).toEqual([{ to: "ann", cents: 71 }]);
});

test("a page in an insecure context can approve a call and reports that it cannot copy", async () => {
  const { agent, paid } = payer(env, [calls({ to: "ann", cents: 100 }), "Settled."]);
  const { page, ui } = await env.open({
    prepare: async (opened) => {
      await opened.addInitScript(`delete Crypto.prototype.randomUUID;
        Object.defineProperty(Navigator.prototype, "clipboard", { value: undefined });`);
    },
  });
  await agent.call("Pay.");
  await ui.choose(agent.sessionId);
  await page.getByTitle(`Copy ${agent.sessionId}`).click();
  await page.getByText("does not allow this page to copy").waitFor();
  await ui
    .pending("to-ann")
    .getByRole("button", { name: /^Approve/ })
    .click();
  await stopped(agent);
  expect(paid).toEqual([{ to: "ann", cents: 100 }]);
});

test("a card stays until the agent acknowledges the decision, and a double click sends it once", async () => {
  const chart = CHARTS["the agent"]!;
  const worker = await WireWorker.connect(env.hub, [{ hash: "slow", chart }]);
  const call = {
    callId: "c1",
    name: "pay",
    input: { cents: 5 },
    argsHash: "h1",
    waitsFor: "approval",
    since: 1,
  } as const;
  const states = ["agent", "agent.suspended", "agent.suspended.waiting"];
  const waiting = { phase: "suspended", waitsFor: ["approval"], can: ["decide"] } as const;
  worker.show("slow-run", "slow", states, waiting, [call]);
  const { ui } = await env.open();
  await ui.choose("slow-run");
  const card = ui.pending("c1");
  await clickTwice(card.getByRole("button", { name: /^Approve/ }));
  await expect.poll(() => card.innerText()).toContain("has not confirmed it yet");
  await expect.poll(() => worker.commands).toHaveLength(1);
  const [command] = worker.commands;
  expect(command).toMatchObject({ type: "decide", callId: "c1", decision: "approve", argsHash: "h1" });
  expect(await card.getByRole("button", { name: /^Approve/ }).isDisabled()).toBe(true);
  worker.send({ type: "ack", ack: { id: command!.id, ok: true } });
  worker.show("slow-run", "slow", states, { phase: "running", can: [] });
  await expect.poll(() => card.count()).toBe(0);
  expect(worker.commands).toHaveLength(1);
  await worker.close();
});

/** Approves the same call in two tabs. Returns how many notices of each tab say that it was answered already. */
async function approveTwice(): Promise<readonly number[]> {
  const { agent, paid } = payer(env, [calls({ to: "ann", cents: 100 }), "Settled."]);
  const tabs = await Promise.all([env.open(), env.open()]);
  await agent.call("Pay.");
  await Promise.all(tabs.map(({ ui }) => ui.choose(agent.sessionId)));
  const buttons = await Promise.all(
    tabs.map(async ({ ui }) => {
      const button = ui.pending("to-ann").getByRole("button", { name: /^Approve/, disabled: false });
      return (await button.elementHandle())!;
    }),
  );
  const notices = await Promise.all(tabs.map(({ page }) => recordNotices(page)));
  await Promise.all(
    buttons.map((button) => button.evaluate((found) => (found as { click(): void }).click())),
  );
  await stopped(agent);
  expect(paid).toHaveLength(1);
  for (const { ui } of tabs) await expect.poll(() => ui.pending("to-ann").count()).toBe(0);
  const counts = async (): Promise<number[]> => {
    const all = await Promise.all(notices.map((those) => those()));
    return all.map((texts) => texts.filter((text) => text.includes("answered")).length).toSorted();
  };
  await sleep(3_000); // none may come
  return counts();
}

test("a call that is approved in two tabs runs once, and one of the tabs reports that it was already answered", async () => {
  // a tab that hears of the other's decision before its own click has nothing to report
  await expect.poll(approveTwice).toEqual([0, 1]);
});

test("a decision with another argument hash is rejected, and a command id is executed once", async () => {
  const { agent, paid } = payer(env, [calls({ to: "ann", cents: 100 }), "Settled."]);
  await agent.call("Pay.");
  const page = await WirePage.connect(env.hub);
  const { sessionId: runId } = agent;
  const { argsHash } = agent.status().pending[0]!;
  const decide = { runId, type: "decide", callId: "to-ann", decision: "approve" } as const;
  await expect
    .poll(
      async () =>
        (await page.command({ id: "stale", ...decide, argsHash: "0".repeat(argsHash.length) })).error?.code,
    )
    .toBe("stale");
  expect(agent.status().pending[0]?.decided).toBeUndefined();
  const acks = await Promise.all([1, 2].map(() => page.command({ id: "once", ...decide, argsHash })));
  expect(acks.map(({ ok }) => ok)).toEqual([true, true]);
  await stopped(agent);
  expect(await page.command({ id: "late", ...decide, argsHash })).toMatchObject({
    ok: false,
    error: { code: "answered" },
  });
  expect(paid).toHaveLength(1);
  page.close();
});

test("the key a approves a call only while its card has the focus", async () => {
  const { agent, paid } = payer(env, [calls({ to: "ann", cents: 100 }), "Settled."]);
  const { page, ui } = await env.open();
  await agent.call("Pay.");
  await ui.choose(agent.sessionId);
  await ui.pending("to-ann").waitFor();
  await page.keyboard.press("a");
  await page.keyboard.press("y");
  await page.keyboard.press("e");
  await ui.pending("to-ann").getByRole("button", { name: "Back" }).waitFor();
  expect(agent.status().pending[0]?.decided).toBeUndefined();
  await ui.pending("to-ann").getByRole("button", { name: "Back" }).click();
  await page.keyboard.press("Escape");
  await page.locator("[data-pending]").focus();
  await page.keyboard.press("a");
  await stopped(agent);
  expect(paid).toHaveLength(1);
});

test("the key a approves as the card says: for the tool from now on", async () => {
  const turns = [calls({ to: "ann", cents: 100 }), calls({ to: "ben", cents: 200 }), "Settled."];
  const { agent, paid } = payer(env, turns);
  const { page, ui } = await env.open();
  await agent.call("Pay.");
  await ui.choose(agent.sessionId);
  await ui
    .pending("to-ann")
    .getByRole("combobox", { name: "Remember approval" })
    .selectOption("for this tool");
  await ui.pending("to-ann").focus();
  await page.keyboard.press("Alt+a");
  await page.keyboard.press("a");
  await stopped(agent);
  expect(paid).toHaveLength(2);
});

test("a read-only inspector offers no commands in the page and rejects them in the server", async () => {
  const readonly = await makeEnvironment(["--readonly"]);
  const { agent, paid } = payer(readonly, [calls({ to: "ann", cents: 100 }), "Settled."]);
  const { page, ui } = await readonly.open();
  await agent.call("Pay.");
  await ui.choose(agent.sessionId);
  await expect.poll(() => ui.pending("to-ann").innerText()).toContain("read-only");
  expect(await page.getByRole("button", { name: /^Approve/ }).isDisabled()).toBe(true);
  expect(await page.locator("header.header").innerText()).not.toMatch(/Interrupt|Message|Steer|Pause/);
  const wire = await WirePage.connect(readonly.hub);
  const { argsHash } = agent.status().pending[0]!;
  const command = {
    id: "1",
    runId: agent.sessionId,
    type: "decide",
    callId: "to-ann",
    decision: "approve",
    argsHash,
  } as const;
  expect(await wire.command(command)).toMatchObject({ ok: false, error: { code: "readonly" } });
  expect(paid).toEqual([]);
  wire.close();
  await readonly.close();
});
