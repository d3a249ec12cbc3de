import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { createAgent, defineTool, suspend } from "agentchart";
import { sqliteStore } from "agentchart/store/sqlite";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";
import type { Desk } from "./desk.ts";
import { makeHome, startHub } from "./hub.ts";
import type { InspectorPage } from "./inspector-page.ts";
import { parserFixer } from "./scene.ts";

type Studio = {
  readonly desk: Desk;
  look(options?: { readonly at?: string }): Promise<InspectorPage>;
  shoot(page: Page, name: string): Promise<void>;
};

const looking = { calls: [{ id: "look", name: "look", input: { shelf: 3 } }] };
const look = defineTool({
  name: "look",
  description: "Looks at a shelf.",
  input: z.object({ shelf: z.number() }),
  execute: () => "There are four boxes.",
});

/** What waits for somebody otherwise than for an approval: a budget, a result from outside, an unknown outcome; and a fork. */
export async function shootWaiting({ desk, look: open, shoot }: Studio): Promise<void> {
  const inspect = desk.hub.address;
  const page = await open();

  const thrifty = createAgent({
    name: "stock-taker",
    model: scriptedModel([looking, "Four."]),
    tools: [look],
    budget: { modelCalls: 1 },
    inspect,
  });
  await thrifty.call("How many boxes are on shelf 3?");
  await page.choose(thrifty.sessionId);
  await page.pending("budget").waitFor();
  await shoot(page.page, "budget-dark");

  const clerk = defineTool({
    name: "ask_clerk",
    description: "Asks a clerk.",
    input: z.object({ order: z.string() }),
    execute: () =>
      suspend("The clerk must look at the order.", {
        answerSchema: z.object({ allowed: z.boolean(), limit: z.number(), note: z.string().optional() }),
      }),
  });
  const refunds = createAgent({
    name: "refunds",
    model: scriptedModel([
      { calls: [{ id: "clerk", name: "ask_clerk", input: { order: "A-1042" } }] },
      "Done.",
    ]),
    tools: [clerk],
    inspect,
  });
  await refunds.call("Refund order A-1042.");
  await page.choose(refunds.sessionId);
  await page.pending("clerk").waitFor();
  await shoot(page.page, "answer-dark");

  const begun = Promise.withResolvers<void>();
  const stuck = Promise.withResolvers<string>();
  const wire = defineTool({
    name: "wire",
    description: "Wires money.",
    input: z.object({ cents: z.number() }),
    onRestart: "ask",
    execute: () => {
      begun.resolve();
      return stuck.promise;
    },
  });
  const config = {
    name: "payer",
    model: scriptedModel([{ calls: [{ id: "wire", name: "wire", input: { cents: 1_250 } }] }, "Wired."]),
    tools: [wire],
  };
  const died = createAgent(config);
  const cut = died.call("Wire 12.50.").catch(() => {});
  await begun.promise;
  const snapshot = died.snapshot();
  const payer = createAgent({ ...config, snapshot, inspect });
  await payer.call();
  await page.choose(payer.sessionId);
  await page.pending("wire").waitFor();
  await shoot(page.page, "unknown-outcome-dark");
  stuck.resolve("never mind");
  await cut;

  const store = sqliteStore({ path: join(desk.home.path, "shots.sqlite") });
  const forkable = parserFixer({ name: "forkable", inspect, store });
  await forkable.call("Please mend the lexer.");
  await page.choose(forkable.sessionId);
  await page.goTo(14);
  await page.page.keyboard.press("f");
  await page.page.getByRole("dialog").waitFor();
  await shoot(page.page, "fork-dark");

  for (const agent of [thrifty, refunds, died, payer, forkable]) await agent.close();
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
