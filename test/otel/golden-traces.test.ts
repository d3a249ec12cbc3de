import { beforeAll, describe, expect, test } from "vitest";
import { toolResultMsg, userMsg, type AgentConfig } from "agentchart";
import { otelObserver } from "agentchart/otel";
import type { ScriptedTurn } from "agentchart/testing";
import { toolOf } from "../support/agents.ts";
import { recordedSpans, treeOf, useContexts } from "../support/spans.ts";
import { call, traced } from "../support/trace.ts";

beforeAll(useContexts);

function observed(turns: readonly ScriptedTurn[], config: Partial<AgentConfig> = {}) {
  const { tracer, spans } = recordedSpans();
  return { ...traced(turns, { otel: otelObserver({ tracer }), ...config }), spans };
}

type Observed = ReturnType<typeof observed>;

const goto = [userMsg("R")];
const TRACES: { readonly [name: string]: () => Promise<Observed> } = {
  "A1 plain answer": async () => {
    const run = observed(["hi"]);
    await run.agent.call("U1");
    return run;
  },
  "A2 two tools, one after the other": async () => {
    const run = observed([{ calls: [call("c1"), call("c2")] }, "done"]);
    await run.agent.call("U1");
    return run;
  },
  "A2 two tools at once": async () => {
    const run = observed([{ calls: [call("c1"), call("c2")] }, "done"], { parallelToolCalls: true });
    await run.agent.call("U1");
    return run;
  },
  "A3 an external tool next to a normal one, then its result": async () => {
    const run = observed([{ calls: [call("c1"), call("c2", "ext")] }, "done"]);
    await run.agent.call("U1");
    await run.agent.call(toolResultMsg([{ callId: "c2", name: "ext", text: "r" }]));
    return run;
  },
  "A3 an external tool, then text that is refused": async () => {
    const run = observed([{ calls: [call("c1"), call("c2", "ext")] }]);
    await run.agent.call("U1");
    await expect(run.agent.call("never mind")).rejects.toMatchObject({ code: "run/pending" });
    return run;
  },
  "A4 stop after reasoning, then go on": async () => {
    const stop = {
      name: "stop",
      postReasoning: ({ iteration }: { iteration: number }) => ({ stop: iteration === 0 }),
    };
    const run = observed([{ calls: [call("c1")] }, "done"], { hooks: [stop] });
    await run.agent.call("U1");
    await run.agent.call();
    return run;
  },
  "A5 goto without a tool call": async () => {
    const hook = {
      name: "g",
      postReasoning: ({ iteration }: { iteration: number }) => (iteration === 0 ? { goto } : undefined),
    };
    const run = observed(["one", "two"], { hooks: [hook] });
    await run.agent.call("U1");
    return run;
  },
  "A6 an interrupt while text streams": async () => {
    const run: Observed = observed([
      async function* () {
        yield { type: "text.delta", delta: "chunk1" };
        run.agent.interrupt();
        yield { type: "text.delta", delta: "chunk2" };
      },
    ]);
    await run.agent.call("U1");
    return run;
  },
  "A7 an interrupt while a tool runs": async () => {
    const run: Observed = observed([{ calls: [call("c1")] }], {
      tools: [
        toolOf("ok", () => {
          run.agent.interrupt();
          return "done";
        }),
      ],
    });
    await run.agent.call("U1");
    return run;
  },
  "A8 the limit of iterations, then the summary": async () => {
    const run = observed([{ calls: [call("c1")] }, "sum"], { maxIters: 1 });
    await run.agent.call("U1");
    return run;
  },
  "A9 a model that fails, then answers": async () => {
    const run = observed([{ error: new Error("down") }, "ok"]);
    await expect(run.agent.call("U1")).rejects.toThrow("down");
    await run.agent.call("U2");
    return run;
  },
  "A10 structured output after a reminder": async () => {
    const answer = { calls: [{ id: "g", name: "generate_response", input: { response: { n: 1 } } }] };
    const run = observed(["t", answer]);
    await run.agent.call("U1", { output: { type: "object", required: ["n"] } });
    return run;
  },
  "A11 a tool that throws": async () => {
    const run = observed([{ calls: [call("c1", "boom")] }, "sorry"]);
    await run.agent.call("U1");
    return run;
  },
  "A12 what is observed while suspended": async () => {
    const run = observed([{ calls: [call("c1", "ext")] }, "done"]);
    await run.agent.call("U1");
    await run.agent.observe(userMsg("B"));
    await run.agent.call(toolResultMsg([{ callId: "c1", name: "ext", text: "r" }]));
    return run;
  },
};

describe("span trees of the golden traces", () => {
  test.each(Object.entries(TRACES))("%s", async (_, play) => {
    const { spans } = await play();
    expect(treeOf(spans())).toMatchSnapshot();
    expect(spans().every(({ ended }) => ended)).toBe(true);
  });

  test("the span of a turn holds every transition of the chart, in its order", async () => {
    const { spans } = await TRACES["A2 two tools at once"]!();
    const turn = spans().find(({ name }) => name.startsWith("invoke_agent"))!;
    const shown = turn.events.map(({ attributes = {} }) => {
      const [from, to, on] = ["from", "to", "event"].map((part) =>
        String(attributes[`agentchart.transition.${part}`]),
      );
      return `${from} -> ${to} on ${on}`;
    });
    expect(shown).toMatchSnapshot();
  });

  test('with states: "spans" the top-level states are spans between the turn and its calls', async () => {
    const { tracer, spans } = recordedSpans();
    const otel = otelObserver({ tracer, states: "spans" });
    const { agent } = traced([{ calls: [call("c1")] }, "done"], { otel, hooks: [] });
    await agent.call("U1");
    expect(treeOf(spans())).toMatchSnapshot();
    expect(spans().flatMap(({ events, name }) => (name.startsWith("invoke") ? events : []))).toEqual([]);
  });

  test('with states: "off" and model: false there are only turns and tools, without events', async () => {
    const { tracer, spans } = recordedSpans();
    const otel = otelObserver({ tracer, states: "off", model: false });
    const { agent } = traced([{ calls: [call("c1")] }, "done"], { otel });
    await agent.call("U1");
    expect(treeOf(spans())).toEqual(["invoke_agent bot MODEL_STOP", "  execute_tool ok success"]);
    expect(spans().flatMap(({ events }) => events)).toEqual([]);
  });
});
