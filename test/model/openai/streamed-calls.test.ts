// Calls of Chat Completions, in every way of numbering their pieces.
import { describe, expect, test } from "vitest";
import { createAgent, defineTool } from "agentchart";
import { openaiModel } from "agentchart/openai";
import { createFold } from "../../../src/core/model/fold.ts";
import { createPartReader } from "../../../src/core/model/openai/part-reader.ts";
import type { WireChunk, WireToolDelta } from "../../../src/core/model/openai/wire.ts";
import { UnclearCalls } from "../../../src/core/model/unclear-calls.ts";
import {
  ARGS,
  IDS,
  INDEXES,
  isAlsoOther,
  keysOf,
  NAMES,
  ORDERS,
  outcomeOf,
  reportedStreams,
  streamOf,
  type MadeCall,
  type Outcome,
  type Style,
} from "./call-streams.ts";

const isSoak = process.env["SOAK"] === "1";

const chunkOf = (...pieces: readonly object[]): WireChunk => ({
  choices: [{ index: 0, delta: { tool_calls: pieces as readonly WireToolDelta[] } }],
});
const END: WireChunk = { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] };

/** What would run of an answer of these chunks; undefined if it is refused. */
function ranBy(chunks: readonly WireChunk[]): string[] | undefined {
  const reader = createPartReader();
  let ids = 0;
  const fold = createFold({ newCallId: () => `own-${++ids}` });
  try {
    for (const chunk of chunks) for (const part of reader.read(chunk)) fold.push(part);
    reader.finish();
  } catch (thrown) {
    if (thrown instanceof UnclearCalls) return undefined;
    throw thrown;
  }
  return fold
    .finish()
    .content.flatMap((block) =>
      block.type === "tool_use" && block.rawInput === undefined
        ? [`${block.name} ${JSON.stringify(block.input)}`]
        : [],
    );
}

const outcome = (calls: readonly MadeCall[], style: Style): Outcome =>
  outcomeOf(calls, ranBy([...streamOf(calls, style).map((piece) => chunkOf(piece)), END]));

type Found = { readonly counts: { [outcome in Outcome]?: number }; readonly bad: string[] };

function judge(streams: Iterable<{ readonly calls: readonly MadeCall[]; readonly style: Style }>): Found {
  const found: Found = { counts: {}, bad: [] };
  for (const { calls, style } of streams) {
    const each = outcome(calls, style);
    found.counts[each] = (found.counts[each] ?? 0) + 1;
    if (each !== "right" && each !== "error")
      found.bad.push(`${each}: ${JSON.stringify(style)} ${JSON.stringify(calls)}`);
  }
  return found;
}

/** One to three calls in every style, with arguments cut in every way. Of three calls, each 97th way; without SOAK a part of all. */
function* allStreams() {
  let count = 0;
  const names = [
    ["drop", "drop", "drop"],
    ["read", "drop", "copy"],
    ["read", "drop", "read"],
  ];
  for (const size of [1, 2, 3])
    for (const index of keysOf(INDEXES))
      for (const id of keysOf(IDS))
        for (const name of keysOf(NAMES))
          for (const order of keysOf(ORDERS))
            for (const each of size === 1 ? names.slice(0, 1) : names)
              for (let way = 0; way < ARGS.length ** size; way += size === 3 ? 97 : 1) {
                if (!isSoak && count++ % 23 !== 0) continue;
                const calls = each.slice(0, size).map((called, place) => ({
                  name: called,
                  args: ARGS[Math.floor(way / ARGS.length ** place) % ARGS.length]!("abc"[place]!),
                }));
                const style = { index, id, name, order };
                if (!isAlsoOther(calls, style)) yield { calls, style };
              }
}

