import assert from "node:assert/strict";
import { AgentError } from "../core/base/error.ts";
import { toolResultMsg, userMsg } from "../core/message/msg.ts";
import type { Block, Msg } from "../core/message/types.ts";
import { collect, type Folded } from "../core/model/fold.ts";
import type { ChatModel, ModelRequest } from "../core/model/port.ts";
import type { TestFramework } from "./contract.ts";
import type { ModelRecording } from "./model-recording.ts";

type Fetch = typeof globalThis.fetch;
/** Makes the model under test over a `fetch` that answers with a recording. */
export type ModelOverFetch = (fetch: Fetch) => ChatModel;

const QUESTION = userMsg("Which port?");
const HARBOUR = {
  name: "harbour",
  description: "Finds a harbour.",
  inputSchema: { type: "object", properties: { town: { type: "string" } } },
};
const requestOf = (messages: readonly Msg[]): ModelRequest => ({
  messages,
  tools: [HARBOUR],
  options: {},
  execution: {},
});

/** Answers with these bytes, in pieces of this size. */
function answering(bytes: Uint8Array, size: number = bytes.length): Fetch {
  return async () => {
    let from = 0;
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (from >= bytes.length) return controller.close();
        controller.enqueue(bytes.slice(from, (from += Math.max(1, size))));
      },
    });
    return new Response(stream, { headers: { "content-type": "text/event-stream" } });
  };
}

const bytesOf = ({ body }: ModelRecording): Uint8Array => new TextEncoder().encode(body);

const answerTo = (model: ChatModel, messages: readonly Msg[] = [QUESTION]): Promise<Folded> =>
  collect(model, requestOf(messages), { signal: new AbortController().signal });

/** The content without what providers and adapters add to it. */
function essenceOf(content: readonly Block[]): readonly object[] {
  return content
    .filter(({ type }) => type !== "provider")
    .map((block) => {
      const { opaque: _, ...rest } = block as Block & { readonly opaque?: unknown };
      return rest.type === "tool_use" ? { type: rest.type, name: rest.name, input: rest.input } : rest;
    });
}

function assertAnswer({ content, finishReason }: Folded, recording: ModelRecording): void {
  assert.deepEqual(essenceOf(content), essenceOf(recording.content));
  assert.equal(finishReason, recording.finishReason);
}

type Check = (recording: ModelRecording, model: ModelOverFetch, cutEvery: number) => Promise<void>;

const CHECKS: { readonly [title: string]: Check } = {
  "is read whole: blocks in their order, finish reason, usage": async (recording, model) => {
    const answer = await answerTo(model(answering(bytesOf(recording))));
    assertAnswer(answer, recording);
    const { usage } = recording;
    const names = Object.keys(usage) as (keyof typeof usage)[];
    assert.deepEqual(Object.fromEntries(names.map((name) => [name, answer.usage?.[name]])), usage);
  },

  "is the same answer if it arrives byte by byte": async (recording, model) => {
    const bytes = bytesOf(recording);
    const whole = await answerTo(model(answering(bytes)));
    const { content, ...rest } = await answerTo(model(answering(bytes, 1)));
    assert.deepEqual(
      { ...rest, content: essenceOf(content) },
      { ...whole, content: essenceOf(whole.content) },
    );
  },

  "is refused with an error that may be retried, or is the whole answer, wherever the stream is cut off":
    async (recording, model, cutEvery) => {
      const bytes = bytesOf(recording);
      const cutAt = async (length: number): Promise<void> => {
        const answer = await answerTo(model(answering(bytes.subarray(0, length)))).catch((error: unknown) => {
          assert.ok(AgentError.is(error), `${String(error)} is not an AgentError`);
          assert.match(error.code, /^model\/(connection|bad-response)$/);
          assert.ok(error.isRetryable);
        });
        if (answer) assertAnswer(answer, recording);
      };
      for (let length = 0; length < bytes.length; length += cutEvery) await cutAt(length);
    },

  "goes back the same after it was stored": async (recording, model) => {
    const bodies: string[] = [];
    const bytes = bytesOf(recording);
    const fetch: Fetch = (input, init) => {
      bodies.push(typeof init?.body === "string" ? init.body : "");
      return answering(bytes)(input, init);
    };
    const { content } = await answerTo(model(fetch));
    const message: Msg = {
      ...userMsg("", { id: "m-1", timestamp: 1 }),
      role: "assistant",
      name: "assistant",
      content,
    };
    const calls = content.flatMap((block) =>
      block.type === "tool_use" ? [{ callId: block.id, name: block.name, text: "Quay 4" }] : [],
    );
    const results = calls.length > 0 ? [toolResultMsg(calls)] : [userMsg("Go on.")];
    await answerTo(model(fetch), [QUESTION, message, ...results]);
    await answerTo(model(fetch), [QUESTION, JSON.parse(JSON.stringify(message)) as Msg, ...results]);
    assert.equal(bodies[2], bodies[1]);
  },

  "ends without a finish when it is aborted": async (recording, model) => {
    const controller = new AbortController();
    const types: string[] = [];
    const read = async (): Promise<void> => {
      const stream = model(answering(bytesOf(recording), 8)).stream(requestOf([QUESTION]), {
        signal: controller.signal,
      });
      for await (const { type } of stream) {
        types.push(type);
        controller.abort();
      }
    };
    await read().catch((error: unknown) => assert.ok(error instanceof Error));
    assert.ok(!types.includes("finish"));
  },
};

/** Registers the tests of {@link modelContract} that replay recordings. */
export function recordingContract(
  recordings: readonly ModelRecording[],
  model: ModelOverFetch,
  cutEvery: number,
  { describe, test }: TestFramework,
): void {
  for (const recording of recordings) {
    describe(`an answer of ${recording.provider} (${recording.wire})`, () => {
      for (const [title, check] of Object.entries(CHECKS))
        test(title, () => check(recording, model, cutEvery));
    });
  }
}
