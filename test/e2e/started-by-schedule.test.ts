// The page says of a run by which schedule it was started and at which tick, live while a worker drives it, and stored.
import { afterAll, beforeAll, expect, test } from "vitest";
import { fileStore } from "agentchart/store/file";
import { scriptedModel } from "agentchart/testing";
import { createWorker, inProcessQueue } from "agentchart/worker";
import { NO_FAULTS } from "./support/browser.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";

let env: Environment;
beforeAll(async () => {
  env = await makeEnvironment();
});
afterAll(() => env.close());

test("a run says which schedule started it, and at which tick", async () => {
  const tick = new Date(Date.now() + 1_000).toISOString();
  const store = fileStore({ dir: env.home.sessions });
  const worker = createWorker({
    store,
    queue: inProcessQueue(),
    agents: {
      desk: () => ({ name: "desk", model: scriptedModel(["It is done."]), inspect: env.hub.address }),
    },
    schedules: { report: { agent: "desk", input: "Write the report.", at: tick, sessionId: "report" } },
    sweepMs: 20,
  });
  await worker.start();
  const { ui, page, faults } = await env.open({ viewport: { width: 1_440, height: 900 } });
  await ui.run("report").click();
  const said = page.getByText(/^started by report at /);
  await said.waitFor();
  const live = await said.innerText();
  expect(live).toMatch(new RegExp(`${new Date(tick).toTimeString().slice(0, 8)}$`));
  expect(await said.locator("time").getAttribute("datetime")).toBe(tick);
  await worker.close();
  await page.reload();
  await ui.run("report").click();
  await said.waitFor();
  expect(await said.innerText()).toBe(live);
  expect(faults).toEqual(NO_FAULTS);
  await store.close();
});
