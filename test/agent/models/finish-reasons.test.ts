// Reasons for which a provider ends an answer, in replies, messages and pages.
import { describe, expect, test } from "vitest";
import { type Hook } from "agentchart";
import { toAgUiEvents, toUIMessageChunks, toUIMessages } from "agentchart/ui";
import { eventsOf, scripted, toolOf } from "../../support/agents.ts";

const text = "All sold out except";

async function* iterate<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}

async function all<T>(values: AsyncIterable<T>): Promise<readonly T[]> {
  const list: T[] = [];
  for await (const value of values) list.push(value);
  return list;
}

describe.each([
  ["length", "length"],
  ["content_filter", "content-filter"],
  ["refusal", "content-filter"],
  ["unknown", "other"],
] as const)("an answer that ends with %s", (finishReason, ofSdk) => {
  test("says so in the reply, in its message and to pages, live and stored", async () => {
    const { agent } = scripted([{ text, finish: finishReason }]);
    const stream = agent.stream("What is left?");
    const events = await eventsOf(stream);
    const reply = await stream.reply;
    expect([reply.text, reply.reason, reply.finishReason]).toEqual([text, "MODEL_STOP", finishReason]);
    expect((await agent.messages()).at(-1)).toMatchObject({ finishReason });
    const chunks = await all(toUIMessageChunks(iterate(events)));
    const metadata = { turn: 1, reason: "MODEL_STOP", finishReason };
    expect(chunks.at(-1)).toEqual({ type: "finish", finishReason: ofSdk, messageMetadata: metadata });
    expect((await toUIMessages(iterate(events))).at(-1)).toMatchObject({ metadata });
    const run = await all(toAgUiEvents(iterate(events), { threadId: "t", runId: "r", messages: [] }));
    expect(run.at(-1)).toMatchObject({ result: { reason: "MODEL_STOP", finishReason } });
  });

  test("still says so once a hook has replaced its message", async () => {
    const hook: Hook = {
      name: "tone",
      postReasoning: ({ message }) => ({
        message: { ...message, content: [{ type: "text", text: "Sorry." }] },
      }),
    };
    const { agent } = scripted([{ text, finish: finishReason }], { hooks: [hook] });
    expect(await agent.call("What is left?")).toMatchObject({ text: "Sorry.", finishReason });
  });
});

test("an answer that came to its end by itself has `stop` in the reply and nothing in its message", async () => {
  const { agent } = scripted(["Nothing."]);
  expect(await agent.call("What is left?")).toMatchObject({ finishReason: "stop" });
  expect((await agent.messages()).at(-1)).not.toHaveProperty("finishReason");
});

test("a turn that rests with calls has `tool_calls`, unless no model made its message", async () => {
  const { agent } = scripted([{ calls: [{ id: "c", name: "wait", input: {} }] }], {
    tools: [toolOf("wait")],
  });
  expect(await agent.call("Wait.")).toMatchObject({ reason: "TOOL_SUSPENDED" });
  expect((await agent.messages()).at(-1)).not.toHaveProperty("finishReason");
});
