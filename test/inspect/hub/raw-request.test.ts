// Raw requests of models are byte for byte what was sent, without the key.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { createAgent, defineTool, type ChatModel, type GenerateOptions } from "agentchart";
import { aiSdkModel } from "agentchart/ai-sdk";
import { dashscopeModel, openaiModel } from "agentchart/openai";
import type { Json } from "../../../src/core/base/json.ts";
import { rawRequest } from "../../../src/inspect/hub/http-app.ts";
import { providers } from "../../ai-sdk/providers.ts";
import { lensesOf, watched } from "../../support/lens.ts";
import { modelRecordings } from "../../fixtures/recordings/model-recordings.ts";

const KEY = "sk-secret-of-mine-0123456789";

type Received = { readonly url: string; readonly text: string };

/** A loopback server that answers everything with this body, and what it received. */
async function serving(body: string) {
  const received: Received[] = [];
  const server = createServer(async (incoming, response) => {
    let text = "";
    for await (const piece of incoming) text += String(piece);
    received.push({ url: incoming.url!, text });
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { received, origin, baseURL: `${origin}/v1` };
}

const recorded = (wire: string): string => modelRecordings.find((each) => each.wire === wire)!.body;
const look = defineTool({
  name: "look",
  description: "Looks.",
  input: { type: "object", properties: { at: { type: "string" } }, required: ["at"] },
  execute: () => "seen",
});

/** Asks a model as an agent that the inspector observes, and returns what the lens makes of it. */
async function asked(model: ChatModel, generateOptions: GenerateOptions = {}) {
  const agent = createAgent({
    name: "bot",
    model,
    tools: [look],
    sysPrompt: "Be brief.",
    generateOptions: { temperature: 0.2, ...generateOptions },
  });
  const recording = watched(agent);
  await agent.call("Where is the door?");
  await agent.close();
  const [lens] = lensesOf(recording());
  const answer = await rawRequest(lens!.call.wire as Json | undefined, lens!.request as unknown as Json);
  if ("problem" in answer) throw new Error(answer.problem);
  return answer.raw;
}

const options = { apiKey: KEY, transport: "fetch" as const };

describe("the raw request is byte for byte what the server received, without the key", () => {
  test.each([
    ["Chat Completions", "chat", (baseURL: string) => openaiModel({ model: "gpt-4.1", baseURL, ...options })],
    [
      "Chat Completions by the package openai",
      "chat",
      (baseURL: string) => openaiModel({ model: "gpt-4.1", baseURL, ...options, transport: "openai" }),
    ],
    [
      "Responses",
      "responses",
      (baseURL: string) => openaiModel({ model: "gpt-5", api: "responses", baseURL, ...options }),
    ],
    [
      "DashScope",
      "chat",
      (baseURL: string) =>
        dashscopeModel({ model: "qwen-plus", baseURL, ...options, thinking: { budget: 200 }, search: true }),
    ],
  ] as const)("%s", async (_, wire, make) => {
    const server = await serving(recorded(wire));
    const raw = await asked(make(server.baseURL), { maxTokens: 100 });
    const [first] = server.received;
    expect(JSON.stringify(raw.body)).toBe(first!.text);
    expect(raw.url).toBe(server.origin + first!.url);
    expect(JSON.stringify(raw)).not.toContain(KEY);
  });
});

describe("the raw request has what the package of the provider is given", () => {
  test.each(["anthropic", "anthropic, specification v2", "openai, responses", "google"])(
    "%s",
    async (name) => {
      const wire = { anthropic: "anthropic", google: "gemini", openai: "responses" }[/^\w+/.exec(name)![0]]!;
      const server = await serving(recorded(wire));
      const languageModel = providers[name]!({ baseURL: server.baseURL, apiKey: KEY });
      const given: object[] = [];
      const noting = Object.assign(Object.create(languageModel) as typeof languageModel, {
        doStream: (options: never) => {
          const { abortSignal: _, headers: __, ...rest } = options as { readonly [option: string]: unknown };
          given.push(rest);
          return languageModel.doStream(options);
        },
      });
      const model = aiSdkModel(noting, { headers: { "x-secret": KEY } });
      const raw = await asked(model, { maxTokens: 100 });
      expect(server.received.length).toBeGreaterThan(0);
      expect(JSON.stringify(raw.body)).toBe(JSON.stringify(given[0]));
      expect(JSON.stringify(raw)).not.toContain(KEY);
      expect(raw.url).toBeUndefined();
    },
  );
});

test("secrets of the address, of headers and of the options of a provider are not in it", async () => {
  const { baseURL } = await serving(recorded("chat"));
  const fetch: typeof globalThis.fetch = (_url, init) =>
    globalThis.fetch(`${baseURL}/chat/completions`, init);
  const model = openaiModel({
    model: "m",
    baseURL: `${baseURL}?key=${KEY}&api-version=2`,
    apiKey: KEY,
    fetch,
  });
  const raw = await asked(model, { extraHeaders: { "x-key": KEY } });
  expect(JSON.stringify(raw)).not.toContain(KEY);
  expect(raw.url).toContain("api-version=2");
  expect(raw.headers["authorization"]).toBe("Bearer $OPENAI_API_KEY");
  expect(raw.notes.join()).toContain("extraHeaders");
});

test("what is not a request, and an adapter that is unknown, is answered with why", async () => {
  const request = { messages: [], tools: [], options: {} };
  const wire = { adapter: "openai", options: { model: "m", baseURL: "https://models.test" } };
  const problemOf = async (...args: Parameters<typeof rawRequest>): Promise<string> => {
    const answer = await rawRequest(...args);
    return "problem" in answer ? answer.problem : "";
  };
  expect(await problemOf(undefined, request)).toMatch(/not an adapter of this package/);
  expect(await problemOf({ adapter: "toString", options: {} }, request)).toMatch(/does not have the adapter/);
  expect(await problemOf(wire, { messages: "all" })).toMatch(/`messages`, `tools` and `options`/);
  expect(await problemOf(wire, { ...request, messages: [{ role: "user" }] })).toMatch(
    /cannot make a request of it/,
  );
});
