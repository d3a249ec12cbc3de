// The page of `dev`: decisions, answers, and what is written meanwhile.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { devProject, wordsFile } from "../support/dev-project.ts";
import { problemsInBothThemes } from "./support/axe.ts";
import { launch, NO_FAULTS, open, type OpenOptions } from "./support/browser.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser?.close());

const SIZES = {
  "a desktop": { width: 1440, height: 900 },
  "a tablet": { width: 768, height: 1024 },
  "a phone": { width: 375, height: 740 },
};

async function openDev(options: OpenOptions = {}) {
  const project = devProject();
  const dev = await project.dev();
  const opened = await open(browser, dev.chat.href, { viewport: SIZES["a desktop"], ...options });
  onTestFinished(() => opened.page.context().close());
  return { project, dev, ...opened };
}

const press = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole("button", { name, exact: true }).click();
const status = (page: Page, is: string): Promise<void> =>
  page.locator(".chat-head").getByRole("status").getByText(is, { exact: true }).waitFor();

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message", { exact: true }).fill(text);
  await page.locator(".composer button[type=submit]:enabled").waitFor(); // the agents are known
  await page.keyboard.press("Enter");
}

test("shows an answer as it is written, its thinking, its calls and its error", async () => {
  const { project, page, faults } = await openDev();
  await page.getByLabel("Agent").selectOption("clerk");
  await say(page, "Halves.");
  await page.getByText("One first half,").waitFor();
  await status(page, "working");
  await page.locator(".thinking summary").first().waitFor();
  expect(await page.getByText("second half").count()).toBe(0);
  project.write("go", "");
  await page.getByText("One first half, second half.").waitFor();
  await status(page, "ready");
  await page.getByRole("navigation").getByText("clerk · ").waitFor();
  await say(page, "Wait.");
  await page.getByText("One: waited").waitFor();
  await page
    .getByText("wait{}done")
    .or(page.locator('[data-call-state="output-available"]'))
    .first()
    .waitFor();
  const told = page.locator('[data-call-state="output-available"] + .call-notes'); // without a click
  expect(await told.innerText()).toContain("→ waited");

  await press(page, "New chat");
  await say(page, "Fail.");
  await page.getByRole("alert").getByText("The model is out of order.").waitFor();
  await status(page, "failed");
  expect(faults).toEqual(NO_FAULTS);
});

