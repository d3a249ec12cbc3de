// Recorded models: replays, misses and redaction.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AgentError, createAgent, type AgentEvent, type ChatModel, type ModelRequest } from "agentchart";
import {
  recordModel,
  replayModel,
  scriptedModel,
  type ReplayModelOptions,
  type ScriptedTurn,
} from "agentchart/testing";
import { toolOf } from "../../support/agents.ts";

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), "recordings-"));
  return join(dir, "made");
}

const TURNS: readonly ScriptedTurn[] = [
  { error: new AgentError("model/unavailable", "Later.", { isRetryable: true }) },
  [
    { type: "thinking.delta", delta: "Look ", block: "t", opaque: { openai: { id: "rs_1" } } },
    { type: "thinking.delta", delta: "it up.", block: "t" },
    { type: "ping" },
    { type: "tool.delta", key: 0, id: "made-up-1", name: "look_up", args: '{"or' },
    { type: "tool.delta", key: 0, args: 'der":17}' },
    { type: "usage", usage: { inputTokens: 10, outputTokens: 3 } },
    { type: "finish", reason: "tool_calls", responseId: "resp_1", metadata: { tier: "flex" } },
  ],
  [
    { type: "text.delta", delta: "It was " },
    { type: "text.delta", delta: "sent." },
    { type: "finish", reason: "stop" },
  ],
];

/** The events of a turn, as JSON; times are left out, and random ids of messages numbered. */
async function eventsOf(model: ChatModel, firstId = 0): Promise<string> {
  let ids = firstId;
  const events: AgentEvent[] = [];
  const agent = createAgent({
    name: "desk",
    sysPrompt: "Help.",
    model,
    tools: [toolOf("look_up", () => "sent", { input: { type: "object" } })],
    modelOptions: { execution: { initialBackoffMs: 1, maxAttempts: 2 } },
    sessionOptions: { newId: () => `id-${++ids}` },
  });
  agent.subscribe((event) => events.push(event));
  await agent.call("Where is order 17?");
  await agent.close();
  const told = JSON.stringify(events, (key, value: unknown) =>
    /^at$|At$|Ms$|^until$|^timestamp$/.test(key) ? 0 : value,
  );
  const made: string[] = [];
  return told.replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, (id) => {
    if (!made.includes(id)) made.push(id);
    return `UUID ${made.indexOf(id)}`;
  });
}

const requestOf = (
  text: string,
  { extraHeaders, ...more }: Partial<ModelRequest> & { extraHeaders?: Record<string, string> } = {},
) =>
  ({
    messages: [
      { id: "m", role: "user", name: "user", content: [{ type: "text", text }], metadata: {}, timestamp: 1 },
    ],
    tools: [],
    options: { temperature: 0, ...(extraHeaders && { extraHeaders }) },
    execution: {},
    ...more,
  }) satisfies ModelRequest;

async function ask(model: ChatModel, request: ModelRequest): Promise<string> {
  let text = "";
  for await (const part of model.stream(request, { signal: new AbortController().signal }))
    if (part.type === "text.delta") text += part.delta;
  return text;
}

test("a replay emits the same events as the recorded run, byte for byte, chunks and failures included", async () => {
  const dir = folder();
  const live = await eventsOf(recordModel(scriptedModel(TURNS, { name: "gpt" }), { dir }));
  const model = replayModel({ dir });
  expect(model.unused).toHaveLength(3);
  expect(await eventsOf(model)).toBe(live);
  model.done();
  // Other ids of messages are the same requests.
  const again = replayModel({ dir });
  expect((await eventsOf(again, 100)).replaceAll(/id-\d+/g, "id")).toBe(live.replaceAll(/id-\d+/g, "id"));
  again.done();
});

test("a request that is not recorded names the nearest recording and the first difference, and what was not used", async () => {
  const dir = folder();
  const recorder = recordModel(scriptedModel(["One.", "Two."], { name: "gpt" }), { dir });
  await ask(recorder, requestOf("A question about the order 17 and its way"));
  await ask(recorder, requestOf("Something else entirely", { options: { temperature: 1 } }));
  const model = replayModel({ dir });
  const missed = await ask(model, requestOf("A question about the order 18 and its way")).catch(
    (error: unknown) => error,
  );
  expect(missed).toMatchObject({
    code: "model/bad-request",
    data: {
      difference: {
        at: "messages[0].content[0].text",
        recorded: expect.stringContaining("order 17 and"),
        asked: expect.stringContaining("order 18 and"),
      },
    },
  });
  const { nearest } = (missed as AgentError).data as { nearest: string };
  expect(readFileSync(join(dir, nearest), "utf8")).toContain("order 17");
  expect(await ask(model, requestOf("A question about the order 17 and its way"))).toBe("One.");
  expect(model.unused).toHaveLength(1);
  expect(() => model.done()).toThrow(model.unused[0]!);
  await expect(ask(model, requestOf("A question about the order 17 and its way"))).rejects.toThrow(
    "is asked the same 2 times, and recorded are the answers 1.",
  );
});

