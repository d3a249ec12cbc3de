// The option `retryOn` of a tool.
import { AgentError } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { expect, test } from "vitest";
import type { Execution } from "../../../src/core/model/port.ts";
import { outputOf, resultsOf, scripted, toolOf, untilAborted } from "../../support/agents.ts";

const quick = { maxAttempts: 2, initialBackoffMs: 1 };

function failing(thrown: unknown, execution: Execution) {
  let attempts = 0;
  const tool = toolOf(
    "t",
    () => {
      attempts++;
      throw thrown;
    },
    { execution: { ...quick, ...execution } },
  );
  const { agent } = scripted([{ calls: [{ name: "t", input: {} }] }, "done"], { tools: [tool] });
  return { agent, attempts: () => attempts };
}

const throws = (): boolean => {
  throw new Error("a bad predicate");
};

test("a tool's retryOn receives the error that the tool threw", async () => {
  const cause = new Error("boom");
  const asked: AgentError[] = [];
  const { agent, attempts } = failing(cause, { retryOn: (error) => asked.push(error) > 0 });
  await agent.call("go");
  expect(attempts()).toBe(2);
  expect(asked[0]).toMatchObject({ code: "tool/failed", message: "boom", cause });
});

test("a tool's retryOn receives an error result as an error with its text", async () => {
  const asked: string[] = [];
  const retryOn = ({ message }: AgentError): boolean => asked.push(message) > 5;
  const outcome = { output: [{ type: "text" as const, text: "no luck" }], state: "error" as const };
  const { agent } = scripted([{ calls: [{ name: "t", input: {} }] }, "done"], {
    tools: [toolOf("t", () => outcome, { execution: { ...quick, retryOn } })],
  });
  await agent.call("go");
  expect(asked).toEqual(["no luck"]);
});

test.each([
  [true, 2],
  [false, 1],
])('"retryable" repeats a tool\'s AgentError with isRetryable: %s', async (isRetryable, expected) => {
  const thrown = new AgentError("tool/failed", "Down.", { isRetryable });
  const { agent, attempts } = failing(thrown, { retryOn: "retryable" });
  await agent.call("go");
  expect(attempts()).toBe(expected);
});

test("a tool's retryOn that throws prevents the retry, and the call keeps its error", async () => {
  const { agent, attempts } = failing(new Error("boom"), { retryOn: throws });
  const reply = await agent.call("go");
  expect(reply.reason).toBe("MODEL_STOP");
  expect(attempts()).toBe(1);
  expect(outputOf(resultsOf(await agent.messages())[0])).toContain("boom");
});

test("a model's retryOn that throws prevents the retry, and the attempt keeps its error", async () => {
  const down = new AgentError("model/unavailable", "Down.", { isRetryable: true });
  const { agent, model } = scripted([{ error: down }, "never"], {
    modelOptions: { execution: { ...quick, retryOn: throws } },
  });
  await expect(agent.call("go")).rejects.toMatchObject({ code: "model/unavailable" });
  expect(model.requests).toHaveLength(1);
});

test.each([
  ["no, so the attempt was the last one", false, 1],
  ["yes, so it is made again", true, 2],
])("retryOn of a tool that timed out can return %s", async (_, answer, expected) => {
  const asked: AgentError[] = [];
  const tool = toolOf("t", (_input, { signal }) => untilAborted(signal), {
    execution: { ...quick, timeoutMs: 20, retryOn: (error) => asked.push(error) > 0 && answer },
  });
  const { agent } = scripted([{ calls: [{ name: "t", input: {} }] }, "done"], { tools: [tool] });
  expect((await agent.call("go")).turn.toolCalls).toBe(expected);
  expect(asked).toMatchObject([{ code: "tool/timeout", isRetryable: true }]);
  expect(resultsOf(await agent.messages())).toMatchObject([{ code: "tool/timeout" }]);
});

test("retryOn is called for each of the calls that timed out together", async () => {
  const slow = (name: string, retryOn: Execution["retryOn"]) =>
    toolOf(name, (_input, { signal }) => untilAborted(signal), {
      execution: { ...quick, timeoutMs: 20, ...(retryOn && { retryOn }) },
    });
  const calls = ["twice", "once", "retryable"].map((name) => ({ name, input: {} }));
  const { agent } = scripted([{ calls }, "done"], {
    tools: [slow("twice", undefined), slow("once", () => false), slow("retryable", "retryable")],
    parallelToolCalls: true,
  });
  const retried: (string | undefined)[] = [];
  agent.subscribe((event) => void (event.type === "retry" && retried.push(event.callId)));
  expect((await agent.call("go")).turn.toolCalls).toBe(5);
  expect(retried.toSorted()).toEqual(["call_1", "call_3"]);
});

const silent = async function* (_request: unknown, signal: AbortSignal) {
  yield* [];
  await untilAborted(signal);
};

test("retryOn is called for a model that timed out; the model and its fallback are each asked once", async () => {
  const asked: string[] = [];
  const { agent, model } = scripted([silent, "never"], {
    modelOptions: {
      execution: { ...quick, timeoutMs: 20, retryOn: ({ code }) => asked.push(code) < 0 },
      fallbackModel: scriptedModel([silent, "never"], { name: "other" }),
    },
  });
  await expect(agent.call("go")).rejects.toMatchObject({ code: "model/timeout" });
  expect(model.requests).toHaveLength(1);
  expect(asked).toEqual(["model/timeout", "model/timeout"]);
});
