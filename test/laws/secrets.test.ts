// Every kind of secret is hidden wherever the text of somebody else comes out.
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import { createAgent, userMsg, type AgentConfig } from "agentchart";
import type { McpOptions } from "agentchart/mcp";
import { openaiModel } from "agentchart/openai";
import { memoryStore } from "agentchart/store/memory";
import { recordModel, scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { stackTrace } from "../../src/cli/error-message.ts";
import { hideSecrets, secretsOf } from "../../src/core/base/secrets.ts";
import { collect } from "../../src/core/model/fold.ts";
import { collectAll } from "../../src/testing/store-contract-kit.ts";
import { publicError } from "../../src/worker/refuse-inputs.ts";
import { tryAgents } from "../../src/worker/make-config.ts";
import { never, request } from "../model/openai/replay.ts";
import { opened, rawSite, type Answers } from "../tool/mcp/raw-server.ts";

/** What every secret here contains, and what those contain with which models, servers and commands are configured. */
const MARK = "Zq7Zq7Zq7Zq7";
const OWN = "Wx8Wx8Wx8Wx8";
/** It looks like no secret. */
const CONFIGURED = `plain ${OWN} words`;

/** Texts that quote a secret. */
const KINDS: readonly (readonly [kind: string, text: string])[] = [
  ["a configured value", `no ${CONFIGURED} here`],
  ["a word of a configured value", `no ${OWN} here`],
  ["user and password", `at https://ada:${MARK}@host/x`],
  ["a user that is a token", `at https://${MARK}@host/x`],
  ["the password of a store", `at postgres://me:p@${MARK}#@db/x`],
  ["a parameter", `at https://host/x?a=1&api_key=${MARK}&b=2`],
  ["a bearer token", `Bearer ${MARK}`],
  ["a header", `authorization: bearer ${MARK}`],
  ["basic credentials", `sent Basic ${MARK}==`],
  ["cookies", `Cookie: a=b; session=${MARK}`],
  ["a field", `login(password=${MARK})`],
  ["a field of JSON", `{"user":"ada","client_secret" : "has \\"spaces\\" ${MARK}"}`],
  ["a field of JSON in JSON", JSON.stringify({ body: JSON.stringify({ apiKey: `has spaces ${MARK}` }) })],
  ["a name of two words", `the API key: ${MARK}`],
  ["a key of a provider", `key sk-${MARK} is wrong`],
  ["a token of a host", `key ghp_${MARK}${MARK} is wrong`],
  ["a key of a cloud", `key AKIA${MARK.toUpperCase()}0 is wrong`],
  ["a JSON web token", `got eyJ${MARK}.${MARK}.${MARK}`],
  ["a private key", `-----BEGIN RSA PRIVATE KEY-----\n${MARK}\n${MARK}\n-----END RSA PRIVATE KEY-----`],
];

/** Those of code that was given no settings. */
const UNCONFIGURED = KINDS.filter(([, text]) => hideSecrets(text) !== text);

const caught = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

/** All that an agent says and stores of a turn. */
async function told(config: Pick<AgentConfig, "model" | "tools">): Promise<unknown> {
  const store = memoryStore();
  const events: unknown[] = [];
  const modelOptions = { execution: { maxAttempts: 1 } };
  const agent = createAgent({ name: "a", ...config, store, sessionId: "s", modelOptions });
  agent.subscribe((event) => events.push(event));
  const reply = await caught(agent.call("go"));
  await agent.close();
  return [reply, events, await collectAll(store.read("s"))];
}

/** The same, and what the model throws. */
async function ofModel(response: Response): Promise<unknown> {
  const model = openaiModel({
    model: "m",
    apiKey: OWN,
    baseURL: "https://models.test/v1",
    fetch: async () => response.clone(),
  });
  const options = { extraHeaders: { "x-tenant": CONFIGURED } };
  return [await told({ model }), await caught(collect(model, request({ options }), { signal: never() }))];
}

/** All that comes of a server that answers a call so, and what it said before. */
async function ofServer(answers: Answers): Promise<unknown> {
  const { url } = await rawSite(answers);
  const options: McpOptions = { url, headers: () => ({ "x-tenant": CONFIGURED }) };
  const made = await opened(options).catch((error: unknown) => ({ error, server: undefined, events: [] }));
  const { server } = made;
  if (!server) return made;
  const calls = ["raw__t", "raw__read_resource"].map((name) => ({ name, input: { uri: "a:b" } }));
  const tools = [...server.tools(), ...server.resourceTools()];
  const model = scriptedModel([{ calls }, "Done."]);
  return [made.events, await told({ model, tools }), await caught(server.readResource("a:b"))];
}

/** What is recorded of a model. */
async function recorded(turn: ScriptedTurn, said = "hello"): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), "secrets-"));
  const model = recordModel(scriptedModel([turn]), { dir });
  await caught(collect(model, request({ messages: [userMsg(said)] }), { signal: never() }));
  return readdirSync(dir)
    .map((file) => readFileSync(join(dir, file), "utf8"))
    .join("");
}

const failing = (text: string): Error => new Error(text, { cause: new Error(text) });

const CONFIGURED_PLACES: { readonly [place: string]: (text: string) => unknown } = {
  "a refusal of a model": (text) =>
    ofModel(Response.json({ error: { message: text, code: text } }, { status: 400 })),
  "a page of a gateway": (text) => ofModel(new Response(`<html>${text}`, { status: 502 })),
  "an error in an answer": (text) => ofModel(new Response(`data: ${JSON.stringify({ error: text })}\n\n`)),
  "a failed call": (text) => ofServer({ "tools/call": { error: { code: 1, message: text, data: text } } }),
  "an error as a result": (text) =>
    ofServer({ "tools/call": { result: { isError: true, content: [{ type: "text", text }] } } }),
  "a call that is refused": (text) => ofServer({ call: (response) => response.writeHead(403).end(text) }),
  "a server that is not there": (text) => ofServer({ initialize: { error: { code: 1, message: text } } }),
  "a resource": (text) => ofServer({ "resources/read": { error: { code: 1, message: text } } }),
  "a command": (text) =>
    hideSecrets(stackTrace(failing(text)), secretsOf(["run", "--api-token", CONFIGURED, `--auth=${OWN}`])),
  "a command with an environment": (text) => hideSecrets(text, secretsOf([], { TENANT_SECRET: CONFIGURED })),
};

const PLACES: { readonly [place: string]: (text: string) => unknown } = {
  "a recorded answer": (text) => recorded(text),
  "a recorded failure": (text) => recorded({ error: failing(text) }),
  "a recorded request": (text) => recorded("hi", text),
  "an agent that cannot be made": (text) => tryAgents({ a: () => Promise.reject(failing(text)) }),
  "a refused input": (text) => publicError({ code: "config/invalid", message: text }, "a"),
};

/** Expects that a text is shown there, without its secret. */
async function check(shownBy: (text: string) => unknown, text: string): Promise<void> {
  const shown = inspect(await shownBy(text), { depth: 20, maxStringLength: null });
  expect(shown).toContain("[redacted]");
  for (const mark of [MARK, OWN]) expect(shown.toLowerCase()).not.toContain(mark.toLowerCase());
}

for (const [place, shownBy] of Object.entries(CONFIGURED_PLACES))
  test.for(KINDS)(`${place} does not quote %s`, ([, text]) => check(shownBy, text));

for (const [place, shownBy] of Object.entries(PLACES))
  test.for(UNCONFIGURED)(`${place} does not quote %s`, ([, text]) => check(shownBy, text));