test("copies what was said, and opens the inspector beside the chat", async () => {
  const { page, faults } = await openDev({ permissions: ["clipboard-read", "clipboard-write"] });
  await page.getByLabel("Agent").selectOption("clerk");
  await say(page, "Halves.");
  await page.getByRole("article", { name: "You" }).getByRole("button", { name: "Copy" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe("Halves.");
  const opened = page.waitForEvent("popup");
  await press(page, "Beside");
  const inspector = await opened;
  await inspector.getByTestId("run-status").waitFor();
  expect(inspector.url()).toMatch(/#\/run\/local%2F/);
  expect(await inspector.evaluate<number>("innerWidth")).toBeGreaterThanOrEqual(820);
  const { origin } = new URL(inspector.url());
  expect(faults.outbound.filter((url) => !url.startsWith(`${origin}/`))).toEqual([]); // the rest are of the inspector
  expect({ ...faults, outbound: [] }).toEqual(NO_FAULTS);
});

const ABOUT = `
export const about = {
  desk: { description: "Pays what is due.", prompts: ["Who are you?", "What can you pay?"] },
};
`;

test("says what an agent is for, and begins a chat with a sample prompt", async () => {
  const { project, page, faults } = await openDev();
  project.write("agents.ts", `${readFileSync(join(project.folder, "agents.ts"), "utf8")}${ABOUT}`);
  await page.getByText("Pays what is due.").waitFor();
  const prompts = page.getByRole("list", { name: "Begin with" });
  expect(await prompts.getByRole("button").allInnerTexts()).toEqual(["Who are you?", "What can you pay?"]);
  expect(await problemsInBothThemes(page)).toEqual([]);
  await page.getByLabel("Agent").selectOption("clerk");
  expect(await page.getByText("Pays what is due.").count()).toBe(0);
  await page.getByLabel("Agent").selectOption("desk");
  await press(page, "What can you pay?");
  await page.getByText("One: What can you pay?").waitFor();
  expect(faults).toEqual(NO_FAULTS);
});

test("asks a message again, changed or as it is, in a new chat that begins as the old one did", async () => {
  const { page, faults } = await openDev();
  await page.getByLabel("Agent").selectOption("clerk");
  await say(page, "Hello.");
  await page.getByText("One: Hello.").waitFor();
  await say(page, "Blue.");
  await page.getByText("One: Blue.").waitFor();
  await status(page, "ready");
  const first = new URL(page.url()).hash;
  const second = page.getByRole("article", { name: "You" }).nth(1);
  await second.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Changed message").fill("Red.");
  expect(await problemsInBothThemes(page)).toEqual([]);
  await press(page, "Ask in a new chat");
  await page.getByText("One: Red.").waitFor();
  const said = (): Promise<string[]> =>
    page.getByRole("article", { name: "You" }).locator(".prose").allInnerTexts();
  expect(await said()).toEqual(["Hello.", "Red."]);
  expect(new URL(page.url()).hash).not.toBe(first);
  await status(page, "ready");
  await page.getByRole("article", { name: "You" }).first().getByRole("button", { name: "Ask again" }).click();
  await expect.poll(said).toEqual(["Hello."]);
  await page.getByText("One: Hello.").waitFor();
  await page.evaluate(`location.hash = ${JSON.stringify(first)}`);
  await expect.poll(said).toEqual(["Hello.", "Blue."]);
  expect(faults).toEqual(NO_FAULTS);
});

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

test("attaches images, shows them in the chat, and says which file cannot be attached", async () => {
  const { page, faults } = await openDev();
  await page.getByLabel("Agent").selectOption("clerk");
  await page.getByLabel("Message", { exact: true }).fill("What is this?");
  const file = (name: string, mimeType: string) => ({ name, mimeType, buffer: PIXEL });
  await page.getByTestId("attach").setInputFiles([file("dot.svg", "image/svg+xml")]);
  await page.getByRole("alert").getByText("dot.svg is not an image that can be shown.").waitFor();
  await page.getByTestId("attach").setInputFiles([file("a.png", "image/png"), file("b.png", "image/png")]);
  const attached = page.getByRole("list", { name: "Attached images" });
  await expect.poll(() => attached.getByRole("listitem").count()).toBe(2);
  expect(await page.getByRole("alert").count()).toBe(0);
  expect(await problemsInBothThemes(page)).toEqual([]);
  await attached.getByRole("button", { name: "Remove image 2" }).click();
  await page.getByLabel("Message", { exact: true }).press("Enter");
  await page.getByText("One: What is this?").waitFor();
  const image = page.getByRole("article", { name: "You" }).getByRole("img", { name: "image/png" });
  expect(
    await image.evaluate((each) => (each as unknown as { readonly naturalWidth: number }).naturalWidth),
  ).toBe(1);
  await page.reload();
  await image.waitFor();
  expect(faults).toEqual(NO_FAULTS);
});

test("adds to a turn that runs, and stops one", async () => {
  const { project, page, faults } = await openDev();
  await say(page, "Wait.");
  await status(page, "working");
  const stored = page.waitForResponse(/\/steer$/);
  await say(page, "Be brief.");
  expect((await stored).status()).toBe(202);
  project.write("go", "");
  await page.getByText("You added: Be brief.").waitFor();
  await status(page, "ready");

  rmSync(join(project.folder, "go"));
  await say(page, "Halves.");
  await page.getByText("One first half,").waitFor();
  await press(page, "Stop");
  await page.getByText("You have stopped this turn.").waitFor();
  await status(page, "ready");

  await press(page, "New chat");
  await say(page, "Crash."); // never answers before it does
  await page.getByRole("alert").getByText("The agents have ended").waitFor();
  await page.getByRole("alert").getByText("The agents have ended").waitFor({ state: "hidden" });
  expect(faults).toEqual(NO_FAULTS);
});

describe("approves, denies, edits and answers", () => {
  test("after the page was loaded again, and after the agents have changed", async () => {
    const { project, dev, page, faults } = await openDev();
    await say(page, "Pay.");
    await page.getByRole("article", { name: "pay needs approval" }).waitFor();
    await status(page, "waits for you");
    await page.reload();
    project.write("words.ts", wordsFile("Two"));
    await dev.printed("loaded desk, clerk again.");
    await page.getByText("The agents were loaded again.").waitFor();
    await press(page, "OK");
    await page.getByText("The agents were loaded again.").waitFor({ state: "hidden" });
    await press(page, /^Approve/);
    await page.getByText("Two: paid 7").waitFor();
    await status(page, "ready");

    await say(page, "Pay.");
    await press(page, /^Deny…/);
    await page.getByLabel("Reason (the model reads it)").fill("Too much.");
    await press(page, "Deny");
    await page.locator('[data-call-state="output-denied"]').waitFor();
    await status(page, "ready");

    await say(page, "Pay.");
    await press(page, /^Edit…/);
    await page.getByLabel("euros").fill("5");
    await press(page, /^Approve changes/);
    await page.getByText("Two: paid 5").waitFor();
    expect(project.done()).toEqual(["paid 7", "paid 5"]);

    const told = async (): Promise<readonly string[]> =>
      (await page.locator("[data-call-state] + .call-notes").allInnerTexts()).map((each) =>
        each.replaceAll(/asked: [^\n]*|, from [^\n]*/g, "").trim(),
      );
    const outcomes = [
      "approved by local\n\n→ paid 7",
      "denied by local",
      'approved with other arguments by local\n\narguments changed by local: {"euros":5}\n\n→ paid 5',
    ];
    await expect.poll(told).toEqual(outcomes);
    expect(await page.locator(".call-head .args").last().innerText()).toBe("euros: 5");
    await page.reload();
    await expect.poll(told).toEqual(outcomes);
    expect(await page.locator(".call-head .args").last().innerText()).toBe("euros: 5");
    await say(page, "Ask.");
    await page.getByLabel("Answer").fill("tomorrow");
    await press(page, "Answer");
    await page.getByText("Two: answered").waitFor();
    await status(page, "ready");
    expect(faults).toEqual(NO_FAULTS);
  });

  test("in another tab, which says so in this one, and leads to the run in the inspector", async () => {
    const { page } = await openDev();
    await say(page, "Pay.");
    await page.getByRole("article", { name: "pay needs approval" }).waitFor();
    const other = await page.context().newPage();
    await other.goto(page.url());
    await press(other, /^Approve/);
    await page.getByText("One: paid 7").waitFor();
    const [inspector] = await Promise.all([
      page.context().waitForEvent("page"),
      page.getByRole("link", { name: "Inspect", exact: true }).click(),
    ]);
    await inspector.getByTestId("run-status").waitFor();
    await expect.poll(() => inspector.url()).toMatch(/#\/run\/local%2Fc_[0-9a-f]{32}$/);
  });
});

test("shows what is wrong with the newest agents until they are mended, and when the server is gone", async () => {
  const { project, dev, page } = await openDev();
  await page.getByLabel("Agent").waitFor();
  project.write("words.ts", "export const = 1;\n");
  await page.getByRole("alert").getByText("words.ts:1 does not compile").waitFor();
  project.write("words.ts", wordsFile("Two"));
  await page.getByRole("alert").waitFor({ state: "hidden" });
  dev.child.kill("SIGTERM");
  await page.getByText("The server does not answer.").waitFor();
});

test("says how to get in without a link, and with one that is out of date", async () => {
  const { dev, page } = await openDev();
  const other = await open(browser, dev.chat.origin);
  onTestFinished(() => other.page.context().close());
  await other.page.getByText("Open the link of the terminal").waitFor();
  await other.page.goto(`${dev.chat.origin}/#t=wrong`); // in the same tab, where only the fragment differs
  await other.page.getByText("This link is out of date").waitFor();
  await page.evaluate('location.hash = "#/chat/%E4%BD"'); // which ends within a letter
  await page.getByLabel("Agent").waitFor();
});

test.each(Object.entries(SIZES))(
  "on %s nothing violates a rule of axe, in dark and light, and nothing is wider than the window",
  async (_, viewport) => {
    const { page, faults } = await openDev({ viewport });
    const check = async (what: string): Promise<void> => {
      expect([what, await problemsInBothThemes(page)]).toEqual([what, []]);
      const width = await page.evaluate<number>("document.documentElement.scrollWidth");
      expect([what, width <= viewport.width]).toEqual([what, true]);
    };
    await page.getByLabel("Agent").waitFor();
    await check("new");
    await say(page, "Pay.");
    await page.getByRole("article", { name: "pay needs approval" }).waitFor();
    await check("suspended");
    await press(page, /^Edit…/);
    await check("edit");
    await press(page, "Back");
    await press(page, /^Approve/);
    await page.getByText("One: paid 7").waitFor();
    await status(page, "ready");
    await page.locator(".call summary").click();
    await page.locator(".thinking summary").first().click();
    await check("answered");
    const toggle = page.getByRole("button", { name: "Chats" });
    if (await toggle.isVisible()) {
      await toggle.click();
      await check("list");
    }
    await page.getByRole("navigation").getByRole("link", { name: "Pay." }).click();
    await page.getByText("One: paid 7").waitFor();
    expect(faults).toEqual(NO_FAULTS);
  },
);

test("the compressed page is smaller than 120 KB", async () => {
  const { dev } = await openDev();
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(new URL(path, dev.chat.origin), { headers: { "Accept-Encoding": "gzip", ...headers } });
  const page = await get("/");
  const text = await page.text();
  expect(page.headers.get("Cache-Control")).toBe("no-cache");
  const again = await get("/", { "If-None-Match": page.headers.get("ETag")! });
  expect([again.status, await again.text()]).toEqual([304, ""]);
  const names = [...text.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, name]) => name!);
  expect(names.length).toBeGreaterThanOrEqual(2);
  for (const name of names) {
    const file = await get(`/${name}`);
    expect([file.headers.get("Content-Encoding"), file.headers.get("Cache-Control")]).toEqual([
      "gzip",
      "public, max-age=31536000, immutable",
    ]);
    await file.arrayBuffer();
  }
});
