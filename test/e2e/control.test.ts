// Interrupts, forks and messages from the page.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { AgentError, createAgent, defineTool, textOf } from "agentchart";
import { openSession } from "agentchart/session";
import type { Agent, AgentConfig, ChatModel } from "agentchart";
import { fileStore } from "agentchart/store/file";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { accessibilityProblems } from "./support/axe.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { HeldModel } from "./support/held-model.ts";
import { recordMicrosteps, type Microstep } from "./support/record-microsteps.ts";

let env: Environment;
beforeAll(async () => {
  env = await makeEnvironment();
});
afterAll(() => env.close());
afterEach(() => env.closePages());

const say = (delta: string) => ({ type: "text.delta", delta }) as const;
const stop = { type: "finish", reason: "stop" } as const;
const callNote = [
  { type: "tool.delta", key: 0, id: "n1", name: "note", args: '{"text":"milk"}' },
  { type: "finish", reason: "tool_calls" },
] as const;

/** Creates an agent whose tool `note` records its inputs, with a model that the test controls. */
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
    inspect: env.hub.address,
    ...config,
  });
  return { agent, held, notes };
}

describe("The page", () => {
  test("interrupts a run while its model streams: the model is aborted and the turn ends", async () => {
    const { agent, held } = noter();
    const { page, ui } = await env.open();
    const reply = agent.call("Tell me a story.");
    await held.requested(1);
    held.send(say("Once upon a time"));
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
    await expect.poll(() => ui.status()).toMatch(/stopped[^]*idle/);
    await expect.poll(async () => (await ui.activeStates()).at(-1)).toBe("agent.stopped.idle");
    await agent.close();
  });

  test("steers a run that works: the model reads the message in its next call", async () => {
    const { agent, held } = noter();
    const { page, ui } = await env.open();
    const reply = agent.call("Take a note.");
    await held.requested(1);
    await ui.choose(agent.sessionId);
    await page.getByRole("button", { name: /^Steer/ }).click();
    await page.getByRole("dialog").getByRole("textbox").fill("In French, please.");
    await page.keyboard.press("Control+Enter");
    await page.locator('[data-notice="good"]').waitFor();
    held.send(...callNote);
    await held.requested(2);
    expect(JSON.stringify(held.requests[1]!.messages)).toContain("In French, please.");
    held.send(say("Voilà."), stop);
    await reply;
    await agent.close();
  });

  test("pauses a run while its model streams and resumes it without running anything twice", async () => {
    const { agent, held, notes } = noter();
    const { page, ui } = await env.open();
    agent.call("Take a note.").catch(() => {});
    await held.requested(1);
    await ui.choose(agent.sessionId);
    held.send(say("I take"));
    await page.getByRole("button", { name: /^Pause/ }).click();
    await expect.poll(() => agent.snapshot()).toMatchObject({ kept: { progress: { draining: true } } });
    held.send(...callNote);
    const resume = page.getByRole("button", { name: /^Resume/ });
    await resume.waitFor();
    const before = notes.length;
    expect(held.requests).toHaveLength(1);
    await resume.click();
    await held.requested(2);
    expect(notes).toEqual(["milk"]);
    expect(before).toBeLessThanOrEqual(1);
    held.send(say("Done."), stop);
    await expect.poll(() => ui.status()).toMatch(/stopped[^]*idle/);
    await expect.poll(async () => (await ui.openTab("conversation")).innerText()).toContain("Done.");
    expect(notes).toEqual(["milk"]);
  });

  test("sends the next message to a run that has stopped", async () => {
    const { agent, held } = noter();
    const { page, ui } = await env.open();
    const reply = agent.call("Hello.");
    await held.requested(1);
    held.send(say("Hello!"), stop);
    await reply;
    await ui.choose(agent.sessionId);
    await page.getByRole("button", { name: /^Message/ }).click();
    await page.getByRole("dialog").getByRole("textbox").fill("And now?");
    await page.getByRole("dialog").getByRole("button", { name: /^Send/ }).click();
    await held.requested(2);
    held.send(say("Now we rest."), stop);
    await expect
      .poll(async () => (await agent.messages()).map(textOf))
      .toEqual(["Hello.", "Hello!", "And now?", "Now we rest."]);
    await agent.close();
  });
});

