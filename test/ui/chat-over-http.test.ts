// The AI SDK's client over HTTP.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from "ai";
import { describe, expect, onTestFinished, test } from "vitest";
import { AgentError, createAgent, type Agent } from "agentchart";
import { readChatRequest, toUIMessageChunks } from "agentchart/ui";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { scripted, toolOf } from "../support/agents.ts";
import { call } from "../support/trace.ts";

async function answer(agent: Agent, body: unknown, response: ServerResponse): Promise<void> {
  try {
    const { text, decisions } = readChatRequest(body, agent.status().pending);
    for (const { callId, decision, argsHash } of decisions)
      await agent.decide(callId, decision, { argsHash });
    response.writeHead(200, {
      "Content-Type": "text/event-stream",
      "x-vercel-ai-ui-message-stream": "v1",
    });
    for await (const chunk of toUIMessageChunks(agent.stream(text, { onLeave: "continue" })))
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    response.end("data: [DONE]\n\n");
  } catch (error) {
    const isStale = AgentError.is(error) && error.code === "run/stale-decision";
    response.writeHead(isStale ? 409 : 400).end((error as Error).message);
  }
}

/** A server of one agent, and the AI SDK's own client in front of it. */
async function chatWith(turns: readonly ScriptedTurn[]) {
  const ran: string[] = [];
  const pay = toolOf("pay", (input) => {
    ran.push(JSON.stringify(input));
    return "paid";
  });
  const agent = createAgent({
    name: "bot",
    model: scriptedModel(turns),
    tools: [pay, toolOf("locate")],
    permissions: { rules: [{ tool: "pay", action: "ask" }] },
  });
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (piece: string) => (text += piece));
    request.on("end", () => void answer(agent, JSON.parse(text), response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}/chat`;
  const transport = new DefaultChatTransport({ api });
  let messages: UIMessage[] = [];
  const send = async (last: UIMessage): Promise<UIMessage> => {
    messages = [...messages.filter(({ id }) => id !== last.id), last];
    const stream = await transport.sendMessages({
      chatId: "s",
      messages,
      trigger: "submit-message",
      messageId: undefined,
      abortSignal: undefined,
    });
    let message: UIMessage | undefined = last.role === "assistant" ? structuredClone(last) : undefined;
    for await (const next of readUIMessageStream({ stream, ...(message && { message }) })) message = next;
    messages = [...messages.filter(({ id }) => id !== message!.id), message!];
    return structuredClone(message!);
  };
  const say = (text: string) => send({ id: `u${text}`, role: "user", parts: [{ type: "text", text }] });
  return { agent, ran, send, say, api };
}

/** The message with the parts of calls changed. */
function changed(message: UIMessage, change: (callId: string) => object | undefined): UIMessage {
  const parts = message.parts.map((part) =>
    part.type === "dynamic-tool" ? { ...part, ...change(part.toolCallId) } : part,
  );
  return { ...message, parts: parts as UIMessage["parts"] };
}

const responded = (approved: boolean, reason?: string) => ({
  state: "approval-responded",
  approval: { id: "x", approved, ...(reason !== undefined && { reason }) },
});
const textIn = (message: UIMessage): string =>
  message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");

describe("the AI SDK's client", () => {
  test("talks, approves one call, denies another with a reason, and goes on in the same message", async () => {
    const { agent, say, send, ran } = await chatWith([
      {
        calls: [
          { ...call("c1", "pay"), input: { n: 1 } },
          { ...call("c2", "pay"), input: { n: 2 } },
        ],
      },
      "Paid one.",
      "You are welcome.",
    ]);
    const asked = await say("Pay both.");
    expect(asked.parts.flatMap((part) => ("state" in part ? [part.state] : []))).toEqual([
      "approval-requested",
      "approval-requested",
    ]);
    const done = await send(
      changed(asked, (callId) => (callId === "c1" ? responded(true) : responded(false, "too much"))),
    );
    expect(done.id).toBe(asked.id);
    expect(textIn(done)).toBe("Paid one.");
    expect(ran).toEqual(['{"n":1}']);
    expect(JSON.stringify(await agent.messages())).toContain("too much");
    expect(textIn(await say("Thanks."))).toBe("You are welcome.");
    expect((await agent.messages()).filter(({ role }) => role === "user")).toHaveLength(2);
  });

  test("answers a call of a tool that runs in the page", async () => {
    const { say, send, agent } = await chatWith([{ calls: [call("c1", "locate")] }, "You are in Bern."]);
    const asked = await say("Where am I?");
    const output = { city: "Bern" };
    const done = await send(changed(asked, () => ({ state: "output-available", output })));
    expect(textIn(done)).toBe("You are in Bern.");
    expect(JSON.stringify(await agent.messages())).toContain("Bern");
  });

  test("is not believed about history, other arguments, and calls that are decided", async () => {
    const { say, send, ran, agent } = await chatWith([
      { calls: [{ ...call("c1", "pay"), input: { n: 1 } }] },
      "Paid.",
    ]);
    const asked = await say("Pay.");
    const before = await agent.messages();
    await expect(send(changed(asked, () => ({ ...responded(true), input: { n: 1_000 } })))).rejects.toThrow(
      /arguments have changed/,
    );
    await expect(send({ ...asked, id: "forged", parts: [] })).rejects.toThrow(/neither/);
    expect(await agent.messages()).toEqual(before);
    expect(ran).toEqual([]);
    const approved = changed(asked, () => responded(true));
    await send(approved);
    expect(ran).toEqual(['{"n":1}']);
    await expect(send(approved)).rejects.toThrow(/decided already/);
    expect(ran).toHaveLength(1);
  });

  test("that goes away does not end the turn", async () => {
    const { agent, api } = await chatWith(["A long answer."]);
    const controller = new AbortController();
    const body = JSON.stringify({ messages: [{ role: "user", parts: [{ type: "text", text: "go" }] }] });
    const response = await fetch(api, { method: "POST", body, signal: controller.signal });
    expect(response.headers.get("x-vercel-ai-ui-message-stream")).toBe("v1");
    controller.abort();
    await expect.poll(() => agent.status().phase).toBe("stopped");
    expect(agent.status().reason).toBe("MODEL_STOP");
  });
});

test.each([
  ["no object", null, /the body is not an object/],
  ["no messages", {}, /`messages` is not an array/],
  ["no message", { messages: [] }, /the last message is not an object/],
  ["no parts", { messages: [{ role: "user" }] }, /`parts` of the last message is not an array/],
  ["a system message", { messages: [{ role: "system", parts: [] }] }, /has the role "system"/],
  ["an unknown part", { messages: [{ role: "user", parts: [{ type: "file", url: "x" }] }] }, /type "file"/],
  ["an empty text", { messages: [{ role: "user", parts: [{ type: "text", text: " " }] }] }, /is empty/],
  [
    "an approval of nothing",
    { messages: [{ role: "assistant", parts: [{ toolCallId: "c9", ...responded(true) }] }] },
    /'c9' does not wait/,
  ],
])("a request with %s is refused with what is wrong", (_, body, message) => {
  expect(() => readChatRequest(body, [])).toThrow(message);
});

test("a call whose arguments a hook has given what is not JSON is approved as the page knows it", async () => {
  const { agent } = scripted([{ calls: [call("c1", "pay")] }], {
    tools: [toolOf("pay", () => "paid", { permission: "ask" })],
    hooks: [
      { name: "rates", preActing: () => ({ input: { amount: 2, note: undefined, rate: NaN } as never }) },
    ],
  });
  await agent.call("Pay.");
  const { pending } = agent.status();
  const approve = (input: object) => {
    const parts = [{ toolCallId: "c1", input, ...responded(true) }];
    return readChatRequest({ messages: [{ role: "assistant", parts }] }, pending).decisions;
  };
  expect(approve({ amount: 2, rate: null })).toMatchObject([{ callId: "c1", decision: "approve" }]);
  expect(() => approve({ amount: 1 })).toThrow(/have changed/);
});
