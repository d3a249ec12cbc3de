// A call that goes on has its attempts again, each with its answers.
import { expect, test } from "vitest";
import { suspend } from "agentchart";
import { resultsOf, scripted, toolOf } from "../../support/agents.ts";

test("a call that goes on has all its attempts again, each with the answers", async () => {
  const runs: string[] = [];
  const flaky = toolOf(
    "flaky",
    (_, { attempt, resumed }) => {
      runs.push(`${attempt} ${JSON.stringify(resumed?.answers ?? null)}`);
      if (attempt % 2 === 1) throw new Error("try again");
      const ask = { id: "a", kind: "question", message: "?" } as const;
      return resumed ? "done" : suspend("it asks", { then: "resume", asks: [ask] });
    },
    { execution: { maxAttempts: 2, initialBackoffMs: 1 } },
  );
  const { agent } = scripted([{ calls: [{ id: "c", name: "flaky" }] }, "end"], { tools: [flaky] });
  await agent.call("go");
  await agent.decide("c/a", { respond: 1 });
  await agent.call();
  expect(runs).toEqual(["1 null", "2 null", '3 {"a":{"respond":1}}', '4 {"a":{"respond":1}}']);
  expect(resultsOf(await agent.messages())).toMatchObject([{ state: "success" }]);
});
