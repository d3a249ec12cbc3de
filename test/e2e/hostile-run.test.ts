// Live runs with hostile strings.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createAgent, defineTool, userMsg, type Json } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { NO_FAULTS } from "./support/browser.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { HOSTILE, TABS } from "./support/hostile.ts";

let env: Environment;
beforeAll(async () => {
  env = await makeEnvironment();
});
afterEach(() => env.closePages());
afterAll(() => env.close());

const LONG = "L".repeat(20_000);
const PICTURE = `data:image/png;base64,${"A".repeat(20_000)}`;

/** Returns a value of nested arrays, as deep as given. */
function nested(depth: number): Json {
  let value: Json = HOSTILE;
  for (let at = 0; at < depth; at++) value = [value];
  return value;
}

test("a live run with hostile and very long strings from model and tools is shown in every panel", async () => {
  const input = JSON.parse(
    `{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"far":1e300,"less":-1e300}`,
  ) as Record<string, Json>;
  const agent = createAgent({
    name: HOSTILE,
    model: scriptedModel([
      { thinking: LONG, text: HOSTILE, calls: [{ id: LONG, name: LONG, input }] },
      {
        text: LONG,
        calls: [{ id: "deep", name: "look", input: { ...input, deep: nested(2_000), [LONG]: LONG } }],
      },
      [
        { type: "tool.delta", key: 0, id: "broken", name: "look", args: `{"a": ${LONG}` },
        { type: "finish", reason: "tool_calls" },
      ],
      { text: HOSTILE, calls: [{ id: "push", name: "push", input: { ...input, text: LONG } }] },
    ]),
    tools: [
      defineTool({
        name: "look",
        description: HOSTILE,
        input: { type: "object" },
        execute: () => ({
          content: [
            { type: "text", text: `${HOSTILE} ${LONG}` },
            { type: "image", source: { type: "url", url: PICTURE } },
          ],
        }),
      }),
      defineTool({
        name: "push",
        description: "Pushes.",
        input: { type: "object" },
        execute: () => "pushed",
      }),
    ],
    permissions: { rules: [{ tool: "push", action: "ask", reason: `${HOSTILE} ${LONG}` }] },
    inspect: env.hub.address,
  });
  const { page, ui, faults } = await env.open();
  const picture = { type: "image", source: { type: "url", url: PICTURE } } as const;
  const { reason } = await agent.call(userMsg("", { content: [{ type: "text", text: HOSTILE }, picture] }));
  expect(reason).toBe("APPROVAL_REQUIRED");
  await ui.choose(agent.sessionId);
  await ui.waitForRest();
  expect(await ui.pending("push").innerText()).toContain("onerror");
  const [, newest] = await ui.steps();
  for (const tab of TABS) {
    await ui.openTab(tab);
    for (let stepNumber = newest; stepNumber > 0; stepNumber -= 3) {
      await ui.goTo(stepNumber);
      expect(await page.getByTestId("cannot-show").count(), `${tab} ${stepNumber}`).toBe(0);
    }
  }
  await page.keyboard.press("l");
  const conversation = await ui.openTab("conversation");
  await expect.poll(() => conversation.innerText()).toMatch(/L{150,}/);
  await ui.goTo(8);
  await ui.openTab("conversation");
  await expect.poll(() => conversation.innerText()).toContain("image: image/png, ");
  await page.keyboard.press("o");
  await page.locator(".outline-pane").waitFor();
  expect(await page.getByTestId("cannot-show").count()).toBe(0);
  expect(await page.evaluate('["__ran" in globalThis, "polluted" in {}]')).toEqual([false, false]);
  expect(faults).toEqual(NO_FAULTS);
  await agent.close();
});

test("the fork dialog reports hidden characters of the message, shows them, and sends the text unchanged", async () => {
  const text = "Pay 10\u202E00\u200B to Ann.";
  const agent = createAgent({
    name: "payer",
    model: scriptedModel(["Paid.", "Paid again."]),
    store: memoryStore(),
    inspect: env.hub.address,
  });
  await agent.call(text);
  const { page, ui } = await env.open();
  await ui.choose(agent.sessionId);
  await ui.waitForRest();
  await page.keyboard.press("f");
  const dialog = page.getByRole("dialog");
  await dialog.locator("option", { hasText: "Pay 10" }).waitFor({ state: "attached" });
  const value = await dialog.locator("option", { hasText: "Pay 10" }).getAttribute("value");
  await dialog.locator("select").selectOption(value);
  const field = dialog.getByRole("textbox", { name: /^New user/ });
  expect(await field.inputValue()).toBe(text);
  const notice = dialog.getByTestId("hidden-characters");
  await expect.poll(() => notice.locator("pre").innerText()).toBe("Pay 10⟨U+202E⟩00⟨U+200B⟩ to Ann.");
  await field.fill("Pay 1000 to Ann.");
  await notice.waitFor({ state: "detached" });
  await field.fill(`Pay 9\u200B.`);
  expect(await notice.innerText()).toContain("Pay 9⟨U+200B⟩.");
  await dialog.getByRole("button", { name: "Fork" }).click();
  await dialog.waitFor({ state: "detached" });
  const conversation = await ui.openTab("conversation");
  await expect.poll(() => conversation.innerText()).toContain("Pay 9⟨U+200B⟩.");
  const sent = async (): Promise<unknown> => {
    const context = (await ui.context((await ui.steps())[1])) as {
      messages: { content: { text: string }[] }[];
    };
    return context.messages[0]!.content[0]!.text;
  };
  await expect.poll(sent).toBe("Pay 9\u200B.");
  await agent.close();
});
