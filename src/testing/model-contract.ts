import assert from "node:assert/strict";
import { AgentError, configError } from "../core/base/error.ts";
import { userMsg, textOf, toolUsesOf } from "../core/message/msg.ts";
import type { Msg } from "../core/message/types.ts";
import { collect } from "../core/model/fold.ts";
import type { ContractTests, TestFramework } from "./contract.ts";
import type { ChatModel, ModelRequest, StreamPart } from "../core/model/port.ts";
import type { ModelRecording } from "./model-recording.ts";
import { recordingContract, type ModelOverFetch } from "./recording-contract.ts";

/** A model for one test of {@link modelContract}; `dispose` is called after the test. */
export type ModelUnderTest = {
  readonly model: ChatModel;
  readonly dispose?: (() => void | Promise<void>) | undefined;
};

/** The behaviour of the model of a test, each time it is called. */
export type ModelBehaviour =
  /** Answers "Hello world" and reports 7 input tokens and 2 output tokens. */
  | "answers"
  /** Calls the tool `add` with `{ "a": 1, "b": 2 }` and then with `{ "a": 3, "b": 4 }`. */
  | "callsTools"
  /** Fails with a retryable error before its first part. */
  | "failsRetryably"
  /** Streams at least one part, and then nothing more until it is aborted. */
  | "hangs";

/** Options of {@link modelContract}. */
export type ModelContractOptions = TestFramework & {
  /** Answers of providers that the adapter must read, as their servers send them: whole, byte by byte, and cut off
   *  at every byte. */
  readonly recordings?: readonly ModelRecording[] | undefined;
  /** The distance in bytes of the places at which recordings are cut off; default 1. For adapters that are slow. */
  readonly cutEvery?: number | undefined;
  /** Makes the model over a `fetch` that answers with a recording; required with `recordings`. */
  readonly over?: ModelOverFetch | undefined;
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

/** The tests of each behaviour. */
const TESTS: { readonly [behaviour in ModelBehaviour]: ContractTests<ChatModel> } = {
  answers: {
    "a stream contains the answer, its finish reason and its usage": async (model) => {
      const folded = await collect(model, REQUEST, { signal: new AbortController().signal });
      assert.equal(textOf(assistant(folded.content)), "Hello world");
      assert.equal(folded.finishReason, "stop");
      assert.equal(folded.usage?.inputTokens, 7);
      assert.equal(folded.usage?.outputTokens, 2);
    },
    "a signal that has aborted already lets no answer come": async (model) => {
      const parts: StreamPart[] = [];
      const read = async (): Promise<void> => {
        for await (const part of model.stream(REQUEST, { signal: AbortSignal.abort() })) parts.push(part);
      };
      await read().catch((error: unknown) => assert.ok(error instanceof Error));
      assert.deepEqual(parts, []);
    },
    "two concurrent streams of one model do not mix": async (model) => {
      const signal = new AbortController().signal;
      const both = await Promise.all([
        collect(model, REQUEST, { signal }),
        collect(model, REQUEST, { signal }),
      ]);
      for (const { content } of both) assert.equal(textOf(assistant(content)), "Hello world");
    },
  },
  callsTools: {
    "parallel tool calls arrive in order, with distinct ids and parsed arguments": async (model) => {
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
  },
  failsRetryably: {
    "a retryable failure is an AgentError with isRetryable": async (model) => {
      await assert.rejects(collect(model, REQUEST, { signal: new AbortController().signal }), (error) => {
        assert.ok(AgentError.is(error), `${String(error)} is not an AgentError`);
        assert.match(error.code, /^model\//);
        assert.equal(error.isRetryable, true);
        return true;
      });
    },
  },
  hangs: {
    "an aborted signal ends a hanging stream, also one that is waited for": async (model) => {
      const controller = new AbortController();
      const parts: StreamPart[] = [];
      const read = async (): Promise<void> => {
        for await (const part of model.stream(REQUEST, { signal: controller.signal })) {
          parts.push(part);
          setTimeout(() => controller.abort(), 5);
        }
      };
      await read().catch((error: unknown) => assert.ok(error instanceof Error));
      assert.ok(parts.length > 0);
    },
  },
};

/**
 * Registers the tests that every {@link ChatModel} must pass, in a group called `name`, with the test functions of the
 * caller's framework. `make` is called once per test and returns a model with the given behaviour.
 *
 * @example
 * ```ts
 * import { describe, test } from "node:test";
 * import { AgentError } from "agentchart";
 * import { modelContract, scriptedModel, type ScriptedTurn } from "agentchart/testing";
 *
 * const add = (a: number, b: number) => ({ name: "add", input: { a, b } });
 * const turns: { [behaviour: string]: ScriptedTurn } = {
 *   answers: { text: "Hello world", usage: { inputTokens: 7, outputTokens: 2 } },
 *   callsTools: { calls: [add(1, 2), add(3, 4)] },
 *   failsRetryably: { error: new AgentError("model/unavailable", "Busy.", { isRetryable: true }) },
 *   async *hangs(_, signal) {
 *     yield { type: "text.delta", delta: "Hello" };
 *     await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
 *   },
 * };
 * const make = (behaviour: string) => ({ model: scriptedModel([turns[behaviour]!, turns[behaviour]!]) });
 * modelContract("my model", make, { describe, test });
 * ```
 */
export function modelContract(
  name: string,
  make: (behaviour: ModelBehaviour) => ModelUnderTest | Promise<ModelUnderTest>,
  { describe, test, recordings = [], over, cutEvery = 1 }: ModelContractOptions,
): void {
  if (recordings.length > 0 && !over)
    throw configError("modelContract: `recordings` needs `over`, which makes a model over a fetch.");
  describe(name, () => {
    if (over) recordingContract(recordings, over, cutEvery, { describe, test });
    for (const behaviour of Object.keys(TESTS) as ModelBehaviour[])
      for (const [title, check] of Object.entries(TESTS[behaviour]))
        test(title, async () => {
          const { model, dispose } = await make(behaviour);
          try {
            await check(model);
          } finally {
            await dispose?.();
          }
        });
  });
}
