// A session of release 0.1.0 in the page.
import { cpSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { NO_FAULTS, open } from "./support/browser.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { makeHome, startHub } from "./support/hub.ts";
import { InspectorPage } from "./support/inspector-page.ts";

let env: Environment;
beforeAll(async () => {
  env = await makeEnvironment();
});
afterAll(() => env.close());

test("a session of release 0.1.0 shows that its edges and requests are not recorded, and marks none in the chart", async () => {
  const home = makeHome();
  cpSync(join(import.meta.dirname, "../fixtures/sessions/0.1.0/file"), home.sessions, { recursive: true });
  const hub = await startHub(home);
  const { page, faults } = await open(env.browser, hub.link);
  const ui = new InspectorPage(page);
  await ui.choose("suspended");
  const [, last] = await ui.steps();
  const states = (step: number): Promise<string> => page.evaluate(`__agentchart.statesAt(${step}).join()`);
  let changed = 2;
  while (changed < last && (await states(changed)) === (await states(changed - 1))) changed++;
  await ui.goTo(changed);
  const event = await ui.openTab("event");
  await expect.poll(() => event.innerText()).toContain("The edges are not recorded");
  expect(await ui.takenEdges()).toEqual([]);
  const prompt = await ui.openTab("prompt");
  await ui.goTo(last);
  await expect.poll(() => prompt.innerText()).toContain("The requests of this run are not recorded");
  expect(await page.locator(".timeline").innerText()).not.toContain("(always)");
  expect(faults).toEqual(NO_FAULTS);
  await page.context().close();
  await hub.stop();
  home.remove();
});
