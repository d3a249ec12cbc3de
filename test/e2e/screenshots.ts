// Writes a screenshot of every state of the page to docs/screenshots: npm run docs:screenshots.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { open } from "./support/browser.ts";
import { makeEnvironment } from "./support/environment.ts";
import { makeHome, startHub } from "./support/hub.ts";
import { InspectorPage } from "./support/inspector-page.ts";
import { longRunner } from "./support/long-run.ts";
import { smallPng } from "./support/small-png.ts";
import { parserFixer } from "./support/parser-fixer.ts";
import { shootDesk } from "./support/screenshot-desk.ts";
import { shootFiles, shootWaiting } from "./support/screenshot-states.ts";
import { shootMachines } from "./support/screenshot-machines.ts";
import { shootErrors } from "./support/screenshot-errors.ts";

const FOLDER = join(import.meta.dirname, "../../docs/screenshots");
const WINDOW = { width: 1440, height: 860 };
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 1, isMobile: true };
const PACE_MS = 200;

/**
 * `npm run docs:screenshots -- gap quarantined` takes only the screenshots whose names contain one of these
 * words.
 */
const wanted = process.argv.slice(2);
const isWanted = (name: string): boolean => wanted.length === 0 || wanted.some((word) => name.includes(word));

if (wanted.length === 0) rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
const env = await makeEnvironment();

async function shoot(page: Page, name: string): Promise<void> {
  if (!isWanted(name)) return;
  await sleep(600);
  const picture = await page.screenshot({ animations: "disabled" });
  writeFileSync(join(FOLDER, `${name}.png`), smallPng(picture));
  console.log(name);
}

async function look(options: Parameters<typeof env.open>[0] = {}): Promise<InspectorPage> {
  const { ui } = await env.open({ viewport: WINDOW, picture: "map", ...options });
  return ui;
}

const first = await look();
await first.page.getByTestId("welcome").waitFor();
await shoot(first.page, "empty");

const earlier = ["release-notes", "bump-deps", "triage"].map((name) =>
  parserFixer({ name, inspect: env.hub.address }),
);
for (const agent of earlier) await agent.call("Please mend the lexer.");
const [notes, deps] = earlier;
await notes!.decide("c5", "approve");
await notes!.call();
await deps!.decide("c5", { deny: "Not today." });
await deps!.call();

await first.choose(deps!.sessionId); // from now on the chart is laid out
const agent = parserFixer({ inspect: env.hub.address }, PACE_MS);
const turn = agent.call("Strings with an escaped quote end too early. Please mend the lexer.");
await first.page.close();
const dark = await look();
await dark.choose(agent.sessionId);
await dark.page.getByTestId("streaming").waitFor();
await shoot(dark.page, "live-dark");
await turn;
await dark.pending("c5").waitFor();
await shoot(dark.page, "approval-dark");

const light = await look({ colorScheme: "light" });
await light.choose(agent.sessionId);
await light.pending("c5").waitFor();
await shoot(light.page, "approval-light");
await light.pending("c5").getByRole("button", { name: /^Edit/ }).click();
await shoot(light.page, "approval-edit-light");

await light.pending("c5").getByRole("button", { name: "Back" }).click();
await light.pending("c5").getByRole("button", { name: /^Deny/ }).click();
await shoot(light.page, "approval-deny-light");

await shootWaiting({ env, look, shoot });

const long = longRunner(1_000, env.hub.address);
await long.call("Look everywhere.");
const past = await look();
await past.choose(long.sessionId);
await past.goTo(1_234);
await shoot(past.page, "past-dark");
const pastLight = await look({ colorScheme: "light" });
await pastLight.choose(agent.sessionId);
await pastLight.goTo(9);
await shoot(pastLight.page, "past-light");
await pastLight.openTab("prompt");
await shoot(pastLight.page, "prompt-light");
await pastLight.openTab("context");
await shoot(pastLight.page, "context-light");
await pastLight.openTab("tokens");
await shoot(pastLight.page, "tokens-light");
await pastLight.openTab("conversation");
await shoot(pastLight.page, "conversation-light");
await past.choose(agent.sessionId);
await past.openTab("event");
await past.page.keyboard.press("o");
await shoot(past.page, "outline-dark");
await past.page.keyboard.press("?");
await shoot(past.page, "keys-dark");

const phone = await look(PHONE);
await phone.page.locator(".phone-nav").waitFor();
for (const panel of ["Runs", "Chart", "Steps", "Details"]) {
  await phone.page.getByRole("navigation", { name: "Panels" }).getByRole("button", { name: panel }).click();
  await shoot(phone.page, `phone-${panel.toLowerCase()}`);
}

const withoutToken = await open(env.browser, `${env.hub.url}/`, { viewport: WINDOW });
await shoot(withoutToken.page, "no-token");

const wrongToken = await open(env.browser, `${env.hub.url}/#t=wrong`, { viewport: WINDOW });
await shoot(wrongToken.page, "wrong-token");

const home = makeHome();
const killedHub = await startHub(home);
const { page: lost } = await open(env.browser, killedHub.link, { viewport: WINDOW });
const observed = parserFixer({ inspect: killedHub.address });
await observed.call("Please mend the lexer.");
await new InspectorPage(lost).choose(observed.sessionId);
await killedHub.stop("SIGKILL");
await lost.getByTestId("lost").waitFor();
await shoot(lost, "lost-dark");
home.remove();

if (isWanted("xstate-light")) await shootMachines(shoot);
await shootFiles({ env, look, shoot });
await shootErrors({ env, look, shoot });
if (["desk-light", "desk-dark", "desk-phone-zh"].some(isWanted)) await shootDesk(env.browser, shoot);

for (const each of [...earlier, agent, long, observed]) await each.close();
await env.close();
