import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { sqliteStore } from "agentchart/store/sqlite";
import type { OpenOptions } from "./browser.ts";
import type { Environment } from "./environment.ts";
import { makeHome, startHub } from "./hub.ts";
import type { InspectorPage } from "./inspector-page.ts";
import { parserFixer } from "./parser-fixer.ts";
import { parallelFailures } from "../../support/planted/parallel-failures.ts";
import { agentWaitingForAnswer, agentWithUnknownOutcome, agentOverBudget } from "./suspended-agents.ts";

/** What a function that takes screenshots works with. */
export type ScreenshotTools = {
  readonly env: Environment;
  look(options?: OpenOptions & { readonly at?: string }): Promise<InspectorPage>;
  shoot(page: Page, name: string): Promise<void>;
};

/**
 * Takes screenshots of runs that wait for a budget, an external result and the outcome of a call, of the dialog of forks, of their
 * comparison, and of a run with many parallel calls.
 */
export async function shootWaiting({ env, look: openPage, shoot }: ScreenshotTools): Promise<void> {
  const inspect = env.hub.address;
  const page = await openPage();

  const thrifty = await agentOverBudget(inspect);
  await page.choose(thrifty.sessionId);
  await page.pending("budget").waitFor();
  await shoot(page.page, "budget-dark");

  const refunds = await agentWaitingForAnswer(inspect);
  await page.choose(refunds.sessionId);
  await page.pending("clerk").waitFor();
  await shoot(page.page, "answer-dark");

  const payer = await agentWithUnknownOutcome(inspect);
  await page.choose(payer.sessionId);
  await page.pending("wire").waitFor();
  await shoot(page.page, "unknown-outcome-dark");

  const store = sqliteStore({ path: join(env.home.path, "shots.sqlite") });
  const forkable = parserFixer({ name: "forkable", inspect, store });
  await forkable.call("Please mend the lexer.");
  await page.choose(forkable.sessionId);
  await page.goTo(14);
  await page.page.keyboard.press("f");
  await page.page.getByRole("dialog").waitFor();
  const dialog = page.page.getByRole("dialog");
  await dialog.getByRole("combobox").selectOption({ label: "system prompt" });
  await dialog.getByRole("textbox").fill("Mend what is broken. Push nothing.");
  await dialog.getByRole("spinbutton").fill("2");
  await dialog.getByRole("radio", { name: /^Really run/ }).check();
  await shoot(page.page, "fork-dark");
  await dialog.getByRole("button", { name: "Fork and run" }).click();
  await page.page.getByTestId("divergence").waitFor();
  await shoot(page.page, "compare-dark");

  const parallel = await parallelFailures({ inspect });
  await page.page.getByTestId("compare").getByRole("button", { name: "Close" }).click();
  await page.choose(parallel.sessionId);
  await page.page.getByRole("button", { name: "Engine" }).click(); // what runs in parallel is listed beside the chart
  await page.page.getByRole("button", { name: "Waterfall", exact: true }).click();
  await page.goTo(20);
  await page.page.locator(".calls-chip").click();
  await shoot(page.page, "parallel-calls-dark");

  for (const agent of [thrifty, refunds, payer, forkable, parallel]) await agent.close();
  await store.close();
}

/** Takes screenshots of a run from a file, of a truncated file, and of a read-only inspector. */
export async function shootFiles({ env, look: openPage, shoot }: ScreenshotTools): Promise<void> {
  const agent = parserFixer({ name: "exported", inspect: env.hub.address });
  await agent.call("Please mend the lexer.");
  const page = await openPage();
  await page.choose(agent.sessionId);
  const saved = page.page.waitForEvent("download");
  await page.page
    .getByRole("button", { name: /export/i })
    .first()
    .click();
  const file = await (await saved).path();
  await page.page.getByTestId("open-file").setInputFiles(file);
  await page.page.getByTestId("file").waitFor();
  await shoot(page.page, "file-dark");
  const cut = join(env.home.path, "cut.ndjson");
  const lines = readFileSync(file, "utf8").split("\n").slice(0, 20);
  writeFileSync(cut, `${lines.join("\n")}\n`);
  appendFileSync(cut, '{"q":');
  await page.page.getByTestId("open-file").setInputFiles(cut);
  await page.page.getByTestId("damaged").waitFor();
  await shoot(page.page, "damaged-file-dark");

  const home = makeHome();
  const hub = await startHub(home, ["--readonly"]);
  const observed = parserFixer({ name: "observed", inspect: hub.address });
  await observed.call("Please mend the lexer.");
  const readonly = await openPage({ at: hub.link });
  await readonly.choose(observed.sessionId);
  await shoot(readonly.page, "readonly-dark");
  await observed.close();
  await hub.stop();
  home.remove();
  await agent.close();
}
