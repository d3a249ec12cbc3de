import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { AgentError, createAgent, defineTool, textOf } from "agentchart";
import { openSession } from "agentchart/session";
import type { Agent, AgentConfig, ChatModel } from "agentchart";
import { fileStore } from "agentchart/store/file";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { accessibilityProblems } from "./support/axe.ts";
import { makeDesk, type Desk } from "./support/desk.ts";
import { HeldModel } from "./support/held-model.ts";
import { truthOf, type Truth } from "./support/truth.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await makeDesk();
});
afterAll(() => desk.close());
afterEach(() => desk.closePages());

const say = (delta: string) => ({ type: "text.delta", delta }) as const;
const stop = { type: "finish", reason: "stop" } as const;
const callNote = [
  { type: "tool.delta", key: 0, id: "n1", name: "note", args: '{"text":"milk"}' },
  { type: "finish", reason: "tool_calls" },
] as const;

/** An agent that takes notes, with a model that answers by hand, and the notes that it took. */
function noter(config: Partial<AgentConfig> = {}) {
  const notes: unknown[] = [];
  const held = new HeldModel();
  const note = defineTool({
    name: "note",
    description: "Takes a note.",
    input: { type: "object" },
    execute: ({ text }: { text?: unknown }) => {
      notes.push(text);
      return "Noted.";
    },
  });
  const agent = createAgent({
    name: "noter",
    model: held.model,
    tools: [note],
    store: memoryStore(),
    inspect: desk.hub.address,
    ...config,
  });
  return { agent, held, notes };
}

describe("From the page a run is", () => {
  test("interrupted in the middle of a sentence: the model is aborted and the turn ends", async () => {
    const { agent, held } = noter();
    const { page, ui } = await desk.open();
    const reply = agent.call("Tell me a story.");
    await held.asked(1);
    held.give(say("Once upon a time"));
    await ui.choose(agent.sessionId);
    await expect.poll(() => page.getByTestId("streaming").innerText()).toContain("Once upon");
    await page.getByRole("button", { name: /^Interrupt/ }).click();
    await page.getByRole("dialog").getByRole("textbox").fill("Enough.");
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Interrupt/ })
      .click();
    expect((await reply).reason).toBe("INTERRUPTED");
    expect(held.aborts).toBe(1);
    await expect.poll(() => ui.standing()).toMatch(/stopped[^]*idle/);
    await expect.poll(async () => (await ui.active()).at(-1)).toBe("agent.stopped.idle");
    await agent.close();
  });

  test("told something while it runs, and the model reads it", async () => {
    const { agent, held } = noter();
    const { page, ui } = await desk.open();
    const reply = agent.call("Take a note.");
    await held.asked(1);
    await ui.choose(agent.sessionId);
    await page.getByRole("button", { name: /^Steer/ }).click();
    await page.getByRole("dialog").getByRole("textbox").fill("In French, please.");
    await page.keyboard.press("Control+Enter");
    await page.locator('[data-notice="good"]').waitFor();
    held.give(...callNote);
    await held.asked(2);
    expect(JSON.stringify(held.requests[1]!.messages)).toContain("In French, please.");
    held.give(say("Voilà."), stop);
    await reply;
    await agent.close();
  });

  test("paused in the middle of an answer and resumed: nothing runs twice", async () => {
    const { agent, held, notes } = noter();
    const { page, ui } = await desk.open();
    agent.call("Take a note.").catch(() => {});
    await held.asked(1);
    await ui.choose(agent.sessionId);
    held.give(say("I take"));
    await page.getByRole("button", { name: /^Pause/ }).click();
    await expect.poll(() => agent.snapshot()).toMatchObject({ kept: { progress: { draining: true } } });
    held.give(...callNote);
    const resume = page.getByRole("button", { name: /^Resume/ });
    await resume.waitFor();
    const before = notes.length;
    expect(held.requests).toHaveLength(1);
    await resume.click();
    await held.asked(2);
    expect(notes).toEqual(["milk"]);
    expect(before).toBeLessThanOrEqual(1);
    held.give(say("Done."), stop);
    await expect.poll(() => ui.standing()).toMatch(/stopped[^]*idle/);
    await expect.poll(async () => (await ui.openTab("conversation")).innerText()).toContain("Done.");
    expect(notes).toEqual(["milk"]);
  });

  test("sent the next message when it rests", async () => {
    const { agent, held } = noter();
    const { page, ui } = await desk.open();
    const reply = agent.call("Hello.");
    await held.asked(1);
    held.give(say("Hello!"), stop);
    await reply;
    await ui.choose(agent.sessionId);
    await page.getByRole("button", { name: /^Message/ }).click();
    await page.getByRole("dialog").getByRole("textbox").fill("And now?");
    await page.getByRole("dialog").getByRole("button", { name: /^Send/ }).click();
    await held.asked(2);
    held.give(say("Now we rest."), stop);
    await expect
      .poll(async () => (await agent.messages()).map(textOf))
      .toEqual(["Hello.", "Hello!", "And now?", "Now we rest."]);
    await agent.close();
  });
});

