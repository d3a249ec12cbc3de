// The tab that shows what was sent to the model.
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createAgent, defineHook, userMsg, type Agent } from "agentchart";
import { openaiModel } from "agentchart/openai";
import { fileStore } from "agentchart/store/file";
import { chatCompletionsServer, scriptedModel, type ChatCompletionsServer } from "agentchart/testing";
import { toolOf } from "../support/agents.ts";
import { accessibilityProblems, problemsInBothThemes } from "./support/axe.ts";
import { NO_FAULTS } from "./support/browser.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import type { InspectorPage } from "./support/inspector-page.ts";
import { settled } from "./support/settled.ts";
import { textProblems } from "./support/text-geometry.ts";

const KEY = "sk-secret-of-mine-0123456789";
const HOSTILE = '<img src="https://evil.test/x.png" onerror="alert(1)">\u202e';
const LONG = Array.from({ length: 3_000 }, (_, line) => `${line}: pump ${line % 90} runs`).join("\n");
const NONE = { overlaps: [], small: [], outside: [] };

let env: Environment;
let server: ChatCompletionsServer;
let agent: Agent;

/** An agent whose prompts have all that a prompt can have: a cut window, hooks, a long result, tools and options. */
async function desk(more: object = {}): Promise<Agent> {
  const answers = [
    { tool_calls: [{ id: "c1", function: { name: "read_log", arguments: '{"day":"2026-11-24"}' } }] },
    { content: "All pumps run." },
    { content: "You are welcome." },
  ];
  let count = 0;
  server ??= await chatCompletionsServer(() => answers[count++ % answers.length]!, {
    countUsage: () => ({ prompt_tokens: 1_200, completion_tokens: 20 }),
  });
  const made = createAgent({
    name: "watchman",
    model: openaiModel({ model: "gpt-4.1", baseURL: server.baseURL, apiKey: KEY }),
    sysPrompt: "You watch pumps. Prices are in euros.",
    tools: [toolOf("read_log", () => LONG), toolOf("drain", () => "drained")],
    toolOptions: { results: { maxTokens: 300 } },
    modelOptions: { contextWindow: { maxMessages: 4 } },
    generateOptions: { temperature: 0.2, maxTokens: 500, extraHeaders: { "x-desk": KEY } },
    hooks: [
      defineHook({
        name: "launch-in-america",
        preReasoning: ({ system, iteration }) => ({
          system: system.replace("euros", "dollars"),
          options: { seed: iteration },
          tools: ["read_log"],
          append: [userMsg("Mind the pumps.")],
        }),
      }),
    ],
    ...more,
  });
  await made.call(`Does every pump run? ${HOSTILE}`);
  await made.call("Thank you.");
  return made;
}

beforeAll(async () => {
  env = await makeEnvironment();
  agent = await desk({ sessionId: "desk", inspect: env.hub.address });
});
afterEach(() => env.closePages());
afterAll(async () => {
  await agent.close();
  await server.close();
  await env.close();
});

const panelOf = (ui: InspectorPage) => ui.panel("prompt");

/** The raw request as the tab shows it. */
async function shownBody(ui: InspectorPage): Promise<unknown> {
  const raw = panelOf(ui).getByTestId("raw-request");
  await raw.getByRole("button", { name: "Show the raw request" }).click();
  const all = raw.getByRole("button", { name: /^show all/ });
  await raw.getByText("Keys and other secrets are left out.").waitFor();
  if ((await all.count()) > 0) await all.click();
  return JSON.parse(await raw.locator("pre").innerText());
}

test("the tab shows what the server received, for each request of a live run, without the key", async () => {
  const { page, ui, faults } = await env.open();
  await ui.choose("desk");
  await ui.openTab("prompt");
  const panel = panelOf(ui);
  for (const [index, received] of [...server.requests.entries()].toReversed()) {
    await panel.getByRole("heading", { name: `Request ${index + 1} gpt-4.1` }).waitFor();
    await expect.poll(() => panel.locator("[data-sent]").count()).toBe(received.messages.length);
    const roles = await panel.locator("[data-sent] > header > strong").allInnerTexts();
    expect(roles).toEqual(received.messages.map(({ role }) => role));
    expect(JSON.stringify(await shownBody(ui))).toBe(JSON.stringify(received));
    expect(await panel.innerText()).not.toContain(KEY);
    if (index > 0) await panel.getByRole("button", { name: "The request before" }).click();
  }
  expect(await panel.getByRole("button", { name: "The request before" }).isDisabled()).toBe(true);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await panel.getByRole("button", { name: "Copy as curl" }).click();
  await page.getByText("Copied.").waitFor();
  const command = await page.evaluate<string>("navigator.clipboard.readText()");
  expect(command).toContain(`curl '${server.baseURL}/chat/completions'`);
  expect(command).toContain(`"$OPENAI_API_KEY"`);
  expect(command).not.toContain(KEY);
  expect(faults).toEqual(NO_FAULTS);
});

test("one click on the answer of a model opens its request, and only what differs can be shown", async () => {
  const { ui, page, faults } = await env.open();
  await ui.choose("desk");
  if (process.env["SHOTS"] !== undefined)
    await page.screenshot({ path: `${process.env["SHOTS"]}/cards.png` });
  await ui.panel("conversation").getByRole("button", { name: "prompt" }).nth(1).click();
  const panel = panelOf(ui);
  await panel.getByRole("heading", { name: "Request 2 gpt-4.1" }).waitFor();
  const sent = panel.locator("[data-sent]");
  const all = server.requests[1]!.messages.length;
  await expect.poll(() => sent.count()).toBe(all);
  await page.getByRole("checkbox", { name: "Only what differs from request 1" }).check();
  await panel.getByTestId("comparison").waitFor();
  expect(await panel.getByTestId("comparison").innerText()).toBe("other options: seed.");
  expect(await panel.getByText(/^The first \d are the same/).count()).toBe(1);
  expect(await sent.count()).toBeLessThan(all);
  expect(await sent.last().innerText()).toContain("new");
  expect(faults).toEqual(NO_FAULTS);
});

