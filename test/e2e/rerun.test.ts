// Forks with changes, and their comparison.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { scriptedModel } from "agentchart/testing";
import { createAgent, defineTool, textOf, toolResultsOf, type Agent, type ChatModel } from "agentchart";
import { openSession } from "agentchart/session";
import { fileStore } from "agentchart/store/file";
import { accessibilityProblems } from "./support/axe.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { HeldModel } from "./support/held-model.ts";

let env: Environment;
let store: ReturnType<typeof fileStore>;
let agent: Agent;

/** Calls `stock` once, then says what it was told, by whom. */
const clerk: ChatModel = {
  name: "clerk",
  async *stream({ messages }) {
    const results = messages.flatMap(toolResultsOf);
    if (results.length === 0) {
      yield { type: "tool.delta", key: 0, id: "c1", name: "stock", args: '{"item":"lamp"}' };
      yield { type: "finish", reason: "tool_calls" };
      return;
    }
    const system = messages.find(({ role }) => role === "system");
    const [output] = results.at(-1)!.output;
    const heard = output?.type === "text" ? output.text : "";
    yield { type: "text.delta", delta: `${textOf(system!)} ${heard}.` };
    yield { type: "usage", usage: { inputTokens: 10, outputTokens: 5 } };
    yield { type: "finish", reason: "stop" };
  },
};

beforeAll(async () => {
  env = await makeEnvironment();
  store = fileStore({ dir: env.home.sessions });
  const stock = defineTool({
    name: "stock",
    description: "Counts what is there.",
    input: { type: "object" },
    execute: () => "7 lamps",
  });
  agent = createAgent({
    name: "clerk",
    sysPrompt: "Politely:",
    model: clerk,
    tools: [stock],
    store,
    modelOptions: { prices: { clerk: { input: 1, output: 1 } } },
    inspect: env.hub.address,
  });
  await agent.call("How many lamps?");
});
afterEach(() => env.closePages());
afterAll(async () => {
  await agent.close();
  await env.close();
});

test("a system prompt and a result are edited, the run is made twice more, and the comparison says where they part", async () => {
  const { page, ui } = await env.open();
  await ui.choose(agent.sessionId);
  await ui.waitForRest();
  const conversation = await ui.openTab("conversation");
  await conversation.getByRole("button", { name: "More about the call stock" }).click();
  await page.getByRole("menuitem", { name: "Edit result and run again" }).click();
  const dialog = page.getByRole("dialog", { name: /^Edit and run again from step/ });
  await dialog.getByRole("textbox", { name: "New result of stock: 7 lamps" }).fill("no lamps");
  await dialog.getByRole("combobox").selectOption({ label: "system prompt" });
  await dialog.getByRole("textbox", { name: "New system prompt" }).fill("Rudely:");
  await dialog.getByRole("spinbutton", { name: "How many times" }).fill("2");
  const question = dialog.getByTestId("tools-question");
  expect(await question.innerText()).toMatch(/Really run\s+Act each time they run: stock\./);
  expect(await accessibilityProblems(page, "dialog")).toEqual([]);
  await dialog.getByRole("button", { name: "Fork and run" }).click();
  expect(await dialog.isVisible()).toBe(true); // nothing begins before the question is answered
  await dialog.getByRole("radio", { name: /^Really run/ }).check();
  await dialog.getByRole("button", { name: "Fork and run" }).click();

  const compare = page.getByTestId("compare");
  await expect.poll(() => compare.innerText()).toContain("Compare 3 runs");
  await expect
    .poll(async () => (await compare.getByText("Rudely: no lamps.").all()).length)
    .toBeGreaterThanOrEqual(2);
  expect(await compare.getByTestId("divergence").innerText()).toMatch(
    /^First effect: answer \(it differs\)\. What differs before it: system prompt, result of stock\./,
  );
  const first = compare.locator("tr[data-divergence]");
  expect(await first.innerText()).toMatch(/answer[^]*2 of 3[^]*Politely:[^]*Rudely:[^]*Rudely:/);
  expect(await first.locator("mark").allInnerTexts()).toEqual(["Rudely", "no", "Rudely", "no"]);
  const rowOf = (name: string) =>
    compare.locator("tbody tr").filter({
      has: page.locator("th", { hasText: new RegExp(`^${name}(?:first effect)?(?:\\d of \\d)?$`) }),
    });
  expect(await rowOf("result of stock").innerText()).toMatch(/7 lamps[^]*no lamps[^]*no lamps/);
  expect(await rowOf("cost").first().innerText()).toMatch(/\$/);
  const tokens = [...(await rowOf("tokens").innerText()).matchAll(/(\d+)↓ (\d+)↑/g)].map(([, , out]) =>
    Number(out),
  );
  expect(tokens).toHaveLength(3);
  expect(tokens[1]).toBe(tokens[2]);
  expect(tokens[1]).toBeLessThan(tokens[0]!); // a fork has made one request of its own, the original two
  expect(await rowOf("answer").last().innerText()).toMatch(/Politely: 7 lamps\.[^]*Rudely: no lamps\./);
  expect(await rowOf("answer").first().innerText()).toMatch(/Politely: 7 lamps\.[^]*Rudely: no lamps\./);
  expect(await rowOf("user").innerText()).toContain("How many lamps?");
  expect(await accessibilityProblems(page)).toEqual([]);

  const { sessions } = await store.list({ meta: { forkedFrom: agent.sessionId } });
  expect(sessions).toHaveLength(2);
  for (const { sessionId } of sessions) {
    const { messages } = await (await openSession(store, sessionId)).at();
    expect(messages.map(textOf)).toEqual(["How many lamps?", "", "", "Rudely: no lamps."]);
  }
  expect((await agent.messages()).map(textOf).at(-1)).toBe("Politely: 7 lamps.");
});