describe("calls in every way of numbering and naming their pieces", () => {
  test("the streams of public reports run right or not at all", () => {
    const streams = reportedStreams();
    const { counts, bad } = judge(streams);
    expect(bad).toEqual([]);
    expect(streams).toHaveLength(1_462);
    expect(counts.right).toBeGreaterThan(1_190);
  });

  test("one to three calls run right or not at all, however their pieces are cut and mixed", () => {
    const { counts, bad } = judge(allStreams());
    expect(bad.slice(0, 20)).toEqual([]);
    expect(counts.right).toBeGreaterThan(counts.error!);
  });

  test("those of a server that keeps to the protocol run right", () => {
    let whole = 0;
    for (const order of keysOf(ORDERS))
      for (const name of ["first only", "empty later"] as const)
        for (const id of ["first only", "empty later"] as const)
          for (const index of ["right", "from 1", "string", "from the end"] as const)
            for (const one of ARGS)
              for (const two of ARGS)
                for (const other of ["drop", "read"]) {
                  const calls = [
                    { name: "drop", args: one("a") },
                    { name: other, args: two("b") },
                  ];
                  const style = { index, id, name, order };
                  if (!calls.every(({ args }) => isWhole(args))) continue;
                  whole++;
                  expect(outcome(calls, style), JSON.stringify([calls, style])).toBe("right");
                }
    expect(whole).toBeGreaterThan(1_000);
  });
});

const isWhole = (args: readonly string[]): boolean => !args.join("").startsWith('{"path":{');

const piece = (fields: object, name?: string, args?: unknown) => ({
  ...fields,
  type: "function",
  function: { ...(name !== undefined && { name }), ...(args !== undefined && { arguments: args }) },
});
const A = '{"path":"/a"}';
const B = '{"path":"/b"}';

