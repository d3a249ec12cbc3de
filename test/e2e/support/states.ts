import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { sqliteStore } from "agentchart/store/sqlite";
import type { OpenOptions } from "./browser.ts";
import type { Desk } from "./desk.ts";
import { makeHome, startHub } from "./hub.ts";
import type { InspectorPage } from "./inspector-page.ts";
import { parserFixer } from "./scene.ts";
import { asksClerk, cutOffWhileWiring, outOfBudget } from "./waiting.ts";

export type Studio = {
  readonly desk: Desk;
  look(options?: OpenOptions & { readonly at?: string }): Promise<InspectorPage>;
  shoot(page: Page, name: string): Promise<void>;
};

/** What waits for somebody otherwise than for an approval: a budget, a result from outside, an unknown outcome; and a fork. */
export async function shootWaiting({ desk, look: open, shoot }: Studio): Promise<void> {
  const inspect = desk.hub.address;
  const page = await open();

  const thrifty = await outOfBudget(inspect);
  await page.choose(thrifty.sessionId);
  await page.pending("budget").waitFor();
  await shoot(page.page, "budget-dark");

  const refunds = await asksClerk(inspect);
  await page.choose(refunds.sessionId);
  await page.pending("clerk").waitFor();
  await shoot(page.page, "answer-dark");

  const payer = await cutOffWhileWiring(inspect);
  await page.choose(payer.sessionId);
  await page.pending("wire").waitFor();
  await shoot(page.page, "unknown-outcome-dark");

  const store = sqliteStore({ path: join(desk.home.path, "shots.sqlite") });
  const forkable = parserFixer({ name: "forkable", inspect, store });
  await forkable.call("Please mend the lexer.");
  await page.choose(forkable.sessionId);
  await page.goTo(14);
  await page.page.keyboard.press("f");
  await page.page.getByRole("dialog").waitFor();
  await shoot(page.page, "fork-dark");

  for (const agent of [thrifty, refunds, payer, forkable]) await agent.close();
  await store.close();
}

/** Runs of files, whole and cut off, and a page that only shows. */
export async function shootFiles({ desk, look: open, shoot }: Studio): Promise<void> {
  const agent = parserFixer({ name: "exported", inspect: desk.hub.address });
  await agent.call("Please mend the lexer.");
  const page = await open();
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
  const cut = join(desk.home.path, "cut.ndjson");
  const lines = readFileSync(file, "utf8").split("\n").slice(0, 20);
  writeFileSync(cut, `${lines.join("\n")}\n`);
  appendFileSync(cut, '{"q":');
  await page.page.getByTestId("open-file").setInputFiles(cut);
  await page.page.getByTestId("damaged").waitFor();
  await shoot(page.page, "damaged-file-dark");

  const home = makeHome();
  const hub = await startHub(home, ["--readonly"]);
  const shown = parserFixer({ name: "shown", inspect: hub.address });
  await shown.call("Please mend the lexer.");
  const only = await open({ at: hub.link });
  await only.choose(shown.sessionId);
  await shoot(only.page, "readonly-dark");
  await shown.close();
  await hub.stop();
  home.remove();
  await agent.close();
}
