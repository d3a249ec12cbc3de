// The golden traces of AgentScope: the same input gives the same events.
import { describe, expect, test } from "vitest";
import { textOf, toolResultMsg, userMsg } from "agentchart";
import { toolOf } from "../../support/agents.ts";
import { call, show, traced } from "../../support/trace.ts";

const memory = async (agent: { messages(): Promise<Parameters<typeof show>[0][]> }) =>
  (await agent.messages()).map(show);

describe("golden traces of AgentScope", () => {
  test("A1 plain answer", async () => {
    const { agent, model, trace } = traced(["hi"]);
    const reply = await agent.call("U1");
    model.done();
    expect(reply.reason).toBe("MODEL_STOP");
    expect(trace).toEqual([
      "h:preCall",
      "M+U[U1]",
      "h:preReasoning",
      "model(S[sys] U[U1]|4)",
      "h:postReasoning",
      "M+A[hi]",
      "h:postCall",
      "-> MODEL_STOP",
    ]);
  });

  test.each([false, true])("A2 two tools, then the answer (parallel: %s)", async (parallelToolCalls) => {
    const { agent, model, trace } = traced([{ calls: [call("c1"), call("c2")] }, "done"], {
      parallelToolCalls,
    });
    await agent.call("U1");
    model.done();
    expect(trace).toEqual([
      "h:preCall",
      "M+U[U1]",
      "h:preReasoning",
      "model(S[sys] U[U1]|4)",
      "h:postReasoning",
      "M+A[c1,c2]",
      "h:preActing(c1)",
      "h:preActing(c2)",
      "run c1",
      "run c2",
      "h:postActing(c1)",
      "M+T(c1)",
      "h:postActing(c2)",
      "M+T(c2)",
      "h:preReasoning",
      "model(S[sys] U[U1] A[c1,c2] T(c1) T(c2)|4)",
      "h:postReasoning",
      "M+A[done]",
      "h:postCall",
      "-> MODEL_STOP",
    ]);
  });

  test("A3 an external tool next to a normal one, and the three ways to go on", async () => {
    const start = async () => {
      const run = traced([{ calls: [call("c1"), call("c2", "ext")] }, "done"]);
      const reply = await run.agent.call("U1");
      expect(reply.reason).toBe("TOOL_SUSPENDED");
      expect(reply.content.map(({ type }) => type)).toEqual(["tool_use", "tool_result"]);
      expect(await memory(run.agent)).toEqual(["U[U1]", "A[c1,c2]", "T(c1)"]);
      run.trace.length = 0;
      return run;
    };
    const supplied = await start();
    await supplied.agent.call(toolResultMsg([{ callId: "c2", name: "ext", text: "r" }]));
    expect(supplied.trace.slice(0, 3)).toEqual(["h:preCall", "M+T(c2)", "h:preReasoning"]);
    expect(await memory(supplied.agent)).toEqual(["U[U1]", "A[c1,c2]", "T(c1)", "T(c2)", "A[done]"]);

    const rerun = await start();
    expect((await rerun.agent.call()).reason).toBe("TOOL_SUSPENDED");
    expect(rerun.trace).toEqual(["h:preCall", "h:preActing(c2)", "h:postCall", "-> TOOL_SUSPENDED"]);

    const refused = await start();
    await expect(refused.agent.call("never mind")).rejects.toMatchObject({ code: "run/pending" });
    expect(refused.trace).toEqual(["h:preCall", "h:onError", "-> TOOL_SUSPENDED"]);
    expect(await memory(refused.agent)).toEqual(["U[U1]", "A[c1,c2]", "T(c1)"]);
  });

  test("A4 stop after reasoning; the call is approved or denied by its caller", async () => {
    const hooks = [
      { name: "stop", postReasoning: ({ iteration }: { iteration: number }) => ({ stop: iteration === 0 }) },
    ];
    const approved = traced([{ calls: [call("c1")] }, "done"], { hooks });
    expect((await approved.agent.call("U1")).reason).toBe("REASONING_STOP_REQUESTED");
    approved.trace.length = 0;
    await approved.agent.call();
    expect(approved.trace.slice(0, 5)).toEqual([
      "h:preCall",
      "h:preActing(c1)",
      "run c1",
      "h:postActing(c1)",
      "M+T(c1)",
    ]);

    const denied = traced([{ calls: [call("c1")] }, "done"], { hooks });
    await denied.agent.call("U1");
    await denied.agent.call([
      toolResultMsg([{ callId: "c1", name: "ok", text: "denied" }]),
      userMsg("do X instead"),
    ]);
    expect(await memory(denied.agent)).toEqual(["U[U1]", "A[c1]", "T(c1)", "U[do X instead]", "A[done]"]);
  });

  test("A5 goto without a tool call", async () => {
    const goto = [userMsg("R")];
    const hooks = [
      {
        name: "g",
        postReasoning: ({ iteration }: { iteration: number }) => (iteration === 0 ? { goto } : undefined),
      },
    ];
    const { agent, model, trace } = traced(["one", "two"], { hooks });
    await agent.call("U1");
    model.done();
    expect(trace.slice(5, 9)).toEqual([
      "M+A[one]",
      "M+U[R]",
      "h:preReasoning",
      "model(S[sys] U[U1] A[one] U[R]|4)",
    ]);
  });

  test("A8 the limit of iterations, then the summary without tools", async () => {
    const { agent, model, trace } = traced([{ calls: [call("c1")] }, "sum"], { maxIters: 1 });
    const reply = await agent.call("U1");
    model.done();
    expect(trace.slice(9)).toEqual([
      "M+T(c1)",
      "h:preSummary",
      expect.stringMatching(
        /^model\(S\[sys\] U\[U1\] A\[c1\] T\(c1\) U\[You have failed to generate response.*\|0\)$/,
      ),
      "h:postSummary",
      "M+A[sum]",
      "h:postCall",
      "-> MAX_ITERATIONS",
    ]);
    expect((await agent.messages()).at(-1)?.reason).toBe("MAX_ITERATIONS");
    expect(reply.reason).toBe("MAX_ITERATIONS");
  });

  test("A9 a model that fails: the input stays, the next call sends it too", async () => {
    const { agent, model, trace } = traced([{ error: new Error("down") }, "ok"]);
    await expect(agent.call("U1")).rejects.toMatchObject({ code: "model/failed", message: "down" });
    expect(trace.slice(3)).toEqual(["model(S[sys] U[U1]|4)", "h:onError", "-> ERROR"]);
    expect(await memory(agent)).toEqual(["U[U1]"]);
    await agent.call("U2");
    expect(trace).toContain("model(S[sys] U[U1] U[U2]|4)");
    model.done();
  });

  test("A11 a tool that throws is a result the model reads", async () => {
    const { agent, model, trace } = traced([{ calls: [call("c1", "boom")] }, "sorry"]);
    await agent.call("U1");
    model.done();
    const tool = (await agent.messages())[2]!;
    expect(tool.content[0]).toMatchObject({
      state: "error",
      output: [{ text: "Error: Tool execution failed: boom" }],
    });
    expect(trace).not.toContain("h:onError");
    expect(trace).toContain("h:postActing(c1)");
  });

  test("A12 what is observed while suspended waits behind the results", async () => {
    const { agent, model } = traced([{ calls: [call("c1", "ext")] }, "done"]);
    await agent.call("U1");
    await agent.observe(userMsg("B"));
    expect(await memory(agent)).toEqual(["U[U1]", "A[c1]"]);
    await agent.call(toolResultMsg([{ callId: "c1", name: "ext", text: "r" }]));
    model.done();
    expect(await memory(agent)).toEqual(["U[U1]", "A[c1]", "T(c1)", "U[B]", "A[done]"]);
    expect(model.requests[1]?.messages.map(show)).toEqual(["S[sys]", "U[U1]", "A[c1]", "T(c1)", "U[B]"]);
  });

  test("A6 an interrupt while text streams: the partial text is kept and no post hook runs", async () => {
    const { agent, trace } = traced([
      async function* () {
        yield { type: "text.delta", delta: "chunk1" };
        agent.interrupt();
        yield { type: "text.delta", delta: "chunk2" };
      },
    ]);
    const reply = await agent.call("U1");
    expect(textOf(reply)).toBe("I noticed that you have interrupted me. What can I do for you?");
    expect(trace.slice(3)).toEqual([
      "model(S[sys] U[U1]|4)",
      "M+A[chunk1]",
      "M+A[I noticed that you have interrupted me. What can I do for you?]",
      "h:onInterrupt",
      "-> INTERRUPTED",
    ]);
  });

  test("A7 an interrupt while a tool runs: its result is stored, then the recovery text", async () => {
    const run = traced([{ calls: [call("c1")] }], {
      tools: [
        toolOf("ok", (_, { callId }) => {
          run.trace.push(`run ${callId}`);
          run.agent.interrupt();
          return "done";
        }),
      ],
    });
    const reply = await run.agent.call("U1");
    run.model.done();
    expect(reply.reason).toBe("INTERRUPTED");
    expect(run.trace.slice(5)).toEqual([
      "M+A[c1]",
      "h:preActing(c1)",
      "run c1",
      "h:postActing(c1)",
      "M+T(c1)",
      "M+A[I noticed that you have interrupted me. What can I do for you?]",
      "h:onInterrupt",
      "-> INTERRUPTED",
    ]);
  });

  test("A7 an interrupt between reasoning and acting: no call is left without a result (S34)", async () => {
    const run = traced([{ calls: [call("c1")] }], {
      hooks: [{ name: "h", postReasoning: () => void run.agent.interrupt() }],
    });
    await run.agent.call("U1");
    run.model.done();
    expect(run.trace.slice(4)).toEqual([
      "h:postReasoning",
      "M+A[c1]",
      "M+T(c1)",
      "M+A[I noticed that you have interrupted me. What can I do for you?]",
      "h:onInterrupt",
      "-> INTERRUPTED",
    ]);
  });

  test("A10 structured output: the model talks, is reminded, complies", async () => {
    const { agent, model, trace } = traced([
      "t",
      { calls: [{ id: "g", name: "generate_response", input: { response: { n: 1 } } }] },
    ]);
    const reply = await agent.call("U1", { output: { type: "object", required: ["n"] } });
    model.done();
    expect([reply.reason, reply.output]).toEqual(["STRUCTURED_OUTPUT", { n: 1 }]);
    expect(trace).toEqual([
      "h:preCall",
      "M+U[U1]",
      "h:preReasoning",
      "model(S[sys] U[U1]|5)",
      "h:postReasoning",
      "M+A[t]",
      "h:preReasoning",
      "model(S[sys] U[U1] A[t] U[Please call the 'generate_response' function to provide your response.]|5)",
      "h:postReasoning",
      "M+A[g]",
      "h:preActing(g)",
      "h:postActing(g)",
      'M+A[{"n":1}]',
      "h:postCall",
      "-> STRUCTURED_OUTPUT",
    ]);
    expect(await memory(agent)).toEqual(["U[U1]", "A[t]", 'A[{"n":1}]']);
    expect(agent.toolkit.names()).not.toContain("generate_response");
  });
});