describe("From the page a run is forked", () => {
  let store: ReturnType<typeof fileStore>;
  const paid: unknown[] = [];
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    input: { type: "object" },
    execute: (input) => {
      paid.push(input);
      return "Paid.";
    },
  });
  let agent: Agent;
  let truth: Truth[];
  const journal = async (): Promise<string> => {
    const entries: unknown[] = [];
    for await (const entry of store.read(agent.sessionId)) entries.push(entry);
    return JSON.stringify(entries);
  };

  beforeAll(async () => {
    store = fileStore({ dir: desk.home.sessions });
    // what a fork asks comes after what the first run asked
    const turns = Array.from({ length: 4 }, () => [
      { calls: [{ name: "pay", input: { cents: 7 } }] },
      "Settled.",
    ]).flat();
    agent = createAgent({
      name: "payer",
      model: scriptedModel(turns),
      tools: [pay],
      permissions: { rules: [{ tool: "pay", action: "ask" }] },
      store,
      inspect: desk.hub.address,
    });
    truth = truthOf(agent);
    await agent.call("Pay seven.");
  });
  afterAll(() => agent.close());

  test("while it waits for somebody: the fork waits too, and is answered by itself", async () => {
    const before = await journal();
    const { page, ui } = await desk.open();
    await ui.choose(agent.sessionId);
    await ui.at(truth.length);
    await ui.goTo(truth.length);
    await page.keyboard.press("f");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: /^Fork/ }).click();
    await expect.poll(() => page.locator("header.header").innerText()).toMatch(/fork of/);
    const forked = await ui.shownRun();
    expect(forked).not.toBe(agent.sessionId);
    await page.getByRole("button", { name: /^Approve/ }).click();
    await expect.poll(() => paid).toHaveLength(1);
    await expect.poll(() => ui.standing()).toMatch(/idle/);
    expect(await journal()).toBe(before);
    expect(agent.status().pending[0]?.decided).toBeUndefined();
    await page.getByRole("button", { name: /^fork of/ }).click();
    await expect.poll(() => page.url()).toContain(agent.sessionId);
    await page.goBack();
    await expect.poll(() => page.url()).toContain(forked);
  });

  test("and the strip of either run shows where, with a link to the other", async () => {
    const { page, ui } = await desk.open();
    const marks = page.getByRole("navigation", { name: "Forks" }).getByRole("link");
    await ui.choose(agent.sessionId);
    await expect.poll(() => marks.count()).toBe(1);
    await expect
      .poll(async () => [await marks.getAttribute("data-step"), String((await ui.step())[1])])
      .toEqual(["12", "12"]);
    const name = (await marks.getAttribute("aria-label"))!;
    expect(name).toMatch(/^Forked here: payer .+, step 12$/);
    expect(await accessibilityProblems(page)).toEqual([]);
    await marks.focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator("header.header").innerText()).toMatch(/fork of/);
    const begins = page.getByRole("link", { name: /^Begins here as a fork of payer .+, step 1$/ });
    await begins.waitFor();
    await expect.poll(() => marks.count()).toBe(1);
    await begins.click();
    await page.getByRole("link", { name }).waitFor();
    await expect.poll(() => page.url()).toContain(agent.sessionId);
  });

  test("in its past with another question: the prefix is kept, what runs again is listed", async () => {
    await agent.decide(agent.status().pending[0]!.callId, "approve");
    await agent.call();
    const before = await journal();
    const { page, ui } = await desk.open();
    await ui.choose(agent.sessionId);
    await ui.at(truth.length);
    let at = truth.length;
    for (; at > 0; at -= 1) {
      await ui.goTo(at);
      if ((await ui.active()).includes("agent.acting.executing")) break;
    }
    await page.keyboard.press("f");
    const dialog = page.getByRole("dialog");
    await expect.poll(() => dialog.getByTestId("will-run").innerText()).toMatch(/pay/);
    await dialog.getByRole("combobox").selectOption({ label: "user: Pay seven." });
    await dialog.getByRole("textbox", { name: "New text of the message" }).fill("Pay eight.");
    await dialog.getByRole("checkbox", { name: /run it at once/ }).uncheck();
    await dialog.getByRole("button", { name: /^Fork/ }).click();
    await expect.poll(() => page.locator("header.header").innerText()).toMatch(/fork of/);
    const forkId = await ui.shownRun();
    const { sessions } = await store.list({ meta: { forkedFrom: agent.sessionId } });
    const forkedAt = sessions.find(({ sessionId }) => sessionId === forkId)!.meta["forkedAt"] as number;
    const original = await openSession(store, agent.sessionId);
    const fork = await openSession(store, forkId);
    const { messages: kept } = await original.at(forkedAt);
    const [question, ...prefix] = (await fork.at()).messages;
    expect(textOf(question!)).toBe("Pay eight.");
    expect(kept.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect({ ...question, content: kept[0]!.content }).toEqual(kept[0]);
    expect(prefix).toEqual(kept.slice(1));
    const conversation = await ui.openTab("conversation");
    await expect.poll(() => conversation.innerText()).toContain("Pay eight.");
    expect(await conversation.innerText()).not.toContain("Pay seven.");
    expect(await journal()).toBe(before);
    await ui.run(agent.sessionId).click();
    await expect.poll(() => conversation.innerText()).toContain("Pay seven.");
  });

  test("while its model is asked again later: the fork asks at once, and the original waits on", async () => {
    const held = new HeldModel();
    let failures = 1;
    const model: ChatModel = {
      name: "busy",
      async *stream(request, options) {
        if (failures-- > 0) throw new AgentError("model/rate-limit", "Too many.", { isRetryable: true });
        yield* held.model.stream(request, options);
      },
    };
    const modelExecution = { initialBackoffMs: 600_000, maxBackoffMs: 600_000 };
    const busy = createAgent({ name: "busy", model, store, modelExecution, inspect: desk.hub.address });
    const reply = busy.call("Hello.");
    const { page, ui } = await desk.open();
    await ui.choose(busy.sessionId);
    await expect.poll(() => ui.standing()).toMatch(/backingOff/);
    const [, newest] = await ui.step();
    await ui.goTo(newest);
    await page.keyboard.press("f");
    await page.getByRole("dialog").getByRole("button", { name: /^Fork/ }).click();
    await expect.poll(() => page.locator("header.header").innerText()).toMatch(/fork of/);
    await held.asked(1);
    held.give(say("Hello from the fork."), stop);
    await expect.poll(() => ui.standing()).toMatch(/stopped[^]*idle/);
    const conversation = await ui.openTab("conversation");
    await expect.poll(() => conversation.innerText()).toContain("Hello from the fork.");
    await page.getByRole("link", { name: /^Begins here as a fork of busy/ }).click();
    await expect.poll(() => ui.standing()).toMatch(/backingOff/);
    expect(await conversation.innerText()).not.toContain("Hello from the fork.");
    expect(held.requests).toHaveLength(1);
    busy.interrupt();
    expect((await reply).reason).toBe("INTERRUPTED");
    await busy.close();
  });
});
