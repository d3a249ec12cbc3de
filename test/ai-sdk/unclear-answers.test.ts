// Unclear answers of providers of the AI SDK run right or not at all.
import { describe, expect, test } from "vitest";
import { createAgent, defineTool } from "agentchart";
import { aiSdkModel, type AiSdkLanguageModel } from "agentchart/ai-sdk";

const A = '{"path":"/a"}';
const B = '{"path":"/b"}';
const usage = { inputTokens: { total: 7 }, outputTokens: { total: 2 } };
const ended = (unified: string, raw?: string) => ({
  type: "finish",
  finishReason: { unified, ...(raw !== undefined && { raw }) },
  usage,
});
const CALLS = ended("tool-calls", "tool_use");
const start = (id: string, toolName: string) => ({ type: "tool-input-start", id, toolName });
const delta = (id: string, piece: string) => ({ type: "tool-input-delta", id, delta: piece });
const end = (id: string) => ({ type: "tool-input-end", id });
const call = (toolCallId: string, toolName: string, input: unknown) => ({
  type: "tool-call",
  toolCallId,
  toolName,
  input,
});

/** Asks an agent whose model streams these parts once. Returns what ran, and the error. */
async function ask(parts: readonly object[], specificationVersion = "v4") {
  const ran: string[] = [];
  let turns = 0;
  const done = [
    { type: "text-start", id: "t" },
    { type: "text-delta", id: "t", delta: "done" },
    ended("stop", "end_turn"),
  ];
  const model: AiSdkLanguageModel = {
    specificationVersion,
    provider: "acme.messages",
    modelId: "m",
    doStream: async () => ({
      stream: ReadableStream.from(turns++ === 0 ? parts : done) as ReadableStream<unknown>,
    }),
  };
  const tools = ["read", "drop"].map((name) =>
    defineTool({
      name,
      description: "d",
      input: { type: "object", properties: { path: { type: "string" } } },
      execute: (input) => {
        ran.push(`${name} ${JSON.stringify(input)}`);
        return "ok";
      },
    }),
  );
  const modelExecution = { maxAttempts: 1 };
  const error: unknown = await createAgent({
    name: "a",
    model: aiSdkModel(model),
    tools,
    modelOptions: { execution: modelExecution },
  })
    .call("x")
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  return { ran, error };
}

describe("calls of a provider of the AI SDK", () => {
  test.each<[string, object[], string[]]>([
    ["whole calls", [call("1", "read", A), call("2", "drop", "")], [`read ${A}`, "drop {}"]],
    ["arguments that are parsed already", [call("1", "read", { path: "/a" })], [`read ${A}`]],
    [
      "pieces that are mixed",
      [
        start("1", "read"),
        start("2", "drop"),
        delta("1", '{"path":'),
        delta("2", B),
        delta("1", '"/a"}'),
        end("1"),
        end("2"),
        call("1", "read", '{ "path": "/a" }'),
        call("2", "drop", B),
      ],
      [`read ${A}`, `drop ${B}`],
    ],
    ["different calls with one id", [call("", "read", A), call("", "drop", B)], [`read ${A}`, `drop ${B}`]],
    ["a name that comes with the end", [start("1", ""), delta("1", A), call("1", "read", A)], [`read ${A}`]],
  ])("%s run", async (_, parts, ran) => {
    for (const version of ["v2", "v3", "v4"])
      expect(await ask([...parts, CALLS], version)).toEqual({ ran, error: undefined });
  });

  const first = call("0", "read", A);
  test.each<[string, object[]]>([
    ["a call without a name", [call("1", "", B)]],
    ["a call without an end", [start("1", "drop"), delta("1", B), end("1")]],
    ["a call that only began", [start("1", "drop")]],
    ["a piece of no call", [delta("9", B)]],
    ["a piece after the end", [call("1", "drop", B), delta("1", "x")]],
    ["a call that begins twice", [start("1", "drop"), start("1", "drop"), call("1", "drop", B)]],
    ["a call that comes twice", [call("1", "drop", B), call("1", "drop", B)]],
    ["other arguments than were streamed", [start("1", "drop"), delta("1", A), call("1", "drop", B)]],
    [
      "a part of the arguments that were streamed",
      [start("1", "drop"), delta("1", '{"path":'), call("1", "drop", B)],
    ],
    ["another name than at the beginning", [start("1", "drop"), delta("1", B), call("1", "read", B)]],
    ["two objects as arguments", [call("1", "drop", A + B)]],
    [
      "a call that the provider runs, but did not at the beginning",
      [start("1", "drop"), { ...call("1", "drop", B), providerExecuted: true }],
    ],
  ])("%s makes the answer a retryable error, and nothing of it runs", async (_, parts) => {
    for (const version of ["v2", "v3", "v4"]) {
      const { ran, error } = await ask([first, ...parts, CALLS], version);
      expect(ran).toEqual([]);
      expect(error).toMatchObject({
        code: "model/bad-response",
        isRetryable: true,
        message: expect.stringContaining("tool calls that are unclear: "),
      });
    }
  });
});

describe("an answer of a provider of the AI SDK that failed", () => {
  const places: { readonly [place: string]: readonly object[] } = {
    "at first": [],
    "after text": [{ type: "text-delta", id: "t", delta: "The sum is" }],
    "after a whole call": [call("1", "drop", A)],
    "within the arguments of a call": [start("1", "drop"), delta("1", '{"path":')],
    "after thinking": [{ type: "reasoning-delta", id: "r", delta: "hm" }],
  };
  const v2 = (finishReason: string) => ({ type: "finish", finishReason, usage: { inputTokens: 7 } });
  const failures: readonly (readonly object[])[] = [
    ...["boom", { message: "boom" }, { error: { message: "boom" } }, new Error("boom"), null, undefined]
      .map((error) => ({ type: "error", error }))
      .flatMap((part) => [[part], [part, ended("error")], [part, CALLS]]),
    ...["error", "interrupted", "other", "unknown", "boom"].flatMap((unified) =>
      [undefined, "", "null", "abort", "error", "boom"].map((raw) => [ended(unified, raw)]),
    ),
    ...["error", "other", "unknown", "interrupted", "boom"].map((reason) => [v2(reason)]),
    [{ type: "finish", usage }],
    [{ type: "abort" }],
    [],
  ];

  test.each(failures.map((parts) => [JSON.stringify(parts), parts] as const))(
    "by %s is an error wherever it comes, and no call of it runs",
    async (_, parts) => {
      for (const [place, before] of Object.entries(places)) {
        const { ran, error } = await ask([...before, ...parts]);
        expect({ place, ran }).toEqual({ place, ran: [] });
        expect({ place, error }).toEqual({
          place,
          error: expect.objectContaining({ code: expect.stringMatching(/^model\//) }),
        });
      }
    },
  );

  test.each([
    ["other", "eos"],
    ["unknown", "end_turn"],
    ["other", "compaction"],
    ["stop", "word"],
  ])("is not one that ends by %s with the word %s", async (unified, raw) => {
    expect(await ask([call("1", "drop", A), ended(unified, raw)])).toEqual({
      ran: [`drop ${A}`],
      error: undefined,
    });
  });
});
