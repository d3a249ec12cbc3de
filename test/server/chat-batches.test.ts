// Batches of calls that several pages decide.
import type { UIMessage } from "ai";
import { defineTool, type ChatModel, type StreamPart } from "agentchart";
import { serve } from "agentchart/server";
import { createWorker, type WorkerAgents } from "agentchart/worker";
import { expect, onTestFinished, test } from "vitest";
import { Chat } from "./chat-client.ts";
import { openPageServer } from "./open-page-server.ts";
import { openServer } from "./open-server.ts";
import { scriptModel } from "./script-model.ts";

const asked = (names: readonly string[]): ChatModel =>
  scriptModel({ calls: names.map((name, index) => ({ id: `c${index}`, name, input: {} })) }, "Done.");

/** A server, and a worker with an agent for each batch of calls, by the names of their tools. */
async function openWith(batches: readonly (readonly string[])[]) {
  const ran: string[] = [];
  const tool = (name: string, permission: "ask" | "allow" | "deny") =>
    defineTool({
      name,
      description: name,
      input: { type: "object" },
      permission,
      execute: () => {
        ran.push(name);
        return "ok";
      },
    });
  const page = defineTool({ name: "page", description: "page", input: { type: "object" } });
  const tools = [tool("pay", "ask"), tool("look", "allow"), tool("no", "deny"), page];
  const agents: WorkerAgents = Object.fromEntries(
    batches.map((names) => [names.join(), () => ({ name: "bot", model: asked(names), tools })]),
  );
  const server = openServer();
  const worker = createWorker({ queue: server.queue, store: server.store, agents, sweepMs: 200 });
  onTestFinished(() => worker.close({ deadlineMs: 100 }));
  await worker.start();
  const { url, close } = await serve(server.app);
  onTestFinished(close);
  return { url, ran };
}

const statesOf = (chat: Chat): readonly string[] =>
  chat.messages
    .at(-1)!
    .parts.flatMap((part) => (part.type === "dynamic-tool" ? [`${part.toolName} ${part.state}`] : []));

async function approveAll(chat: Chat): Promise<void> {
  for (const part of chat.messages.at(-1)!.parts)
    if (part.type === "dynamic-tool" && part.state === "approval-requested")
      await chat.addToolApprovalResponse({ id: part.approval.id, approved: true });
}

test.each<[readonly string[], readonly string[]]>([
  [["pay"], ["pay"]],
  [
    ["pay", "pay"],
    ["pay", "pay"],
  ],
  [
    ["pay", "look"],
    ["pay", "look"],
  ],
  [
    ["look", "pay"],
    ["look", "pay"],
  ],
  [
    ["look", "pay", "look", "pay"],
    ["look", "pay", "look", "pay"],
  ],
  [["pay", "no"], ["pay"]],
  [["pay", "nope"], ["pay"]],
])("a page that has approved what asks of %j goes on, once", async (names, runs) => {
  const { url, ran } = await openWith([names]);
  const chat = new Chat({ url, id: "batch", body: { agent: names.join() } });
  await chat.say("Go.");
  expect(ran).toEqual([]);
  await approveAll(chat);
  await expect.poll(() => chat.shown.at(-1)).toBe("assistant: Done.");
  await expect.poll(() => chat.status).toBe("ready");
  expect(chat.error).toBeUndefined();
  expect(ran.toSorted()).toEqual([...runs].toSorted());
});

test("a page approves a call, and then gives the result of its own tool of the same batch", async () => {
  const { url, ran } = await openWith([["pay", "page"]]);
  const chat = new Chat({ url, id: "batch", body: { agent: "pay,page" } });
  await chat.say("Go.");
  await approveAll(chat);
  await expect.poll(() => statesOf(chat)).toEqual(["pay output-available", "page input-available"]);
  await expect.poll(() => chat.status).toBe("ready");
  expect(ran).toEqual(["pay"]);
  await chat.addToolOutput({ tool: "page" as never, toolCallId: "c1", output: "here" as never });
  await expect.poll(() => chat.shown.at(-1)).toBe("assistant: Done.");
  expect(chat.error).toBeUndefined();
});

/** Two pages that show the same call for two payments. */
async function twoPages() {
  const { url, ran } = await openWith([["pay", "pay"]]);
  const first = new Chat({ url, id: "batch", body: { agent: "pay,pay" } });
  await first.say("Go.");
  const second = new Chat({ url, id: "batch", body: {}, messages: first.messages });
  return { first, second, ran };
}

const respond = (chat: Chat, id: string, approved = true) => chat.addToolApprovalResponse({ id, approved });

test("two pages decide one call each, and neither waits for the other", async () => {
  const { first, second, ran } = await twoPages();
  await respond(first, "c0");
  await expect.poll(() => first.status).toBe("ready");
  expect(ran).toEqual([]);
  await respond(second, "c1");
  await expect.poll(() => second.shown.at(-1)).toBe("assistant: Done.");
  expect([first.error, second.error]).toEqual([undefined, undefined]);
  expect(ran).toEqual(["pay", "pay"]);
});

test("two pages that decide at the same time: at least one shows how it goes on", async () => {
  const { first, second, ran } = await twoPages();
  await Promise.all([respond(first, "c0"), respond(second, "c1", false)]);
  await expect
    .poll(() => [first, second].some((chat) => chat.shown.at(-1) === "assistant: Done."))
    .toBe(true);
  await expect.poll(() => [first.status, second.status]).toEqual(["ready", "ready"]);
  expect([first.error, second.error]).toEqual([undefined, undefined]);
  expect(ran).toEqual(["pay"]);
});