describe("The fork dialog", () => {
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
  let microsteps: Microstep[];
  const journal = async (): Promise<string> => {
    const entries: unknown[] = [];
    for await (const entry of store.read(agent.sessionId)) entries.push(entry);
    return JSON.stringify(entries);
  };

  beforeAll(async () => {
    store = fileStore({ dir: env.home.sessions });
    // the scripted answers are shared: the requests of a fork come after those of the original
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
      inspect: env.hub.address,
    });
    microsteps = recordMicrosteps(agent);
    await agent.call("Pay seven.");
  });
  afterAll(() => agent.close());

  test("forks a run that waits for an approval: the fork waits too and is approved independently of the original", async () => {
    const before = await journal();
    const { page, ui } = await env.open();
    await ui.choose(agent.sessionId);
    await ui.waitForStep(microsteps.length);
    await page.keyboard.press("f");
    const dialog = page.getByRole("dialog", { name: "Edit and run again from the end" });
    await dialog.getByRole("radio", { name: /^Really run/ }).check();
    await dialog.getByRole("button", { name: /^Fork/ }).click();
    await expect.poll(() => page.locator("header.header").innerText()).toMatch(/fork of/);
    const forked = await ui.selectedRun();
    expect(forked).not.toBe(agent.sessionId);
    await page.getByRole("button", { name: /^Approve/ }).click();
    await expect.poll(() => paid).toHaveLength(1);
    await expect.poll(() => ui.status()).toMatch(/idle/);
    expect(await journal()).toBe(before);
    expect(agent.status().pending[0]?.decided).toBeUndefined();
    await page.getByRole("button", { name: /^fork of/ }).click();
    await expect.poll(() => page.url()).toContain(agent.sessionId);
    await page.goBack();
    await expect.poll(() => page.url()).toContain(forked);
  });

  test("the scrubbers of a run and of its fork mark the forked step with a link to the other run", async () => {
    const { page, ui } = await env.open();
    const marks = page.getByRole("navigation", { name: "Forks" }).getByRole("link");
    await ui.choose(agent.sessionId);
    await expect.poll(() => marks.count()).toBe(1);
    await expect
      .poll(async () => [await marks.getAttribute("data-at-step"), String((await ui.steps())[1])])
      .toEqual(["4", "4"]);
    const name = (await marks.getAttribute("aria-label"))!;
    expect(name).toMatch(/^Fork: payer .+, step 4$/);
    expect(await accessibilityProblems(page)).toEqual([]);
    await marks.focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator("header.header").innerText()).toMatch(/fork of/);
    const begins = page.getByRole("link", { name: /^Forked from payer .+, step 1$/ });
    await begins.waitFor();
    await expect.poll(() => marks.count()).toBe(1);
    await begins.click();
    await page.getByRole("link", { name }).waitFor();
    await expect.poll(() => page.url()).toContain(agent.sessionId);
  });

  test("forks at a past step with an edited message: keeps the messages before it and lists the calls that will run again", async () => {
    await agent.decide(agent.status().pending[0]!.callId, "approve");
    await agent.call();
    const before = await journal();
    const { page, ui } = await env.open();
    await ui.choose(agent.sessionId);
    await ui.waitForStep(microsteps.length);
    let at = microsteps.length;
    for (; at > 0; at -= 1) {
      await ui.goTo(at);
      if ((await ui.activeStates()).includes("agent.acting.executing")) break;
    }
    await page.keyboard.press("f");
    const dialog = page.getByRole("dialog");
    await expect.poll(() => dialog.getByTestId("will-run").innerText()).toMatch(/pay/);
    await dialog.getByRole("combobox").selectOption({ label: "user: Pay seven." });
    await dialog.getByRole("textbox", { name: "New user: Pay seven." }).fill("Pay eight.");
    await dialog.getByRole("checkbox", { name: /start it immediately/i }).uncheck();
    await dialog.getByRole("button", { name: /^Fork/ }).click();
    await expect.poll(() => page.locator("header.header").innerText()).toMatch(/fork of/);
    const forkId = await ui.selectedRun();
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

  test("forks a run that backs off: the fork calls the model immediately and the original keeps waiting", async () => {
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
    const busy = createAgent({
      name: "busy",
      model,
      store,
      modelOptions: { execution: modelExecution },
      inspect: env.hub.address,
    });
    const reply = busy.call("Hello.");
    const { page, ui } = await env.open();
    await ui.choose(busy.sessionId);
    await expect.poll(() => ui.status()).toMatch(/backingOff/);
    await page.keyboard.press("f");
    await page.getByRole("dialog").getByRole("button", { name: /^Fork/ }).click();
    await expect.poll(() => page.locator("header.header").innerText()).toMatch(/fork of/);
    await held.requested(1);
    held.send(say("Hello from the fork."), stop);
    await expect.poll(() => ui.status()).toMatch(/stopped[^]*idle/);
    const conversation = await ui.openTab("conversation");
    await expect.poll(() => conversation.innerText()).toContain("Hello from the fork.");
    await page.getByRole("link", { name: /^Forked from busy/ }).click();
    await expect.poll(() => ui.status()).toMatch(/backingOff/);
    expect(await conversation.innerText()).not.toContain("Hello from the fork.");
    expect(held.requests).toHaveLength(1);
    busy.interrupt();
    expect((await reply).reason).toBe("INTERRUPTED");
    await busy.close();
  });
});
