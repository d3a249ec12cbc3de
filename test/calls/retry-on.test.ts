import { AgentError } from "agentchart";
import { expect, test } from "vitest";
import type { Execution } from "../../src/model/port.ts";
import { outputOf, resultsOf, scripted, toolOf } from "../support/agents.ts";

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

test("retryOn of a tool is asked about the error that the tool threw", async () => {
  const cause = new Error("boom");
  const asked: AgentError[] = [];
  const { agent, attempts } = failing(cause, { retryOn: (error) => asked.push(error) > 0 });
  await agent.call("go");
  expect(attempts()).toBe(2);
  expect(asked[0]).toMatchObject({ code: "tool/failed", message: "boom", cause });
});

test("retryOn of a tool is asked about an error result with its text", async () => {
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

test("a tool's retryOn that throws says no: the call fails as it did", async () => {
  const { agent, attempts } = failing(new Error("boom"), { retryOn: throws });
  const reply = await agent.call("go");
  expect(reply.reason).toBe("MODEL_STOP");
  expect(attempts()).toBe(1);
  expect(outputOf(resultsOf(await agent.messages())[0])).toContain("boom");
});

test("a model's retryOn that throws says no: the attempt fails as it did", async () => {
  const down = new AgentError("model/unavailable", "Down.", { isRetryable: true });
  const { agent, model } = scripted([{ error: down }, "never"], {
    modelExecution: { ...quick, retryOn: throws },
  });
  await expect(agent.call("go")).rejects.toMatchObject({ code: "model/unavailable" });
  expect(model.requests).toHaveLength(1);
});
