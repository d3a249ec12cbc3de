// Tools that pages declare, over AG-UI and the AI SDK.
import { expect, test } from "vitest";
import { Page } from "./ag-ui-client.ts";
import { Chat } from "./chat-client.ts";
import { openPageServer } from "./open-page-server.ts";

const parameters = { type: "object", properties: { color: { type: "string" } } };
const pick = { name: "pick", description: "Lets the user pick a color.", parameters };
/** A page that would like to replace a tool of the agent, and to bring one that the agent does not list. */
const greedy = [pick, { ...pick, name: "pay" }, { ...pick, name: "rm_rf" }];

async function open() {
  const { server, url } = await openPageServer();
  const stored = async (id: string) => (await server.request("GET", `/v1/sessions/${id}/messages`)).text();
  const post = async (path: string, body: object) => {
    const response = await server.request("POST", `/v1/sessions/${path}`, { body });
    return [response.status, ((await response.json()) as { code?: string }).code];
  };
  return { server, url, stored, post };
}

test("HttpAgent declares a tool that the agent lists, runs it, and gives its result", async () => {
  const { url, server } = await open();
  const page = new Page(url, "agui", "painter");
  page.tools = greedy;
  const finished: unknown[] = [];
  page.subscribe({ onRunFinishedEvent: ({ event }) => void finished.push(event.outcome) });
  await page.say("Ask me.");
  expect(finished).toEqual([{ type: "success", pendingToolCallIds: ["c1"] }]);
  expect(page.shown.at(-1)).toBe('c1 {"color":"red"}');
  const { slots } = (await (await server.request("GET", "/v1/sessions/agui/slots")).json()) as {
    readonly slots: { readonly [name: string]: { readonly value: unknown } };
  };
  expect(slots["tools.client"]?.value).toMatchObject([{ name: "pick", inputSchema: parameters }]);
  page.addMessage({ id: "r1", role: "tool", toolCallId: "c1", content: "red" });
  await page.go();
  expect(page.shown.slice(-2)).toEqual(["c1: red", "assistant: You like red."]);
  page.tools = [];
  await page.say("And now?");
  const after = (await (await server.request("GET", "/v1/sessions/agui/slots")).json()) as typeof slots;
  expect(JSON.stringify(after)).not.toContain("Lets the user pick");
});

test("a page of the AI SDK declares tools by their names, and answers a call with addToolOutput", async () => {
  const { url } = await open();
  const tools = Object.fromEntries(greedy.map(({ name, ...tool }) => [name, tool]));
  const chat = new Chat({ url, id: "chat", body: { agent: "painter", tools }, answersTools: true });
  await chat.say("Ask me.");
  expect(chat.shown).toEqual(["user: Ask me.", "c1 input-available"]);
  await chat.addToolOutput({ tool: "pick", toolCallId: "c1", output: { color: "red" } });
  await expect.poll(() => chat.shown.at(-1)).toBe("assistant: You like red.");
});

test("a client of the sessions declares a tool with a message, and answers the call with a decision", async () => {
  const { post, server, stored } = await open();
  const { parameters: inputSchema, ...rest } = pick;
  const clientTools = [{ ...rest, inputSchema }];
  expect(await post("rest/messages", { agent: "painter", input: "Ask me.", clientTools })).toEqual([
    202,
    undefined,
  ]);
  const status = async () =>
    (await (await server.request("GET", "/v1/sessions/rest")).json()) as {
      readonly pending: readonly { readonly argsHash: string }[];
    };
  await expect.poll(async () => (await status()).pending).toMatchObject([{ callId: "c1", name: "pick" }]);
  const { argsHash } = (await status()).pending[0]!;
  await post("rest/decisions", { callId: "c1", argsHash, decision: { answer: "red" } });
  await expect.poll(() => stored("rest")).toContain("You like red.");
});

test("a declaration that is hostile or too large is refused in the form of each route, and nothing has changed", async () => {
  const { post, url, server } = await open();
  const many = Array.from({ length: 65 }, (_, index) => ({ ...pick, name: `t${index}` }));
  const large = [{ ...pick, description: "x".repeat(49 * 1024) }];
  const run = { threadId: "t", runId: "r", state: {}, context: [], forwardedProps: { agent: "painter" } };
  const said = { ...run, messages: [{ id: "u1", role: "user", content: "Ask me." }] };
  for (const tools of [many, large, [pick, pick], [{ name: 7 }]])
    expect(await post("bad/agui", { ...said, tools })).toEqual([400, "message/invalid"]);
  expect(await post("bad/agui", { ...said, tools: "all" })).toEqual([400, "request/invalid"]);
  const messages = [{ id: "u1", role: "user", parts: [{ type: "text", text: "Ask me." }] }];
  const byName = (tools: readonly (typeof pick)[]) =>
    Object.fromEntries(tools.map((tool) => [tool.name, tool]));
  for (const tools of [byName(many), byName(large), { pick: { parameters: "all" } }])
    expect(await post("bad/chat", { agent: "painter", messages, tools })).toEqual([400, "message/invalid"]);
  const declared = [{ name: "pick", description: "x".repeat(49 * 1024), inputSchema: {} }];
  expect(await post("bad/messages", { agent: "painter", input: "Hi.", clientTools: declared })).toEqual([
    400,
    "message/invalid",
  ]);
  expect((await server.request("GET", "/v1/sessions/bad")).status).toBe(404);

  const page = new Page(url, "worse", "painter");
  page.tools = [{ ...pick, parameters: { type: "object", properties: { color: { pattern: "(" } } } }];
  const errors: unknown[] = [];
  page.subscribe({ onRunErrorEvent: ({ event }) => void errors.push(event) });
  await page.say("Ask me.").catch(() => {});
  expect(errors).toMatchObject([
    {
      code: "message/invalid",
      message: expect.stringContaining("the schema of 'pick' is not a JSON Schema") as unknown,
    },
  ]);
  page.tools = [pick];
  await page.say("Ask me again.");
  expect(page.shown.slice(-2)).toEqual(["user: Ask me again.", 'c1 {"color":"red"}']);
});
