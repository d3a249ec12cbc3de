// Tools that are generators: progress, abort and results.
import { expect, test } from "vitest";
import { defineTool, type AgentEvent, type Tool } from "agentchart";
import { outputOf, resultsOf, scripted, toolOf } from "../../support/agents.ts";

const one = { calls: [{ id: "c1", name: "t" }] };

test("an aborted generator tool is not resumed, and its finally block runs", async () => {
  const entered = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let steps = 0;
  const tool = defineTool({
    name: "t",
    description: "",
    input: { type: "object" },
    async *execute() {
      entered.resolve();
      try {
        while (steps < 20) {
          steps++;
          yield "step";
          await gate.promise;
        }
        return "all";
      } finally {
        ended.resolve();
      }
    },
  });
  const { agent } = scripted([one], { tools: [tool as Tool], turnOptions: { interruptGraceMs: 0 } });
  const running = agent.call("go");
  await entered.promise;
  agent.interrupt();
  expect((await running).reason).toBe("INTERRUPTED");
  gate.resolve();
  await ended.promise;
  expect(steps).toBeLessThanOrEqual(2);
});

test("progress that is neither text nor a block is emitted as JSON, and the call succeeds", async () => {
  const deltas: string[] = [];
  const round: { self?: object } = {};
  round.self = round;
  const tool = defineTool({
    name: "t",
    description: "",
    input: { type: "object" },
    async *execute() {
      yield* [5, undefined, { a: 1 }, 10n, round] as never[];
      return "done";
    },
  });
  const { agent } = scripted([one, "end"], { tools: [tool as Tool] });
  agent.subscribe((event: AgentEvent) => void (event.type === "tool.delta" && deltas.push(event.delta)));
  await agent.call("go");
  expect(outputOf(resultsOf(await agent.messages())[0])).toBe("done");
  expect(deltas).toEqual(["5", "undefined", '{"a":1}', "10", "[object Object]"]);
});

test.each([
  [
    "that is not async",
    function* () {
      yield "half";
      return "done";
    },
  ],
  [
    "that an async function returns",
    async () =>
      (async function* () {
        yield "half";
        return "done";
      })(),
  ],
])("a generator %s yields progress and returns the result", async (_, execute) => {
  const deltas: string[] = [];
  const { agent } = scripted([one, "end"], { tools: [toolOf("t", execute as never)] });
  agent.subscribe((event: AgentEvent) => void (event.type === "tool.delta" && deltas.push(event.delta)));
  await agent.call("go");
  expect(outputOf(resultsOf(await agent.messages())[0])).toBe("done");
  expect(deltas).toEqual(["half"]);
});
