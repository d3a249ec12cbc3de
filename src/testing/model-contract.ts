import assert from "node:assert/strict";
import { AgentError } from "../base/error.ts";
import { userMsg } from "../message/create.ts";
import { textOf, toolUsesOf } from "../message/query.ts";
import type { Msg } from "../message/types.ts";
import { collect } from "../model/fold.ts";
import type { ChatModel, ModelRequest, StreamPart } from "../model/port.ts";

/** A model that has been prepared to answer in one way. */
export type ModelUnderTest = { readonly model: ChatModel; readonly dispose?: () => void | Promise<void> };

/** How a prepared model is to behave. */
export type ModelBehaviour =
  /** Says "Hello world" and reports 7 input and 2 output tokens. */
  | "answers"
  /** Calls the tool `add` with `{ "a": 1, "b": 2 }` and then with `{ "a": 3, "b": 4 }`. */
  | "callsTools"
  /** Fails in a way that may be retried, before its first part. */
  | "failsRetryably"
  /** Says something and then nothing more, for ever. */
  | "hangs";

export type ModelContractOptions = {
  /** Those of vitest, Jest, Mocha or node:test. */
  readonly describe: (name: string, body: () => void) => unknown;
  readonly test: (name: string, body: () => Promise<void>) => unknown;
};

const REQUEST: ModelRequest = {
  messages: [userMsg("go")],
  tools: [
    {
      name: "add",
      description: "adds",
      inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
    },
  ],
  options: {},
  execution: {},
};

function assistant(content: Msg["content"]): Msg {
  return { ...userMsg(""), role: "assistant", content };
}

type ModelContractTest = readonly [
  title: string,
  behaviour: ModelBehaviour,
  check: (model: ChatModel) => Promise<void>,
];

const TESTS: readonly ModelContractTest[] = [
  [
    "a stream folds to the answer, its finish reason and its usage",
    "answers",
    async (model) => {
      const folded = await collect(model, REQUEST, { signal: new AbortController().signal });
      assert.equal(textOf(assistant(folded.content)), "Hello world");
      assert.equal(folded.finishReason, "stop");
      assert.equal(folded.usage?.inputTokens, 7);
      assert.equal(folded.usage?.outputTokens, 2);
    },
  ],
  [
    "calls come apart, in order, with their arguments parsed",
    "callsTools",
    async (model) => {
      const folded = await collect(model, REQUEST, { signal: new AbortController().signal });
      const calls = toolUsesOf(assistant(folded.content));
      assert.deepEqual(
        calls.map(({ name, input }) => [name, input]),
        [
          ["add", { a: 1, b: 2 }],
          ["add", { a: 3, b: 4 }],
        ],
      );
      assert.equal(new Set(calls.map(({ id }) => id)).size, 2);
      assert.equal(folded.finishReason, "tool_calls");
    },
  ],
  [
    "a failure is an AgentError that says whether a retry may help",
    "failsRetryably",
    async (model) => {
      await assert.rejects(collect(model, REQUEST, { signal: new AbortController().signal }), (error) => {
        assert.ok(AgentError.is(error), `${String(error)} is no AgentError`);
        assert.match(error.code, /^model\//);
        assert.equal(error.isRetryable, true);
        return true;
      });
    },
  ],
  [
    "an abort ends a hanging stream at once",
    "hangs",
    async (model) => {
      const controller = new AbortController();
      const parts: StreamPart[] = [];
      const read = async (): Promise<void> => {
        for await (const part of model.stream(REQUEST, { signal: controller.signal })) {
          parts.push(part);
          controller.abort();
        }
      };
      await read().catch((error: unknown) => assert.ok(error instanceof Error));
      assert.ok(parts.length > 0);
    },
  ],
  [
    "two streams of one model do not mix",
    "answers",
    async (model) => {
      const signal = new AbortController().signal;
      const both = await Promise.all([
        collect(model, REQUEST, { signal }),
        collect(model, REQUEST, { signal }),
      ]);
      for (const { content } of both) assert.equal(textOf(assistant(content)), "Hello world");
    },
  ],
];

/** Registers the tests that every {@link ChatModel} must pass, under `name`, with the test functions you give. `make` is
 *  called once per test and prepares a model that behaves as asked, as often as it is asked. */
export function modelContract(
  name: string,
  make: (behaviour: ModelBehaviour) => ModelUnderTest | Promise<ModelUnderTest>,
  { describe, test }: ModelContractOptions,
): void {
  describe(name, () => {
    for (const [title, behaviour, check] of TESTS) {
      test(title, async () => {
        const { model, dispose } = await make(behaviour);
        try {
          await check(model);
        } finally {
          await dispose?.();
        }
      });
    }
  });
}
