// The page shows what rules remember and did, and tries a rule on a run: live, and of a file.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createAgent } from "agentchart";
import { atMost, before } from "agentchart/rules";
import { scriptedModel } from "agentchart/testing";
import { noting } from "../agent/rules/desk.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";

let env: Environment;
beforeAll(async () => {
  env = await makeEnvironment();
});
afterEach(() => env.closePages());
afterAll(() => env.close());

const refund = { name: "refund", input: { id: 17, cents: 500 } };

async function refundTwice(isRuled: boolean) {
  const agent = createAgent({
    name: "desk",
    model: scriptedModel([
      { calls: [refund, { name: "verify", input: { id: 17 } }] },
      { calls: [refund] },
      "Done.",
    ]),
    tools: ["refund", "verify"].map((name) => noting([], name)),
    ...(isRuled && {
      rules: [before("verify", "refund", { per: "id" }), atMost(1, "refund", { per: "id" })],
    }),
    inspect: env.hub.address,
  });
  await agent.call("Go.");
  return agent;
}

test("a run with rules shows what each remembers, and which call was put in order or denied", async () => {
  const agent = await refundTwice(true);
  const { page, ui } = await env.open();
  await ui.choose(agent.sessionId);
  await page.locator('[data-tab="rules"]').click();
  const rule = page.locator('[data-rule="refund after verify"]');
  await rule.getByText("a success about 17").waitFor();
  await page
    .locator('[data-rule="at most 1 refund per id"]')
    .getByText("1 call about 17, 1 in all")
    .waitFor();
  const marks = page.locator("[data-marked]");
  await expect
    .poll(() => marks.allInnerTexts())
    .toEqual([
      "put behind others of its batch refund by the rule “refund after verify”",
      "denied refund by the rule “at most 1 refund per id”",
    ]);
  // at a step before verify has succeeded nothing is remembered
  await page.keyboard.press("Home");
  await rule.getByText("remembers nothing yet").waitFor();
  await agent.close();
});

test("a rule is tried on a run without rules, and leads to the step of each call that it would have stopped", async () => {
  const agent = await refundTwice(false);
  const { page, ui } = await env.open();
  await ui.choose(agent.sessionId);
  await page.locator('[data-tab="rules"]').click();
  await page.getByText("The agent has no rules.").waitFor();
  const form = page.getByRole("form", { name: "Try a rule" });
  await form.getByRole("button", { name: "Try" }).click();
  await form.getByText("Say which tool the rule is about.").waitFor();
  await form.getByLabel("Tool", { exact: true }).fill("refund");
  await form.getByLabel("runs").selectOption("at most so many");
  await form.getByLabel("Maximum").fill("1");
  await form.getByLabel("Per argument").fill("id");
  await form.getByRole("button", { name: "Try" }).click();
  const finding = form.locator('[data-finding="broke"]');
  await finding.waitFor();
  expect(await finding.count()).toBe(1);
  expect(await finding.innerText()).toMatch(/^#\d+ refund would have been stopped$/);
  const step = /#(\d+)/.exec(await finding.innerText())![1]!;
  await finding.getByRole("button").click();
  await expect.poll(() => page.url()).toContain(step);
  await form.getByLabel("Per argument").fill("order");
  await form.getByRole("button", { name: "Try" }).click();
  await expect.poll(() => form.locator('[data-finding="unjudged"]').count()).toBe(2);
  await agent.close();
});