describe("which call a piece belongs to", () => {
  test.each<[string, object[], string[] | undefined]>([
    [
      "arguments one index on are those of the only open call",
      [piece({ index: 0, id: "c" }, "drop", ""), piece({ index: 1 }, undefined, A)],
      [`drop ${A}`],
    ],
    [
      "arguments that came before the name are those of the call",
      [piece({ index: 0 }, undefined, '{"path":'), piece({ index: 0, id: "c" }, "drop", '"/a"}')],
      [`drop ${A}`],
    ],
    [
      "another name with the same index is another call, with or without ids",
      [piece({ index: 0 }, "read", A), piece({ index: 0 }, "drop", "")],
      [`read ${A}`, "drop {}"],
    ],
    [
      "another name for the id of a call without arguments is refused, since it may be the rest of its name",
      [piece({ index: 0, id: "c" }, "drop", ""), piece({ index: 0, id: "c" }, "_marked", A)],
      undefined,
    ],
    [
      "another name without an id behind one with an id and without arguments is refused, too",
      [piece({ index: 0, id: "c" }, "drop"), piece({ index: 0 }, "_marked", A)],
      undefined,
    ],
    [
      "the id alone, then the name, then the arguments are one call",
      [{ index: 0, id: "c" }, piece({ index: 0 }, "drop"), piece({ index: 0 }, undefined, A)],
      [`drop ${A}`],
    ],
    [
      "another id with the same name within the arguments is the same call",
      [
        piece({ index: 0, id: "1" }, "drop", ""),
        piece({ index: 0, id: "2" }, "drop", '{"path":'),
        piece({ index: 0, id: "3" }, "drop", '"/a"}'),
      ],
      [`drop ${A}`],
    ],
    [
      "objects as arguments are whole calls",
      [piece({ index: 0 }, "drop", { path: "/a" }), piece({ index: 0 }, "drop", { path: "/b" })],
      [`drop ${A}`, `drop ${B}`],
    ],
    [
      "pieces that say nothing are not a call",
      [{ index: 0 }, { index: 0, function: {} }, { index: 1, id: "" }],
      [],
    ],
    ["arguments without a name are refused", [piece({ index: 0 }, undefined, A)], undefined],
    [
      "arguments that fit two calls are refused",
      [
        piece({ index: 0, id: "1" }, "read", ""),
        piece({ index: 1, id: "2" }, "drop", ""),
        piece({ index: 2 }, undefined, A),
      ],
      undefined,
    ],
    [
      "an index and an id of different calls are refused",
      [
        piece({ index: 0, id: "1" }, "read", '{"path":'),
        piece({ index: 1, id: "2" }, "drop", '{"path":'),
        piece({ index: 0, id: "2" }, undefined, '"/a"}'),
      ],
      undefined,
    ],
    ["an id that no name follows is refused", [{ index: 0, id: "c" }], undefined],
    ["two objects in one piece are refused", [piece({ index: 0, id: "c" }, "drop", A + B)], undefined],
    [
      "an empty object before the arguments is refused",
      [piece({ index: 0, id: "c" }, "drop", "{}"), piece({ index: 0 }, undefined, A)],
      undefined,
    ],
    [
      "arguments that come twice are refused",
      [piece({ index: 0, id: "c" }, "drop", A), piece({ index: 0 }, undefined, A)],
      undefined,
    ],
    [
      "arguments that the model wrote wrong are for the model to mend",
      [piece({ index: 0, id: "c" }, "drop", '{"path":"/a"}}'), piece({ index: 1, id: "d" }, "read", A)],
      [`read ${A}`],
    ],
  ])("%s", (_, pieces, ran) => {
    expect(ranBy([...pieces.map((each) => chunkOf(each)), END])).toEqual(ran);
    expect(ranBy([chunkOf(...pieces), END])).toEqual(ran);
  });

  test("the one call that servers sent before there were several is a call", () => {
    const chunks = [{ name: "drop", arguments: "" }, { arguments: '{"path":' }, { arguments: '"/a"}' }].map(
      (called): WireChunk => ({ choices: [{ index: 0, delta: { function_call: called } }] }),
    );
    expect(ranBy([...chunks, END])).toEqual([`drop ${A}`]);
  });

  test("the calls of an answer that is not streamed are whole, whatever their ids are", () => {
    const message = {
      tool_calls: [piece({}, "drop", ""), piece({}, "drop", A), piece({ id: "c" }, "drop", "")],
    };
    expect(ranBy([{ choices: [{ message, finish_reason: "tool_calls" } as never] }])).toEqual([
      "drop {}",
      `drop ${A}`,
      "drop {}",
    ]);
  });

  test("a message that repeats what was streamed is not read again", () => {
    const message = { content: null, tool_calls: [piece({ id: "c" }, "drop", A)] };
    const repeated = { choices: [{ index: 0, message, finish_reason: "tool_calls" }] } as WireChunk;
    expect(ranBy([chunkOf(piece({ index: 0, id: "c" }, "drop", A)), repeated])).toEqual([`drop ${A}`]);
  });
});

test.each<[string, object[]]>([
  ["a call without a name", [piece({ index: 0, id: "c" }, "drop", A), piece({ index: 1, id: "d" }, "", A)]],
  ["arguments of two calls", [piece({ index: 0, id: "c" }, "drop", A), piece({ index: 0 }, undefined, B)]],
])("an answer with %s runs nothing, and is a retryable error that says why", async (_, pieces) => {
  const ran: unknown[] = [];
  const execute = (input: unknown) => {
    ran.push(input);
    return "done";
  };
  const drop = defineTool({ name: "drop", description: "Drops.", input: { type: "object" }, execute });
  const chunks = [...pieces.map((each) => chunkOf(each)), END];
  const body = `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}data: [DONE]\n\n`;
  const fetch = async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
  const model = openaiModel({ model: "m", baseURL: "https://models.test/v1", fetch });
  const agent = createAgent({ name: "a", model, tools: [drop] });
  await expect(agent.call("go")).rejects.toMatchObject({
    code: "model/bad-response",
    isRetryable: true,
    message: expect.stringMatching(/tool calls that are unclear: .*(has no name|no name|more than one JSON)/),
  });
  expect(ran).toEqual([]);
});
