// Runs that are handed on as one file, and pictures that are saved.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Download, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createAgent, type Agent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { fullAgent, largestAgent } from "../support/map-agents.ts";
import { NO_FAULTS } from "./support/browser.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { InspectorPage } from "./support/inspector-page.ts";

let env: Environment;
let agent: Agent;
let large: Agent;
const dir = mkdtempSync(join(tmpdir(), "agentchart-hand-on-"));
beforeAll(async () => {
  env = await makeEnvironment();
  agent = await fullAgent({ inspect: env.hub.address });
  large = await largestAgent({ inspect: env.hub.address });
});
afterEach(() => env.closePages());
afterAll(async () => {
  await agent.close();
  await large.close();
  await env.close();
  rmSync(dir, { recursive: true, force: true });
});

/** The tools and sub-agents of the largest agent. */
const NAMES_OF_LARGE = [
  ...["github", "calendar", "warehouse_of_the_eastern_district"].flatMap((server) =>
    Array.from({ length: 14 }, (_, at) => `${server}__operation_${at + 1}`),
  ),
  ...Array.from({ length: 18 }, (_, at) => `own_tool_${at + 1}`),
  ...["researcher", "translator", "reviewer", "lawyer", "geographer", "statistician"],
];

async function saved(page: Page, label: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("dialog", { name: "Hand on" }).getByRole("button", { name: label }).click(),
  ]);
  const path = join(dir, (download as Download).suggestedFilename());
  await download.saveAs(path);
  return path;
}

async function openDialog(picture: "map" | "chart", step?: number, of = agent): Promise<Page> {
  const { page, ui } = await env.open({ picture });
  await ui.run(of.sessionId).click();
  await page.locator(`svg.${picture}`).waitFor();
  if (step !== undefined) await ui.goTo(step);
  await page.getByRole("button", { name: /^Hand on/ }).click();
  return page;
}

test("a run is handed on as one HTML file that opens at the displayed step, offline, with map, chart, conversation and prompt, and loads nothing", async () => {
  const page = await openDialog("map", 9);
  const path = await saved(page, "Page (HTML)");
  const context = await env.browser.newContext({
    offline: true,
    reducedMotion: "reduce",
    viewport: { width: 1_440, height: 900 },
  });
  const alone = await context.newPage();
  const errors: string[] = [];
  const requests: string[] = [];
  alone.on("console", (message) => void (message.type() === "error" && errors.push(message.text())));
  alone.on("pageerror", (error) => void errors.push(String(error)));
  alone.on(
    "request",
    (request) => void (/^(?:file|data|blob):/.test(request.url()) || requests.push(request.url())),
  );
  await alone.goto(pathToFileURL(path).href);
  await alone.getByRole("group", { name: "Map of accountant" }).waitFor();
  const ui = new InspectorPage(alone);
  await expect.poll(async () => (await ui.steps())[0]).toBe(9);
  expect((await ui.steps())[1]).toBe(18);
  await alone.locator('svg.map [data-row="tool:read_invoice"]').waitFor();
  await alone.locator(".conversation").getByText("I read the invoice.").waitFor();
  const prompt = await ui.openTab("prompt");
  await expect.poll(() => prompt.innerText()).toContain("house-rules");
  await alone.keyboard.press("m");
  await alone.locator("svg.chart [data-state]").first().waitFor();
  expect(errors).toEqual([]);
  expect(requests).toEqual([]);
  await context.close();
});

test("text of a run cannot become a part of the page that it is handed on in", async () => {
  const hostile = "</script><script>window.hacked = true</script><!--";
  const other = createAgent({ name: "other", model: scriptedModel([hostile]), inspect: env.hub.address });
  await other.call(hostile);
  const { page, ui } = await env.open({ picture: "map" });
  await ui.run(other.sessionId).click();
  await page.locator("svg.map").waitFor();
  await page.getByRole("button", { name: /^Hand on/ }).click();
  const path = await saved(page, "Page (HTML)");
  const text = readFileSync(path, "utf8");
  expect(text).toContain("\\u003c/script>\\u003cscript>window.hacked");
  const context = await env.browser.newContext({ offline: true });
  const alone = await context.newPage();
  await alone.goto(pathToFileURL(path).href);
  await alone.locator("svg.map").waitFor();
  expect(await alone.evaluate("window.hacked")).toBeUndefined();
  await context.close();
  await other.close();
});

test.each(["map", "chart"] as const)("the %s is saved as SVG and PNG with all its names", async (picture) => {
  const page = await openDialog(picture, undefined, large);
  const svg = readFileSync(await saved(page, "SVG"), "utf8");
  expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="/);
  const texts = new Set([...svg.matchAll(/<text[^>]*>([^<]+)/g)].map(([, text]) => text!));
  const states = await page
    .locator("svg.chart [data-state]:has(> rect.box)") // a decision has its guards in it, and no name
    .evaluateAll((all) => all.map((each) => each.getAttribute("data-state")!.split(".").at(-1)!));
  const names = picture === "map" ? NAMES_OF_LARGE : states;
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter((name) => !texts.has(name))).toEqual([]);
  expect(svg).toContain("font/woff2");
  const png = readFileSync(await saved(page, "PNG"));
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  if (process.env["SHOTS"]) writeFileSync(`${process.env["SHOTS"]}/saved-${picture}.png`, png);
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  // what tells for how long somebody is waited for may have grown between two of them
  const later = readFileSync(await saved(page, "SVG"), "utf8");
  const shapes = [svg, later].map((text) => /viewBox="[-\d]+ [-\d]+ (\d+) (\d+)"/.exec(text)!);
  const apart = shapes.map(([, wide, high]) =>
    Math.abs(((width / height) * Number(high)) / Number(wide) - 1),
  );
  expect(Math.min(...apart)).toBeLessThan(0.05);
  expect(width).toBeGreaterThan(900);
  const drawn = await env.browser.newContext();
  const view = await drawn.newPage();
  await view.setContent(svg);
  expect(await view.evaluate(`getComputedStyle(document.querySelector("svg text")).fontFamily`)).toMatch(
    /Inter|JetBrains/,
  );
  await drawn.close();
});

test("the link of a step leads to it, also when the run has gone on", async () => {
  const { page, ui, faults } = await env.open({
    picture: "map",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  await ui.run(agent.sessionId).click();
  await page.locator("svg.map").waitFor();
  await page.getByRole("button", { name: /^Hand on/ }).click();
  await page.getByRole("button", { name: "Copy link" }).click();
  const link = await page.evaluate<string>("navigator.clipboard.readText()");
  expect(link).toMatch(new RegExp(`#/run/${agent.sessionId}/18$`));
  expect(link).not.toContain(env.hub.token);
  expect(faults).toEqual(NO_FAULTS);
});
