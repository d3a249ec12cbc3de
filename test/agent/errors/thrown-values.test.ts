// A turn comes to its end whatever the code of the user throws, also what is no Error and has no JSON.
import vm from "node:vm";
import { describe, expect, test } from "vitest";
import { createAgent, type ChatModel, type Hook } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { messageOf } from "../../../src/core/base/error.ts";
import { toolOf } from "../../support/agents.ts";

const circle: { self?: unknown } = {};
circle.self = circle;
const broken = { toJSON: () => raise(new Error("no JSON")) };

function raise(thrown: unknown): never {
  throw thrown;
}

const VALUES: readonly (readonly [unknown, string])[] = [
  [new Error("It broke."), "It broke."],
  [new TypeError(""), "TypeError"],
  [vm.runInNewContext("new RangeError('Elsewhere.')"), "Elsewhere."],
  ["a text", "a text"],
  [undefined, "undefined"],
  [null, "null"],
  [Symbol("s"), "Symbol(s)"],
  [{ code: 1 }, '{"code":1}'],
  [10n, "10"],
  [circle, "An object was thrown that has no JSON."],
  [Object.create(null), "{}"],
  [broken, "An object was thrown that has no JSON."],
];

/** The agents of which a part throws something. */
const THROWERS: { readonly [part: string]: (thrown: unknown) => ReturnType<typeof createAgent> } = {
  model: (thrown) => {
    const model: ChatModel = { name: "m", stream: () => raise(thrown) };
    return createAgent({ name: "a", model });
  },
  tool: (thrown) => working({}, () => raise(thrown)),
  permission: (thrown) =>
    working({ permissions: { rules: [{ tool: "work", action: "deny", when: () => raise(thrown) }] } }),
  hook: (thrown) => hooked({ name: "h", preReasoning: () => raise(thrown) }),
  "hook of chunks": (thrown) => hooked({ name: "h", reasoningChunk: () => raise(thrown) }),
};

const hooked = (hook: Hook): ReturnType<typeof createAgent> =>
  createAgent({ name: "a", model: scriptedModel(["Done."]), hooks: [hook] });

const working = (options: object, execute: () => string = () => "ok"): ReturnType<typeof createAgent> =>
  createAgent({
    name: "a",
    model: scriptedModel([{ calls: [{ name: "work", input: {} }] }, "Done."]),
    tools: [toolOf("work", execute)],
    ...options,
  });

describe.each(VALUES)("%o", (thrown, message) => {
  test("is said in words", () => expect(messageOf(thrown)).toBe(message));

  test.each(Object.keys(THROWERS))("thrown by a %s", async (part) => {
    const agent = THROWERS[part]!(thrown);
    const errors: unknown[] = [];
    agent.subscribe((event) => void ("error" in event && errors.push(event.error?.message)));
    const end = await agent.call("go").catch((error: unknown) => error as Error);
    const told = [JSON.stringify(await agent.messages()), (end as Error).message, ...errors];
    expect(told.join("\n")).toContain(
      part === "tool" || part === "permission" ? JSON.stringify(message).slice(1, -1) : message,
    );
    await agent.close();
  });
});