test("the order of keys, headers, ids and opaque data do not count; options and tools do", async () => {
  const dir = folder();
  const tool = (schema: object) => ({
    name: "f",
    description: "F.",
    inputSchema: schema as Record<string, never>,
  });
  const first = requestOf("Hi.", {
    tools: [tool({ type: "object", required: [] })],
    extraHeaders: { "x-trace": "1" },
  });
  await ask(recordModel(scriptedModel(["Hello."]), { dir }), first);
  const replay = () => replayModel({ dir });
  const same = {
    ...requestOf("Hi.", { extraHeaders: { "x-trace": "2" } }),
    tools: [tool({ required: [], type: "object" })],
  };
  expect(
    await ask(replay(), {
      ...same,
      sessionId: "other",
      messages: [{ ...same.messages[0]!, id: "x", timestamp: 9 }],
    }),
  ).toBe("Hello.");
  await expect(ask(replay(), { ...same, tools: [] })).rejects.toThrow("first at tools[0]");
  await expect(ask(replay(), { ...same, options: { temperature: 0.5 } })).rejects.toThrow(
    "first at options.temperature: recorded",
  );
});

test("secrets are written nowhere, not in pieces of arguments or of a text either", async () => {
  const dir = folder();
  const parts: ScriptedTurn = [
    { type: "thinking.delta", delta: "It is sk-abcdef" },
    { type: "thinking.delta", delta: "ghijklmnop." },
    { type: "text.delta", delta: 'On 2026-11-29: {"token' },
    { type: "text.delta", delta: '": "topsec' },
    { type: "text.delta", delta: 'ret2"}' },
    { type: "tool.delta", key: 0, id: "c", name: "log_in", args: '{"user":"ada","pass' },
    { type: "tool.delta", key: 0, args: 'word":"hunter2","n":1}' },
    { type: "finish", reason: "tool_calls" },
  ];
  const request = requestOf('The file says {"apiKey": "topsecret1"}, my day is 2026-11-29.', {
    extraHeaders: { authorization: "Bearer abcdefgh" },
  });
  const redact: ReplayModelOptions["redact"] = (value) =>
    JSON.parse(JSON.stringify(value).replaceAll(/\d{4}-\d\d-\d\d/g, "DATE"));
  await ask(recordModel(scriptedModel([parts]), { dir, redact }), request);
  const text = readdirSync(dir)
    .map((file) => readFileSync(join(dir, file), "utf8"))
    .join("");
  for (const secret of ["hunter2", "topsecret1", "abcdefgh", "2026-11-29", "topsec", "ret2", "ghijklmnop"])
    expect(text).not.toContain(secret);
  const args: string[] = [];
  let answer = "";
  const tomorrow = requestOf('The file says {"apiKey": "another"}, my day is 2026-11-30.');
  for await (const part of replayModel({ dir, redact }).stream(tomorrow, {
    signal: new AbortController().signal,
  }))
    if (part.type === "tool.delta") args.push(part.args ?? "");
    else if (part.type === "text.delta") answer += part.delta;
  expect(answer).toBe('On DATE: {"token": "[redacted]"}');
  expect(JSON.parse(args.join(""))).toEqual({ user: "ada", password: "[redacted]", n: 1 });
});

test("a miss may ask a model, and record what it says; a second recording replaces the first", async () => {
  const dir = folder();
  const first = replayModel({
    dir,
    onMiss: "record",
    model: scriptedModel(["One.", "Two."], { name: "gpt" }),
  });
  expect([await ask(first, requestOf("Hi.")), await ask(first, requestOf("Hi."))]).toEqual(["One.", "Two."]);
  const again = replayModel({ dir });
  expect([await ask(again, requestOf("Hi.")), await ask(again, requestOf("Hi."))]).toEqual(["One.", "Two."]);
  await ask(recordModel(scriptedModel(["Three."], { name: "gpt" }), { dir }), requestOf("Hi."));
  expect(await ask(replayModel({ dir }), requestOf("Hi."))).toBe("Three.");
  const live = replayModel({ dir, onMiss: "live", model: scriptedModel(["Live."], { name: "gpt" }) });
  expect(await ask(live, requestOf("Bye."))).toBe("Live.");
  expect(readdirSync(dir)).toHaveLength(2);
});

test("an answer that was cut off is not recorded", async () => {
  const dir = folder();
  const model = recordModel(scriptedModel([TURNS[2]!]), { dir });
  for await (const _part of model.stream(requestOf("Hi."), { signal: new AbortController().signal })) break;
  expect(() => replayModel({ dir })).toThrow("There are no recordings");
});