test("it says which hook changed what, what was left out, and which part of a result the model saw", async () => {
  const { ui, page, faults } = await env.open();
  await ui.choose("desk");
  await page.keyboard.press("2");
  const panel = panelOf(ui);
  const change = panel.locator('[data-hook-change="launch-in-america"]');
  await change.waitFor();
  expect(await change.locator("del").first().innerText()).toBe("euros");
  expect(await change.locator("ins").first().innerText()).toBe("dollars");
  expect(await change.innerText()).toContain("Tools no longer offered: drain");
  expect(await panel.locator("[data-sent]").last().innerText()).toContain(
    "added by the hook launch-in-america",
  );
  const left = await panel.locator("[data-left]").innerText();
  expect(left).toContain("left out by the option contextWindow (at most 4 messages)");
  expect(left).toContain('<img src="https://evil.test/x.png" onerror="alert(1)">⟨U+202E⟩');
  expect(await panel.locator("[data-offered]").allInnerTexts()).toHaveLength(1);
  await panel.locator('[data-offered="read_log"] summary').press("Enter");
  expect(await panel.locator('[data-offered="read_log"] pre').last().innerText()).toContain('"type"');
  await panel.getByRole("button", { name: "The request before" }).click();
  await panel.getByText("a long result, shown in part").waitFor();
  expect(faults).toEqual(NO_FAULTS);
});

test("a stored run shows the same requests as the live one", async () => {
  const store = fileStore({ dir: env.home.sessions });
  const before = server.requests.length;
  await (await desk({ sessionId: "stored-desk", store })).close();
  await store.close?.();
  const { ui, faults } = await env.open();
  await ui.choose("stored-desk");
  await ui.openTab("prompt");
  const panel = panelOf(ui);
  await panel.getByRole("heading", { name: "Request 3 gpt-4.1" }).waitFor();
  expect(JSON.stringify(await shownBody(ui))).toBe(JSON.stringify(server.requests[before + 2]));
  expect(await panel.locator("[data-hook-change]").count()).toBe(1);
  expect(await panel.locator("[data-left]").count()).toBe(1);
  expect(faults).toEqual(NO_FAULTS);
});

test("a run that is opened from a file shows its requests without the server", async () => {
  const { page, ui, faults } = await env.open();
  await ui.choose("desk");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: /^Export this run/ }).click(),
  ]);
  const path = join(env.home.path, "desk.ndjson");
  await download.saveAs(path);
  await page.route("**/prompt?**", (route) => route.abort());
  await page.getByTestId("open-file").first().setInputFiles(path);
  await ui.openTab("prompt");
  const panel = panelOf(ui);
  await panel.getByRole("heading", { name: "Request 3 gpt-4.1" }).waitFor();
  await expect.poll(() => panel.locator("[data-sent]").count()).toBe(server.requests[2]!.messages.length);
  expect(faults).toEqual(NO_FAULTS);
});

test("it says that it is loading, why it failed, and that an older run has no requests", async () => {
  const silent = createAgent({
    name: "silent",
    sessionId: "silent",
    model: scriptedModel(["Hi."]),
    inspect: env.hub.address,
  });
  await silent.open();
  let isBroken = true;
  const { page, ui } = await env.open({
    prepare: async (each) => {
      await each.route("**/prompt?**", (route) =>
        isBroken
          ? route.fulfill({ status: 500, json: { error: { message: "The disk is gone." } } })
          : route.continue(),
      );
    },
  });
  await ui.choose("silent");
  await ui.openTab("prompt");
  await panelOf(ui).getByText("The model was not asked up to this step.").waitFor();
  await ui.choose("desk");
  await panelOf(ui).getByText("The request cannot be shown: The disk is gone.").waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  isBroken = false;
  await panelOf(ui).getByRole("button", { name: "Try again" }).click();
  await panelOf(ui).locator("[data-sent]").first().waitFor();
  await silent.close();
});

test.each([
  [1_440, 900],
  [1_024, 768],
  [390, 844],
] as const)(
  "the tab is accessible and nothing in it is cut off in a window of %i px, in dark and in light",
  async (width, height) => {
    const isPhone = width < 500;
    const { page, ui, faults } = await env.open({
      viewport: { width, height },
      ...(isPhone && { hasTouch: true, isMobile: true }),
    });
    const panels = page.getByRole("navigation", { name: "Panels" });
    if (isPhone) await panels.getByRole("button", { name: "Runs" }).click();
    await ui.choose("desk");
    if (isPhone) await panels.getByRole("button", { name: "Details" }).click();
    await ui.openTab("prompt");
    await panelOf(ui).locator("[data-sent]").first().waitFor();
    const shots = process.env["SHOTS"];
    if (shots !== undefined) await page.screenshot({ path: `${shots}/${width}.png` });
    await shownBody(ui);
    if (shots !== undefined) await page.screenshot({ path: `${shots}/${width}-raw.png` });
    expect(await problemsInBothThemes(page)).toEqual([]);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await settled(page);
      expect(await textProblems(page)).toEqual(NONE);
      const cut = await page.evaluate<string[]>(
        `[".tabs", ".prompt"].filter((part) => { const each = document.querySelector(part); return each.scrollWidth > each.clientWidth + 1; })`,
      );
      expect(cut).toEqual([]);
    }
    expect(faults).toEqual(NO_FAULTS);
  },
);
