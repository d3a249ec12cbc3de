// The page says who changed a call, a result or an answer.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Agent } from "agentchart";
import { fileStore } from "agentchart/store/file";
import { CHANGED } from "../support/planted/changed-on-the-way.ts";
import { NO_FAULTS } from "./support/browser.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";

let env: Environment;
const agents: Agent[] = [];
beforeAll(async () => {
  env = await makeEnvironment();
  const store = fileStore({ dir: env.home.sessions });
  for (const [name, plant] of Object.entries(CHANGED)) {
    agents.push(await plant({ inspect: env.hub.address }, `${name}-live`));
    await (await plant({ store }, `${name}-stored`)).close();
  }
  await store.close?.();
});
afterEach(() => env.closePages());
afterAll(async () => {
  await Promise.all(agents.map((agent) => agent.close()));
  await env.close();
});

describe.each(["live", "stored"])("a %s run", (how) => {
  test.each([
    [
      "edited-approval",
      /3100000[^]*changed by Ana[^]*before[^]*3100000[^]*after[^]*310000[^]*approved with other arguments by Ana[^]*Transferred 310000/,
    ],
    ["ten-times", /Transferred 12500[^]*The result was changed by the hook x10/],
    ["comma", /12,50[^]*changed by the schema of the tool[^]*1250[^]*Transferred 1250/],
    ["double-charge", /ETIMEDOUT after ch_1[^]*Charged ch_2/],
    ["other-reply", /Your request was accepted[^]*What the caller got[^]*the hook compliance[^]*declined/],
    ["hook-asks", /as you wanted[^]*hook reviewer[^]*Say it in one word/],
    ["other-persona", /payer as billing[^]*We do not clean windows/],
    ["old-memory", /I have sent a check[^]*Sources: Memory of \d{4}-\d\d-\d\d/],
  ])("%s: one click shows who changed what", async (name, cause) => {
    const { ui, faults } = await env.open({ viewport: { width: 1_440, height: 900 } });
    await ui.run(`${name}-${how}`).click();
    await expect.poll(() => ui.panel("conversation").innerText()).toMatch(cause);
    expect(faults).toEqual(NO_FAULTS);
  });

  test.runIf(how === "live")(
    "a result that a hook changed stands beside what the tool had returned",
    async () => {
      const { ui, faults } = await env.open({ viewport: { width: 1_440, height: 900 } });
      await ui.run("ten-times-live").click();
      const change = ui.panel("conversation").locator(".account-change");
      await expect.poll(() => change.innerText()).toMatch(/hook x10[^]*before[^]*1250\D[^]*after[^]*12500/);
      expect(faults).toEqual(NO_FAULTS);
    },
  );

  test("the prompt says of when the memory is that a hook has shown", async () => {
    const { ui, faults } = await env.open({ viewport: { width: 1_440, height: 900 } });
    await ui.run(`old-memory-${how}`).click();
    await ui.openTab("conversation");
    await ui.panel("conversation").getByRole("button", { name: "prompt" }).click();
    await expect.poll(() => ui.panel("prompt").innerText()).toMatch(/by check[^]*Sources: Memory of \d{4}/);
    expect(faults).toEqual(NO_FAULTS);
  });
});