test("a page that decides one call after the other sends each once, and goes on", async () => {
  const { first, ran } = await twoPages();
  await respond(first, "c0");
  await expect.poll(() => first.status).toBe("ready");
  await respond(first, "c1", false);
  await expect.poll(() => first.shown.at(-1)).toBe("assistant: Done.");
  expect(first.error).toBeUndefined();
  expect(statesOf(first)).toEqual(["pay output-available", "pay output-denied"]);
  expect(ran).toEqual(["pay"]);
});

test("a page that decides otherwise than another one is told, and the first decision counts", async () => {
  const { first, second, ran } = await twoPages();
  await respond(first, "c0");
  await expect.poll(() => first.status).toBe("ready");
  await respond(second, "c0", false);
  await expect.poll(() => second.error?.message).toContain("decided already");
  await respond(first, "c1");
  await expect.poll(() => first.shown.at(-1)).toBe("assistant: Done.");
  expect(ran).toEqual(["pay", "pay"]);
});

test("a call that is cut off twice is tried again twice, each time a page says so", async () => {
  let runs = 0;
  const send = defineTool({
    name: "send",
    description: "Sends.",
    input: { type: "object" },
    execute: () => (++runs < 3 ? new Promise<string>(() => {}) : "sent"),
  });
  const agents: WorkerAgents = { bot: () => ({ name: "bot", model: asked(["send"]), tools: [send] }) };
  const server = openServer();
  const { url, close } = await serve(server.app);
  onTestFinished(close);
  const began = async () => {
    const { queue, store } = server;
    const worker = createWorker({ queue, store, agents, sweepMs: 50, leaseMs: 300, retryMs: 20 });
    onTestFinished(() => worker.close({ deadlineMs: 1 }));
    await worker.start();
    return worker;
  };
  const statusOf = async () =>
    (await (await server.request("GET", "/v1/sessions/cut")).json()) as { waitsFor: readonly string[] };
  let worker = await began();
  const first = new Chat({ url, id: "cut", body: { agent: "bot" } }).say("Go.");
  for (const cut of [1, 2]) {
    await expect.poll(() => runs).toBe(cut);
    await worker.close({ deadlineMs: 1 });
    worker = await began();
    await expect.poll(async () => (await statusOf()).waitsFor).toEqual(["unknownOutcome"]);
    const messages = (await (await server.request("GET", "/v1/sessions/cut/chat")).json()) as UIMessage[];
    const page = new Chat({ url, id: "cut", messages });
    void page.sendMessage(undefined, { body: { decisions: { c0: "retry" } } });
  }
  await expect.poll(() => runs).toBe(3);
  await expect
    .poll(async () => (await (await server.request("GET", "/v1/sessions/cut")).json()) as unknown)
    .toMatchObject({ phase: "stopped", reason: "MODEL_STOP" });
  await first;
});

test("an earlier message is not edited: the page is told, and nothing is said to the model", async () => {
  const { url, server } = await openPageServer();
  const chat = new Chat({ url, id: "talk", body: { agent: "page" } });
  await chat.say("Where am I?");
  const before = await (await server.request("GET", "/v1/sessions/talk/messages")).text();
  await chat.sendMessage({ text: "Who am I?", messageId: chat.messages[0]!.id });
  expect(chat.error?.message).toContain("cannot be edited");
  expect(await (await server.request("GET", "/v1/sessions/talk/messages")).text()).toBe(before);
});

test("a page that loads while its message waits for a worker shows it, once, and then its answer", async () => {
  const server = openServer();
  const { url, close } = await serve(server.app);
  onTestFinished(close);
  const say = (): Promise<Response> =>
    server.request("POST", "/v1/sessions/talk/chat", {
      body: {
        agent: "page",
        messages: [{ id: "m1", role: "user", parts: [{ type: "text", text: "Where?" }] }],
      },
    });
  const said = say();
  const history = async (): Promise<UIMessage[]> => {
    const response = await server.request("GET", "/v1/sessions/talk/chat");
    return response.ok ? ((await response.json()) as UIMessage[]) : [];
  };
  const texts = async (): Promise<unknown> =>
    (await history()).map(({ role, parts }) => [
      role,
      ...parts.flatMap((part) => ("text" in part ? part.text : [])),
    ]);
  await expect.poll(texts).toEqual([["user", "Where?"]]);
  const [waiting] = await history();
  const gate = Promise.withResolvers<void>();
  async function* halves(): AsyncGenerator<StreamPart> {
    yield { type: "text.delta", delta: "In " };
    await gate.promise;
    yield { type: "text.delta", delta: "Bern." };
    yield { type: "finish", reason: "stop" };
  }
  const worker = createWorker({
    queue: server.queue,
    store: server.store,
    agents: { page: () => ({ name: "bot", model: scriptModel(halves) }) },
    sweepMs: 100,
  });
  onTestFinished(() => worker.close({ deadlineMs: 100 }));
  const page = new Chat({ url, id: "talk", messages: await history() });
  const resumed = page.resumeStream();
  await worker.start();
  await expect.poll(() => page.shown.at(-1)).toBe("assistant: In ");
  gate.resolve();
  await resumed;
  expect(page.shown).toEqual(["user: Where?", "assistant: In Bern."]);
  await (await said).text();
  expect(await texts()).toEqual([
    ["user", "Where?"],
    ["assistant", "In Bern."],
  ]);
  expect((await history())[0]!.id).toBe(waiting!.id);
});
