// The first minutes: a sample run, and hints that lead to its bug.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { HINTS } from "../../examples/inspect-demo/hints.ts";
import { problemsInBothThemes } from "./support/axe.ts";
import { NO_FAULTS } from "./support/browser.ts";
import { expectDrawnWellInBothThemes } from "./support/drawn-well.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";

const SAMPLE = join(import.meta.dirname, "../../visualizer/public/sample-run.ndjson");

let env: Environment;
beforeAll(async () => {
  env = await makeEnvironment();
});
afterEach(() => env.closePages());
afterAll(() => env.close());

/** The text of a hint as the page shows it. */
const shown = (hint: string): string => hint.replaceAll("`", "");

test("a page without runs offers a sample run, in which three hints lead to the hook that is to blame", async () => {
  const { page, ui, faults } = await env.open({ viewport: { width: 1_440, height: 900 }, picture: "map" });
  const welcome = page.getByTestId("welcome");
  await expect.poll(() => welcome.innerText()).toMatch(/agentchart dev --agents agents\.ts/);
  await page.getByRole("button", { name: "See a sample run" }).click();
  await ui.waitForChart();
  const guide = page.getByTestId("guide");
  await expect.poll(() => guide.innerText()).toContain(shown(HINTS[0]));
  const conversation = ui.panel("conversation");

  await page.locator('svg.map [data-row="tool:refund"]').first().click();
  await expect.poll(() => page.locator(".timeline .found").innerText()).toMatch(/refund/);
  await guide.getByRole("button", { name: "Next hint" }).click();
  await expect.poll(() => guide.innerText()).toContain(shown(HINTS[1]));
  await guide.getByRole("button", { name: "Next hint" }).click();
  await expect.poll(() => guide.innerText()).toContain(shown(HINTS[2]));
  expect(await guide.getByRole("button", { name: "Next hint" }).count()).toBe(0);
  await page.locator('svg.map [data-row="hook:postActing:cents-for-the-bank"]').first().click();
  const changed = conversation.locator("[data-call]").filter({ hasText: "cents-for-the-bank" });
  await expect.poll(() => changed.first().innerText()).toMatch(/before[^]*"paid":31\D[^]*after[^]*3100/);
  await guide.getByRole("button", { name: "Hide the hints" }).click();
  await expect.poll(() => guide.count()).toBe(0);
  expect(faults).toEqual(NO_FAULTS);
});

test.each([
  [1_440, 900],
  [390, 844],
] as const)(
  "the hints cover nothing and are readable in a window of %i × %i px, in dark and in light",
  async (width, height) => {
    const { page, ui } = await env.open({ viewport: { width, height }, picture: "map" });
    await page.getByRole("button", { name: "See a sample run" }).click();
    await ui.waitForChart();
    await page.getByTestId("guide").waitFor();
    await expectDrawnWellInBothThemes(page, "hints");
    expect(await problemsInBothThemes(page)).toEqual([]);
  },
);

test("the link that the demo prints shows the hints, and keeps nothing of itself in the address", async () => {
  const { page } = await env.open({ at: `${env.hub.link}/guide` });
  await expect.poll(() => page.getByTestId("guide").innerText()).toContain(shown(HINTS[0]));
  expect(await page.evaluate("location.hash")).toBe("#/");
});

test("a sample run that cannot be loaded is a notice, and the page stays usable", async () => {
  const { page } = await env.open();
  await page.route("**/sample-run.ndjson", (route) => route.fulfill({ status: 404, body: "" }));
  await page.getByRole("button", { name: "See a sample run" }).click();
  await expect
    .poll(() => page.locator(".notices").innerText())
    .toContain("The sample run cannot be loaded: status 404");
  expect(await page.getByTestId("welcome").isVisible()).toBe(true);
});

test("the sample run is that of the demo, and says nothing of the machine that recorded it", () => {
  const text = readFileSync(SAMPLE, "utf8");
  expect(text).toContain("cents-for-the-bank");
  expect(text).not.toMatch(/\/(?:home|root|tmp|Users|work)\//);
});
