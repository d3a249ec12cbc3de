// Questions of modern servers.
import { createMcpHandler, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { afterEach, expect, test } from "vitest";
import { createAgent, type Snapshot } from "agentchart";
import { mcp, type McpElicitation, type McpOptions } from "agentchart/mcp";
import { serve } from "agentchart/server";
import { scriptedModel } from "agentchart/testing";
import { createWorker } from "agentchart/worker";
import { z } from "zod";
import { toAsk } from "../../../src/kit/mcp/questions.ts";
import { createSession, openServer } from "../../server/open-server.ts";
import { outputOf, resultsOf } from "../../support/agents.ts";
import { bookingServer } from "./booking-server.ts";

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.close();
});

const BOOK = { calls: [{ id: "call_1", name: "hotel__book", input: { city: "Rome" } }] };

/** An agent of its own process, as far as a process can be seen from here: it has its own connection. */
async function agentOf(
  url: string,
  options: McpOptions = {},
  snapshot?: Snapshot,
  turns = [BOOK, "Booked."],
) {
  const server = await mcp({ name: "hotel", url, ...options });
  opened.push(server);
  const model = scriptedModel(snapshot ? ["Booked."] : turns);
  return createAgent({
    name: "bot",
    model,
    tools: server.tools(),
    ...(snapshot && { sessionOptions: { snapshot } }),
  });
}

async function hotel() {
  const server = await bookingServer();
  opened.push(server);
  return server;
}

const copy = (snapshot: Snapshot): Snapshot => JSON.parse(JSON.stringify(snapshot)) as Snapshot;

test("a modern server asks twice, and each question is answered over another connection", async () => {
  const { url, bookings } = await hotel();
  const first = await agentOf(url);
  const asked = await first.call("go");
  expect(asked.reason).toBe("TOOL_SUSPENDED");
  expect(asked.pending).toMatchObject([
    {
      callId: "call_1/nights",
      waitsFor: "answer",
      reason: "How many nights in Rome?",
      ask: { kind: "form" },
      answerSchema: { properties: { nights: { type: "integer", minimum: 1 } } },
    },
  ]);
  await expect(first.decide("call_1/nights", { respond: { nights: 0 } })).rejects.toMatchObject({
    code: "run/bad-results",
  });
  await first.decide("call_1/nights", { respond: { nights: 2 } });
  const second = await agentOf(url, {}, copy(first.snapshot()));
  expect((await second.call()).pending).toMatchObject([
    { callId: "call_1/ask_1", ask: { kind: "url", url: "https://bank.example/pay" } },
  ]);
  expect(bookings).toEqual([]);
  const third = await agentOf(url, {}, copy(second.snapshot()));
  await third.decide("call_1/ask_1", { respond: null });
  expect((await third.call()).text).toBe("Booked.");
  expect(bookings).toEqual(["2 nights in Rome, paid: accept"]);
  expect(resultsOf(await third.messages()).map(outputOf)).toEqual(["Booked 2 nights in Rome."]);
});

test("a server asks several things at once, and goes on when each person and the model have answered", async () => {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "trip", version: "1" });
    server.registerTool("plan", { inputSchema: z.object({}) }, (_, { mcpReq }) => {
      const { from, to, hint } = mcpReq.inputResponses ?? {};
      if (from && to && hint) return { content: [{ type: "text", text: JSON.stringify([from, to, hint]) }] };
      const requestedSchema = z.object({ city: z.string() });
      const content = { type: "text", text: "Hi" } as const;
      return inputRequired({
        inputRequests: {
          from: inputRequired.elicit({ message: "From where?", requestedSchema }),
          to: inputRequired.elicit({ message: "To where?", requestedSchema }),
          hint: inputRequired.createMessage({ maxTokens: 10, messages: [{ role: "user", content }] }),
        },
      });
    });
    return server;
  });
  const { url, close } = await serve({ fetch: (request) => handler.fetch(request) });
  opened.push({ close });
  const sampling = { model: scriptedModel(["By train."]) };
  const turns = [{ calls: [{ id: "call_1", name: "hotel__plan", input: {} }] }, "Done."] as never;
  const first = await agentOf(url, { sampling }, undefined, turns);
  const { pending } = await first.call("go");
  expect(pending.map(({ callId }) => callId)).toEqual(["call_1/from", "call_1/to"]);
  await first.decide("call_1/to", { respond: { city: "Rome" } });
  await expect(first.call()).rejects.toMatchObject({
    code: "run/undecided",
    message: expect.stringContaining("call_1/from") as string,
  });
  const second = await agentOf(url, {}, copy(first.snapshot()));
  await second.decide("call_1/from", { respond: { city: "Oslo" } });
  await second.call();
  const [text] = resultsOf(await second.messages()).map(outputOf);
  expect(text).toMatch(/"city":"Oslo".*"city":"Rome".*By train\./);
});

test("a server is told when a person declines or cancels", async () => {
  const { url, bookings } = await hotel();
  for (const [decision, action] of [
    [{ decline: true }, "decline"],
    [{ cancel: true }, "cancel"],
  ] as const) {
    const agent = await agentOf(url);
    await agent.call("go");
    await agent.decide("call_1", decision);
    await agent.call();
    expect(resultsOf(await agent.messages()).map(outputOf)).toEqual([`Not booked: ${action}.`]);
  }
  expect(bookings).toEqual([]);
});

