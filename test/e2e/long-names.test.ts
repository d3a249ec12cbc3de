// Long names of tools in cards.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createAgent, defineTool } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { makeEnvironment, type Environment } from "./support/environment.ts";

let env: Environment;
beforeAll(async () => {
  env = await makeEnvironment();
});
afterEach(() => env.closePages());
afterAll(() => env.close());

test.each([
  [1440, 900],
  [390, 844],
])("a long name of a tool leaves the outcome inside of the card (%i × %i)", async (width, height) => {
  const name = "look_up_the_order_of_a_customer_in_the_archive_of_orders_x".padEnd(64, "y");
  const tool = defineTool({ name, description: "Looks.", input: { type: "object" }, execute: () => "seen" });
  const agent = createAgent({
    name: "watched",
    model: scriptedModel([{ calls: [{ name }] }, "done"]),
    tools: [tool],
    inspect: env.hub.address,
  });
  await agent.call("Look.");
  const { page } = await env.open({ viewport: { width, height } });
  await page.evaluate(`location.hash = "#/run/${agent.sessionId}"`);
  const details = page.getByRole("navigation", { name: "Panels" }).getByRole("button", { name: "Details" });
  if (width < 600) await details.click();
  const card = page.locator("[data-call]").first();
  await card.waitFor();
  const outer = (await card.boundingBox())!;
  const badge = (await card.locator(".call-head > .badge").boundingBox())!;
  expect(badge.x + badge.width).toBeLessThanOrEqual(outer.x + outer.width);
  expect(await card.locator(".call-head > strong").getAttribute("title")).toBe(name);
  await agent.close();
});
