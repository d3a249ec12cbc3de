// Calls of the Responses API, in every way of numbering their events.
import { describe, expect, test } from "vitest";
import { createFold } from "../../../src/core/model/fold.ts";
import { createResponsesReader } from "../../../src/core/model/openai/responses-reader.ts";
import type { WireChunk } from "../../../src/core/model/openai/wire.ts";
import { UnclearCalls } from "../../../src/core/model/unclear-calls.ts";
import { ARGS, keysOf, ORDERS, outcomeOf, type MadeCall, type Outcome } from "./call-streams.ts";

type Event = { readonly type: string; readonly [field: string]: unknown };
type Header = (call: number, count: number) => unknown;

const INDEXES = {
  right: (call) => call,
  "all 0": () => 0,
  none: () => undefined,
  string: (call) => String(call),
  "after others": (call) => call + 3,
} satisfies { readonly [name: string]: Header };
const ITEMS = {
  right: (call) => `fc${call}`,
  none: () => undefined,
  "new each event": (_, count) => `fc-${count}`,
  same: () => "fc",
} satisfies { readonly [name: string]: Header };
const IDS = {
  right: (call) => `c${call}`,
  none: () => undefined,
  same: () => "c",
} satisfies { readonly [name: string]: Header };
/** Which events a server sends of a call. */
const EVENTS = {
  all: ["added", "delta", "complete", "done"],
  "no end of the arguments": ["added", "delta", "done"],
  "no beginning": ["delta", "done"],
  "no end of the item": ["added", "delta", "complete"],
  "pieces only": ["added", "delta"],
  "whole items": ["done"],
  "whole items with a beginning": ["added", "done"],
} as const;
const OUTPUTS = { "repeats the calls": true, "has none": false };

type Style = {
  readonly index: keyof typeof INDEXES;
  readonly item: keyof typeof ITEMS;
  readonly id: keyof typeof IDS;
  readonly events: keyof typeof EVENTS;
  readonly order: keyof typeof ORDERS;
  readonly output: keyof typeof OUTPUTS;
};

function* styles(): Iterable<Style> {
  for (const index of keysOf(INDEXES))
    for (const item of keysOf(ITEMS))
      for (const id of keysOf(IDS))
        for (const events of keysOf(EVENTS))
          for (const order of keysOf(ORDERS))
            for (const output of keysOf(OUTPUTS)) yield { index, item, id, events, order, output };
}

function eventsOf(calls: readonly MadeCall[], style: Style): Event[] {
  let count = 0;
  const [indexOf, itemOf, idOf]: readonly Header[] = [INDEXES[style.index], ITEMS[style.item], IDS[style.id]];
  const sent: readonly string[] = EVENTS[style.events];
  const itemFor = (call: number, args: string) => ({
    type: "function_call",
    id: itemOf!(call, count),
    call_id: idOf!(call, count),
    name: calls[call]!.name,
    arguments: args,
  });
  const steps = calls.map(({ args }, call): (() => Event)[] => {
    const whole = args.join("");
    const make = (type: string, fields: () => object) => () => {
      count++;
      return { type: `response.${type}`, output_index: indexOf!(call, count), ...fields() };
    };
    const item = () => ({ item_id: itemOf!(call, count) });
    const pieces = args.map((delta) => make("function_call_arguments.delta", () => ({ ...item(), delta })));
    return [
      ...(sent.includes("added") ? [make("output_item.added", () => ({ item: itemFor(call, "") }))] : []),
      ...(sent.includes("delta") ? pieces : []),
      ...(sent.includes("complete")
        ? [make("function_call_arguments.done", () => ({ ...item(), arguments: whole }))]
        : []),
      ...(sent.includes("done") ? [make("output_item.done", () => ({ item: itemFor(call, whole) }))] : []),
    ];
  });
  const events = ORDERS[style.order](steps.map(({ length }) => length)).map(([call, step]) =>
    steps[call]![step]!(),
  );
  const output = OUTPUTS[style.output] ? calls.map(({ args }, call) => itemFor(call, args.join(""))) : [];
  return [...events, { type: "response.completed", response: { id: "r", status: "completed", output } }];
}

/** What would run; undefined for an answer that is refused. */
function ranBy(events: readonly Event[]): string[] | undefined {
  const reader = createResponsesReader();
  let ids = 0;
  const fold = createFold({ newCallId: () => `own-${++ids}` });
  try {
    for (const event of events)
      for (const part of reader.read(JSON.parse(JSON.stringify(event)) as WireChunk)) fold.push(part);
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

const NAMES = [
  ["drop", "drop", "drop"],
  ["read", "drop", "read"],
];

describe("calls of Responses in every way of numbering their events", () => {
  test("run right or not at all", () => {
    const counts: { [outcome in Outcome]?: number } = {};
    const bad: string[] = [];
    let place = 0;
    for (const style of styles())
      for (const names of NAMES)
        for (const size of [1, 2, 3])
          for (let way = 0; way < ARGS.length ** Math.min(size, 2); way++) {
            if (size > 1 && place++ % 29 !== 0) continue;
            const calls = names.slice(0, size).map((name, call) => ({
              name,
              args: ARGS[(call === 0 ? way : Math.floor(way / ARGS.length) + call - 1) % ARGS.length]!(
                "abc"[call]!,
              ),
            }));
            const outcome = outcomeOf(calls, ranBy(eventsOf(calls, style)));
            counts[outcome] = (counts[outcome] ?? 0) + 1;
            if (outcome !== "right" && outcome !== "error")
              bad.push(`${outcome} ${JSON.stringify(style)} ${JSON.stringify(calls)}`);
          }
    expect(bad.slice(0, 20)).toEqual([]);
    expect(counts.right).toBeGreaterThan(counts.error!);
  });

  test("run right if the server keeps to the protocol, also with another item id in each event", () => {
    for (const item of ["right", "new each event"] as const)
      for (const events of ["all", "no end of the arguments"] as const)
        for (const order of keysOf(ORDERS))
          for (const output of keysOf(OUTPUTS))
            for (const one of ARGS)
              for (const two of ARGS) {
                const calls = [
                  { name: "drop", args: one("a") },
                  { name: "drop", args: two("b") },
                ];
                const style = { index: "right", id: "right", item, events, order, output } as const;
                if (calls.some(({ args }) => args.join("").startsWith('{"path":{'))) continue;
                expect(outcomeOf(calls, ranBy(eventsOf(calls, style))), JSON.stringify([calls, style])).toBe(
                  "right",
                );
              }
  });

  test.each(["output_item.done", "response.completed"])(
    "are refused where the item in %s is incomplete, though the response is not",
    (place) => {
      const style = {
        index: "right",
        item: "right",
        id: "right",
        order: "sequential",
        output: "repeats the calls",
      };
      const events = eventsOf([{ name: "drop", args: ["{}"] }], { ...style, events: "all" } as Style);
      const cut = events.map((event) =>
        event.type.endsWith(place)
          ? (JSON.parse(
              JSON.stringify(event).replace(
                '"type":"function_call"',
                '"type":"function_call","status":"incomplete"',
              ),
            ) as Event)
          : event,
      );
      expect([ranBy(events), ranBy(cut)]).toEqual([["drop {}"], undefined]);
    },
  );
});