test("a fork shows the steps and messages that were there before it, and leads to its original", async () => {
  const { page, ui } = await env.open();
  const { sessions } = await store.list({ meta: { forkedFrom: agent.sessionId } });
  await ui.choose(sessions[0]!.sessionId);
  const conversation = await ui.openTab("conversation");
  await expect.poll(() => conversation.innerText()).toMatch(/before the fork[^]*How many lamps\?/i);
  const before = page.getByTestId("before-fork");
  expect(await before.innerText()).toMatch(/^5 steps before the fork, of clerk/);
  await before.locator("summary").click();
  expect(await before.getByRole("button").first().innerText()).toMatch(/^#1 /);
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.getByRole("button", { name: "compare", exact: true }).click();
  await expect.poll(() => page.url()).toContain("#/compare/");
  await expect.poll(() => page.getByTestId("divergence").innerText()).toContain("system prompt");
  await page.goBack();
  await expect.poll(() => page.url()).toContain(sessions[0]!.sessionId);
  expect(await ui.run(sessions[0]!.sessionId).innerText()).toMatch(
    /fork at \d+\s*system prompt → Rudely:, result of stock → no lamps/,
  );
  await conversation
    .getByTitle(/Show the step of .* that stored this message/)
    .first()
    .click();
  await expect.poll(() => page.url()).toContain(`${encodeURIComponent(agent.sessionId)}/`);
});

test("runs are chosen in the list and compared, and a link opens the comparison on a phone", async () => {
  const { page, ui } = await env.open();
  const { sessions } = await store.list({ meta: { forkedFrom: agent.sessionId } });
  await ui.choose(agent.sessionId);
  await page.getByRole("button", { name: "Compare runs" }).click();
  for (const { sessionId } of sessions) await ui.run(sessionId).click();
  await page.getByRole("group", { name: "Compare runs" }).getByRole("button", { name: "Compare" }).click();
  await expect.poll(() => page.getByTestId("compare").innerText()).toContain("The runs do not differ.");
  const phone = await env.open({
    viewport: { width: 390, height: 844 },
    at: `${env.hub.link}/compare/${[agent.sessionId, sessions[0]!.sessionId].join(",")}`,
  });
  const divergence = phone.page.getByTestId("divergence");
  await expect.poll(() => divergence.innerText()).toContain("What differs before it: system prompt");
  const { width } = (await phone.page.getByTestId("compare").boundingBox())!;
  expect(width).toBeLessThanOrEqual(390);
  expect(await accessibilityProblems(phone.page)).toEqual([]);
});

test("an edit that does not fit is refused in the dialog, and nothing is forked", async () => {
  const { page, ui } = await env.open();
  const count = async (): Promise<number> => (await store.list({})).sessions.length;
  const before = await count();
  await ui.choose(agent.sessionId);
  await ui.waitForRest();
  await page.keyboard.press("f");
  const dialog = page.getByRole("dialog");
  await dialog.locator("option", { hasText: "model" }).first().waitFor({ state: "attached" });
  await dialog.getByRole("combobox").selectOption({ label: "options of the model" });
  await dialog.getByRole("textbox", { name: "New options of the model" }).fill("[]");
  await dialog.getByRole("radio", { name: /^Really run/ }).check();
  await dialog.getByRole("button", { name: "Fork and run" }).click();
  await expect.poll(() => dialog.getByRole("alert").innerText()).toContain("expected a JSON object");
  await dialog.getByRole("button", { name: "Take this change back" }).click();
  await dialog.getByRole("combobox").first().selectOption({ label: "model" });
  await dialog.getByRole("combobox", { name: "New model" }).fill("another");
  await dialog.getByRole("button", { name: "Fork and run" }).click();
  await expect.poll(() => dialog.getByRole("alert").innerText()).toContain("has no model 'another'");
  expect(await count()).toBe(before);
});

test("a comparison says which run is not there, and a fork that its original is not", async () => {
  const sessionId = "gone";
  const original = createAgent({ name: "brief", model: scriptedModel(["Yes."]), store, sessionId });
  await original.call("Well?");
  const { seq } = original.status();
  await original.close();
  const fork = await (await openSession(store, sessionId)).fork(seq, { sessionId: "orphan" });
  await store.delete(sessionId);
  const { page } = await env.open({ at: `${env.hub.link}/compare/${agent.sessionId},nobody` });
  await expect.poll(() => page.getByTestId("compare").innerText()).toContain("Not found: nobody");
  const other = await env.open({ at: `${env.hub.link}/run/${fork.sessionId}` });
  await other.page.getByText("The original of this fork is not there any more.").waitFor();
});

test("a fork at a step makes the step again, and repeats recorded results or really runs the tools", async () => {
  const ran: string[] = [];
  const send = defineTool({
    name: "send",
    description: "Sends a letter.",
    input: { type: "object" },
    execute: ({ to }: { to?: unknown }) => (ran.push(String(to)), `sent ${ran.length}`),
  });
  const ask = (id: string) => ({ calls: [{ id, name: "send", input: { to: "Ann" } }] });
  const clerk = createAgent({
    name: "letters",
    model: scriptedModel([ask("a"), "One.", ask("b"), "Two.", ask("c"), "Three."]),
    tools: [send],
    store,
    inspect: env.hub.address,
  });
  await clerk.call("Send it.");
  const { page, ui } = await env.open();
  const forkAtAnswer = async (choice: RegExp): Promise<string> => {
    await ui.choose(clerk.sessionId);
    await ui.waitForRest();
    const asked = page.locator('[data-call="a"]');
    await asked.waitFor();
    let step = 1;
    for (; step < (await ui.steps())[1]; step++) {
      const context = (await ui.context(step)) as { messages?: readonly unknown[] } | undefined;
      if ((context?.messages?.length ?? 0) >= 2) break;
    }
    await ui.goTo(step); // the step that stored the answer with the call
    await page.keyboard.press("f");
    const dialog = page.getByRole("dialog");
    await expect.poll(() => dialog.getByTestId("will-run").innerText()).toMatch(/send .*Ann.*acts each time/);
    expect((await dialog.getByRole("heading").innerText()).trim()).toMatch(
      /^Edit and run again from step \d+$/,
    );
    await dialog.getByRole("radio", { name: choice }).check();
    await dialog.getByRole("button", { name: "Fork and run" }).click();
    await expect.poll(() => page.locator("header.header").innerText()).toMatch(/fork of/);
    await expect.poll(() => ui.status()).toMatch(/answered/i);
    const forked = await ui.selectedRun();
    const fork = await openSession(store, forked);
    const { messages } = await fork.at();
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
    return JSON.stringify(messages[2]);
  };
  expect(await forkAtAnswer(/^Repeat recorded results/)).toContain("sent 1");
  expect(ran).toEqual(["Ann"]);
  expect(await forkAtAnswer(/^Really run/)).toContain("sent 2");
  expect(ran).toEqual(["Ann", "Ann"]);
  await clerk.close();
});

test("`f` in the live view forks a run that goes on as it is now, and at the first step with its message, edited", async () => {
  const gate = Promise.withResolvers<void>();
  let asked = 0;
  const model: ChatModel = {
    name: "waits",
    async *stream() {
      asked++;
      await gate.promise;
      yield { type: "text.delta", delta: "This." };
      yield { type: "finish", reason: "stop" };
    },
  };
  const going = createAgent({ name: "going", model, store, inspect: env.hub.address });
  const reply = going.call("Which one?");
  const { page, ui } = await env.open();
  await ui.choose(going.sessionId);
  await expect.poll(() => ui.activeStates()).toContain("agent.reasoning.calling");
  await page.keyboard.press("f");
  const dialog = page.getByRole("dialog", { name: "Edit and run again from the end" });
  await dialog.getByRole("button", { name: "Fork and run" }).click();
  await expect.poll(() => page.locator("header.header").innerText()).toMatch(/fork of/);
  await expect.poll(() => asked).toBe(2);
  expect((await (await openSession(store, await ui.selectedRun())).at()).messages).toHaveLength(1);
  gate.resolve();
  await reply;

  await ui.choose(going.sessionId);
  await ui.waitForRest();
  await ui.goTo(2);
  await page.keyboard.press("f");
  const first = page.getByRole("dialog");
  const message = first.getByLabel("The run rested here. The message that it gets again");
  await expect.poll(() => message.inputValue()).toBe("Which one?");
  await message.fill("Which other one?");
  await first.getByRole("button", { name: "Fork and run" }).click();
  await expect.poll(() => page.locator("header.header").innerText()).toMatch(/fork of/);
  const { sessions } = await store.list({ meta: { forkedFrom: going.sessionId } });
  expect(sessions).toHaveLength(2);
  const texts = async (): Promise<readonly string[]> => {
    const { messages } = await (await openSession(store, await ui.selectedRun())).at();
    return messages.map(textOf);
  };
  await expect.poll(texts).toEqual(["Which other one?", "This."]);
  await going.close();
});

test("forks that run are stopped together from the comparison, and the comparison shows how far they are", async () => {
  const held = new HeldModel();
  const slow = createAgent({ name: "slow", model: held.model, store, inspect: env.hub.address });
  const reply = slow.call("Hello.");
  await held.requested(1);
  held.send({ type: "text.delta", delta: "Hi." }, { type: "finish", reason: "stop" });
  await reply;
  const { page, ui } = await env.open();
  await ui.choose(slow.sessionId);
  await ui.waitForRest();
  const conversation = await ui.openTab("conversation");
  await conversation.locator("article", { hasText: "Hi." }).getByTitle("Edit and run again").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "New system prompt" }).fill("Be slow.");
  await dialog.getByRole("spinbutton").fill("2");
  await dialog.getByRole("button", { name: "Fork and run" }).click();
  await held.requested(3);
  const compare = page.getByTestId("compare");
  await expect.poll(() => compare.getByRole("status").innerText()).toBe("1 of 3 at rest");
  await compare.getByRole("button", { name: "Stop 2" }).click();
  await expect.poll(() => compare.getByRole("button", { name: /^Stop/ }).count()).toBe(0);
  const outcome = compare.locator("tr", { has: page.locator("th", { hasText: "outcome" }) });
  await expect.poll(() => outcome.innerText()).toMatch(/answered[^]*interrupted[^]*interrupted/i);
  await slow.close();
});
