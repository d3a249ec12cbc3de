import { expect } from "vitest";
import { toolResultMsg, userMsg, type Agent, type AgentConfig } from "agentchart";
import type { ScriptedTurn } from "agentchart/testing";
import { toolOf } from "./agents.ts";
import { call } from "./trace.ts";

type Started = { readonly agent: Agent };
type Start = (turns: readonly ScriptedTurn[], config?: Partial<AgentConfig>) => Started;

const goto = [userMsg("R")];
/** The golden traces as programs, each with what it does to the agents that `start` makes. */
export const GOLDEN_RUNS: { readonly [name: string]: (start: Start) => Promise<void> } = {
  "A1 plain answer": async (start) => {
    const run = start(["hi"]);
    await run.agent.call("U1");
  },
  "A2 two tools, one after the other": async (start) => {
    const run = start([{ calls: [call("c1"), call("c2")] }, "done"]);
    await run.agent.call("U1");
  },
  "A2 two tools at once": async (start) => {
    const run = start([{ calls: [call("c1"), call("c2")] }, "done"], { parallelToolCalls: true });
    await run.agent.call("U1");
  },
  "A3 an external tool next to a normal one, then its result": async (start) => {
    const run = start([{ calls: [call("c1"), call("c2", "ext")] }, "done"]);
    await run.agent.call("U1");
    await run.agent.call(toolResultMsg([{ callId: "c2", name: "ext", text: "r" }]));
  },
  "A3 an external tool, then text that is refused": async (start) => {
    const run = start([{ calls: [call("c1"), call("c2", "ext")] }]);
    await run.agent.call("U1");
    await expect(run.agent.call("never mind")).rejects.toMatchObject({ code: "run/pending" });
  },
  "A4 stop after reasoning, then go on": async (start) => {
    const stop = {
      name: "stop",
      postReasoning: ({ iteration }: { iteration: number }) => ({ stop: iteration === 0 }),
    };
    const run = start([{ calls: [call("c1")] }, "done"], { hooks: [stop] });
    await run.agent.call("U1");
    await run.agent.call();
  },
  "A5 goto without a tool call": async (start) => {
    const hook = {
      name: "g",
      postReasoning: ({ iteration }: { iteration: number }) => (iteration === 0 ? { goto } : undefined),
    };
    const run = start(["one", "two"], { hooks: [hook] });
    await run.agent.call("U1");
  },
  "A6 an interrupt while text streams": async (start) => {
    const run: Started = start([
      async function* () {
        yield { type: "text.delta", delta: "chunk1" };
        run.agent.interrupt();
        yield { type: "text.delta", delta: "chunk2" };
      },
    ]);
    await run.agent.call("U1");
  },
  "A7 an interrupt while a tool runs": async (start) => {
    const run: Started = start([{ calls: [call("c1")] }], {
      tools: [
        toolOf("ok", () => {
          run.agent.interrupt();
          return "done";
        }),
      ],
    });
    await run.agent.call("U1");
  },
  "A8 the limit of iterations, then the summary": async (start) => {
    const run = start([{ calls: [call("c1")] }, "sum"], { maxIters: 1 });
    await run.agent.call("U1");
  },
  "A9 a model that fails, then answers": async (start) => {
    const run = start([{ error: new Error("down") }, "ok"]);
    await expect(run.agent.call("U1")).rejects.toThrow("down");
    await run.agent.call("U2");
  },
  "A10 structured output after a reminder": async (start) => {
    const answer = { calls: [{ id: "g", name: "generate_response", input: { response: { n: 1 } } }] };
    const run = start(["t", answer]);
    await run.agent.call("U1", { output: { type: "object", required: ["n"] } });
  },
  "A11 a tool that throws": async (start) => {
    const run = start([{ calls: [call("c1", "boom")] }, "sorry"]);
    await run.agent.call("U1");
  },
  "A12 what is observed while suspended": async (start) => {
    const run = start([{ calls: [call("c1", "ext")] }, "done"]);
    await run.agent.call("U1");
    await run.agent.observe(userMsg("B"));
    await run.agent.call(toolResultMsg([{ callId: "c1", name: "ext", text: "r" }]));
  },
};