test("what a call remembers is sent back unchanged, and a server that refuses it fails the call", async () => {
  const { url, bookings } = await hotel();
  const first = await agentOf(url);
  await first.call("go");
  await first.decide("call_1", { respond: { nights: 2 } });
  const text = JSON.stringify(first.snapshot());
  expect(text).toContain('"requestState":"v1.');
  const tampered = JSON.parse(text.replaceAll('"requestState":"v1.', '"requestState":"v1.A')) as Snapshot;
  const second = await agentOf(url, {}, tampered);
  await second.call();
  expect(resultsOf(await second.messages())).toMatchObject([
    {
      state: "error",
      code: "tool/failed",
      output: [{ text: expect.stringMatching(/requestState/) as string }],
    },
  ]);
  expect(bookings).toEqual([]);
});

test("a call that its server only wants to be repeated is repeated", async () => {
  const { url } = await hotel();
  const agent = await agentOf(url, {}, undefined, [
    { calls: [{ id: "call_1", name: "hotel__wait", input: {} }] } as never,
    "Done.",
  ]);
  expect((await agent.call("go")).reason).toBe("MODEL_STOP");
  expect(resultsOf(await agent.messages()).map(outputOf)).toEqual(["answered at request 3"]);
});

test("the questions of a server are answered over HTTP, and a worker goes on with the call", async () => {
  const { url, bookings } = await hotel();
  const server = openServer();
  const script = scriptedModel([BOOK, "Booked."]);
  const agents = {
    desk: async () => {
      const tools = await mcp({ name: "hotel", url });
      opened.push(tools);
      return { name: "desk", model: script, tools: tools.tools() };
    },
  };
  const worker = createWorker({ queue: server.queue, store: server.store, agents, sweepMs: 200 });
  opened.push(worker);
  await worker.start();
  const path = `/v1/sessions/${await createSession(server)}`;
  const asked = async () =>
    (await (await server.request("GET", path)).json()) as {
      readonly phase: string;
      readonly pending: readonly {
        readonly callId: string;
        readonly argsHash: string;
        readonly ask: unknown;
      }[];
    };
  for (const [callId, respond, ask] of [
    ["call_1/nights", { nights: 4 }, { kind: "form" }],
    ["call_1/ask_1", true, { kind: "url", url: "https://bank.example/pay" }],
  ] as const) {
    await expect.poll(async () => (await asked()).pending).toMatchObject([{ callId, ask }]);
    const body = { callId, argsHash: (await asked()).pending[0]!.argsHash, decision: { respond } };
    expect((await server.request("POST", `${path}/decisions`, { body })).status).toBeLessThan(300);
  }
  await expect.poll(async () => (await asked()).phase).toBe("stopped");
  expect(bookings).toEqual(["4 nights in Rome, paid: accept"]);
});

test("questions can be declined, or answered by a function, without a rest of the turn", async () => {
  const { url, bookings } = await hotel();
  const declining = await agentOf(url, { elicitation: "decline" });
  expect((await declining.call("go")).reason).toBe("MODEL_STOP");
  expect(resultsOf(await declining.messages()).map(outputOf)).toEqual(["Not booked: decline."]);
  const elicitation: McpElicitation = ({ kind }) =>
    kind === "form" ? { respond: { nights: 5 } } : "approve";
  const answering = await agentOf(url, { elicitation });
  expect((await answering.call("go")).reason).toBe("MODEL_STOP");
  expect(bookings).toEqual(["5 nights in Rome, paid: accept"]);
});

test("headers may be a function, and a server that wants a token says so", async () => {
  const { url } = await hotel();
  const seen: (string | null)[] = [];
  const gate = await serve({
    fetch: async (request) => {
      seen.push(request.headers.get("authorization"));
      if (!seen.at(-1)?.startsWith("Bearer ")) return new Response("Unauthorized", { status: 401 });
      const { method, headers } = request;
      return fetch(url, { method, headers, ...(method === "POST" && { body: await request.text() }) });
    },
  });
  opened.push(gate);
  await expect(mcp({ name: "shut", url: gate.url })).rejects.toMatchObject({
    code: "tool/failed",
    message: expect.stringMatching(
      /^The MCP server 'shut' cannot be connected to: .*It needs a sign-in/s,
    ) as string,
  });
  let count = 0;
  const server = await mcp({ url: gate.url, headers: async () => ({ authorization: `Bearer ${++count}` }) });
  opened.push(server);
  expect(server.tools()).not.toEqual([]);
  expect(seen.slice(-2)).toEqual([`Bearer ${count - 1}`, `Bearer ${count}`]);
});

test("no two questions of a server get the same id, whatever its keys are", () => {
  const keys = ["no id", "ask_1", "ask_2", "ask_3", "city", ""];
  const ids = keys.map((key, index) => toAsk(key, index, {}).id);
  expect(new Set(ids).size).toBe(keys.length);
  expect(ids).toContain("city");
});