test.each<[string, (dir: string) => Partial<ReplayModelOptions>, string]>([
  ["a folder that is not there", () => ({}), "There are no recordings"],
  [
    "a recording of another format",
    (dir) => (writeFileSync(join(dir, "ab-1.json"), '{"format":2}'), {}),
    "has the format 2; this release reads 1",
  ],
  [
    "a file that is cut off",
    (dir) => (writeFileSync(join(dir, "ab-1.json"), '{"format":1,'), {}),
    "is not a recording",
  ],
  [
    "a recording that lacks its answer",
    (dir) => (writeFileSync(join(dir, "ab-1.json"), '{"format":1}'), {}),
    "`key` is missing",
  ],
  ["a model without onMiss", () => ({ model: scriptedModel([]) }), "only with `onMiss`"],
  ["onMiss without a model", () => ({ onMiss: "live" as const }), "needs `model`"],
])("%s is refused", (what, plant, message) => {
  const dir = folder();
  if (!what.startsWith("a folder")) mkdirSync(dir, { recursive: true });
  const options = plant(dir);
  expect(() => replayModel({ dir, ...options })).toThrow(
    expect.objectContaining({ code: "config/invalid", message: expect.stringContaining(message) }),
  );
});

test("a deleted answer leaves the others at their places, and edited or renamed files are refused", async () => {
  const dir = folder();
  const recorder = recordModel(scriptedModel(["One.", "Two."]), { dir });
  for (let times = 0; times < 2; times++) await ask(recorder, requestOf("Hi."));
  const [first = "", second = ""] = readdirSync(dir).toSorted();
  const text = readFileSync(join(dir, second), "utf8");
  const write = (file: string, changed: string): void => writeFileSync(join(dir, file), changed);
  rmSync(join(dir, first));
  const model = replayModel({ dir });
  await expect(ask(model, requestOf("Hi."))).rejects.toThrow("recorded are the answers 2.");
  expect(await ask(model, requestOf("Hi."))).toBe("Two.");
  for (const [file, changed] of [
    [second, text.replaceAll("Hi.", "Bye.")],
    [`ab${second}`, text],
    [second, text.replace('"parts"', '"error": "none", "parts"')],
  ] as const) {
    write(file, changed);
    expect(() => replayModel({ dir })).toThrow(/edited|not a recording/);
    rmSync(join(dir, file));
    write(second, text);
  }
});

/** A field of a recording that was edited, and what is said of it. */
const EDITED: { readonly [what: string]: readonly [more: object, says: string] } = {
  "a part that is none": [{ parts: [5] }, "`parts[0]` is 5; expected a part of an answer"],
  "a part of a later release": [
    { parts: [{ type: "finish", reason: "stop" }, { type: "song" }] },
    "`parts[1]`",
  ],
  "a part without its text": [{ parts: [{ type: "text.delta" }] }, "`parts[0]`"],
  "parts that are not a list": [{ parts: {} }, "`parts` is an object"],
  "an error without a code": [{ error: { message: "No." } }, "`error.code` is missing"],
  "an error of an unknown code": [{ error: { code: "model/moody", message: "No." } }, "`error.code` is"],
  "an error without words": [{ error: { code: "model/failed" } }, "`error.message` is missing"],
  "a time that is none": [
    { error: { code: "model/failed", message: "No.", retryAfterMs: "soon" } },
    "`error.retryAfterMs`",
  ],
  "a model without a name": [{ model: {} }, "`model.name` is missing"],
  "another model than the request has": [{ model: { name: "other" } }, "renamed or edited"],
  "left-out tools that are not a list": [{ model: { name: "scripted", leftOut: 5 } }, "`model.leftOut` is 5"],
  "capabilities that are none": [
    { model: { name: "scripted", capabilities: 5 } },
    "`model.capabilities` is 5",
  ],
  "no request": [{ request: undefined }, "`request` is missing"],
};

test.each(Object.entries(EDITED))("%s is refused, with the file", async (_, [more, says]) => {
  const dir = folder();
  await ask(recordModel(scriptedModel(["One."]), { dir }), requestOf("Hi."));
  const [file = ""] = readdirSync(dir);
  const whole = JSON.parse(readFileSync(join(dir, file), "utf8")) as object;
  writeFileSync(join(dir, file), JSON.stringify({ ...whole, ...more }));
  expect(() => replayModel({ dir })).toThrow(
    expect.objectContaining({ code: "config/invalid", message: expect.stringContaining(says) }),
  );
  expect(() => replayModel({ dir })).toThrow(file);
});

test("several models of one folder are told apart by name, which must be given", async () => {
  const dir = folder();
  await ask(recordModel(scriptedModel(["A."], { name: "a" }), { dir }), requestOf("Hi."));
  await ask(recordModel(scriptedModel(["B."], { name: "b" }), { dir }), requestOf("Hi."));
  expect(() => replayModel({ dir })).toThrow("recordings of");
  const model = replayModel({ dir, name: "a" });
  expect(await ask(model.withName!("b"), requestOf("Hi."))).toBe("B.");
  expect(await ask(model, requestOf("Hi."))).toBe("A.");
  expect(() => model.withName!("c")).toThrow("no recordings of the model 'c'");
});
