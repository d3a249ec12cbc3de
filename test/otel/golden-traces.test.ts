// The spans of the golden traces.
import { beforeAll, describe, expect, test } from "vitest";
import { otelObserver } from "agentchart/otel";
import { GOLDEN_RUNS } from "../support/golden-runs.ts";
import { recordedSpans, treeOf, useContexts } from "../support/spans.ts";
import { call, traced } from "../support/trace.ts";

beforeAll(useContexts);

async function played(name: string) {
  const { tracer, spans } = recordedSpans();
  await GOLDEN_RUNS[name]!((turns, config) => traced(turns, { otel: otelObserver({ tracer }), ...config }));
  return spans();
}

describe("span trees of the golden traces", () => {
  test.each(Object.keys(GOLDEN_RUNS))("%s", async (name) => {
    const spans = await played(name);
    expect(treeOf(spans)).toMatchSnapshot();
    expect(spans.every(({ ended }) => ended)).toBe(true);
  });

  test("the span of a turn holds every transition of the chart, in its order", async () => {
    const spans = await played("A2 two tools at once");
    const turn = spans.find(({ name }) => name.startsWith("invoke_agent"))!;
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
