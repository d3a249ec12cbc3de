// Faults of interrupts in other frameworks, each of which is not a fault here.
import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { defineTool } from "agentchart";
import { outputOf, resultsOf, scripted, toolOf, untilAborted } from "../../support/agents.ts";
import { historyProblem } from "../../support/history.ts";
import { show, traced } from "../../support/trace.ts";

const slow = toolOf("slow", (_, { signal }) => untilAborted(signal));
const RECOVERY = "A[I noticed that you have interrupted me. What can I do for you?]";

test.each([
  "while the model speaks of calls",
  "between reasoning and acting",
  "while tools run",
  "while suspended",
])("S34 an interrupt %s leaves no call without result in the snapshot", async (when) => {
  const { agent } = scripted(
    [
      async function* () {
        yield {
          type: "tool.delta",
          key: 0,
          id: "c1",
          name: when === "while suspended" ? "ext" : "slow",
          args: '{"a"',
        };
        if (when === "while the model speaks of calls") agent.interrupt("stop");
        yield { type: "tool.delta", key: 0, args: ":1}" };
        yield { type: "tool.delta", key: 1, id: "c2", name: "ext", args: "{}" };
      },
      "next",
    ],
    {
      tools: [slow, toolOf("ext")],
      hooks: [
        {
          name: "h",
          preActing: () => void (when === "between reasoning and acting" && agent.interrupt("stop")),
        },
      ],
    },
  );
  agent.subscribe((event) => {
    if (when === "while tools run" && event.type === "tool.start" && event.call.id === "c1")
      agent.interrupt("stop");
  });
  const reply = await agent.call("go");
  if (when === "while suspended") agent.interrupt("stop");
  else expect(reply.reason).toBe("INTERRUPTED");
  await expect.poll(() => agent.status().phase).toBe("stopped");
  const { agent: next, model } = scripted(["on"], { sessionOptions: { snapshot: agent.snapshot() } });
  await next.call("and now?");
  expect(model.requests.map(({ messages }) => historyProblem(messages))).toEqual([undefined]);
  expect(model.requests[0]?.messages.map(show)).toContain("U[stop]");
});

test("S42 finished calls leave no listener on their signal, and close() frees the agent", async () => {
  const { agent } = scripted(["1", { error: new Error("down") }, "3"], { tools: [slow] });
  const { signal } = new AbortController();
  await agent.call("a", { signal, timeoutMs: 60_000 });
  await agent.call("b", { signal, timeoutMs: 60_000 }).catch(() => {});
  for await (const event of agent.stream("c", { signal })) expect(event.n).toBeGreaterThan(0);
  expect(getEventListeners(signal, "abort")).toEqual([]);
  expect(Object.keys(agent.actor.getSnapshot().children)).toEqual([]);
  await agent.close();
  expect(agent.actor.getSnapshot().status).toBe("stopped");
});

test("py1 cancelling a call during a tool records the tool's end, then reports the cancellation", async () => {
  const { agent } = scripted([{ calls: [{ id: "c1", name: "slow" }] }, "next"], { tools: [slow] });
  const controller = new AbortController();
  agent.subscribe((event) => event.type === "tool.start" && controller.abort());
  await expect(agent.call("go", { signal: controller.signal })).rejects.toMatchObject({
    code: "run/aborted",
  });
  expect(resultsOf(await agent.messages())).toMatchObject([{ id: "c1", state: "interrupted" }]);
  expect((await agent.call("and?")).text).toBe("next");
});

test("py1 a tool whose signal aborted before it began does not run", async () => {
  let runs = 0;
  const tools = [toolOf("t", () => `run ${++runs}`)];
  const { agent } = scripted([{ calls: [{ name: "t" }] }], {
    tools,
    turnOptions: { interruptGraceMs: 600_000 },
  });
  agent.subscribe((event) => event.type === "tool.start" && agent.interrupt());
  expect((await agent.call("go")).reason).toBe("INTERRUPTED"); // and not after the grace period only
  expect(runs).toBe(0);
  expect(outputOf(resultsOf(await agent.messages())[0])).toContain("before it could run");
});

test("F2 an interrupt before the turn has begun to reason is not wiped", async () => {
  const { agent, model } = scripted([], { hooks: [{ name: "h", preCall: () => new Promise(() => {}) }] });
  const running = agent.call("go");
  expect(agent.interrupt("wait")).toBe(true);
  expect((await running).reason).toBe("INTERRUPTED");
  expect((await agent.messages()).map(show)).toEqual(["U[go]", "U[wait]", RECOVERY]);
  expect(model.requests).toEqual([]);
});

test("F3 the message of an interrupt is stored, and the model reads it in the next turn", async () => {
  const { agent, model } = traced([
    async function* () {
      yield { type: "text.delta", delta: "half" };
      agent.interrupt("rather do X");
    },
    "X it is",
  ]);
  await agent.call("go");
  await agent.call("well?");
  expect(model.requests[1]?.messages.map(show)).toEqual([
    "S[sys]",
    "U[go]",
    "A[half]",
    "U[rather do X]",
    RECOVERY,
    "U[well?]",
  ]);
});

test("F12 onInterrupt hooks receive the calls that an interrupt cut off", async () => {
  const heard: unknown[] = [];
  const { agent } = scripted([{ calls: [{ id: "c1", name: "slow" }] }], {
    tools: [slow],
    hooks: [
      {
        name: "h",
        postCall: () => void heard.push("postCall"),
        onInterrupt: ({ message, pending }) =>
          void heard.push([message && show(message), pending.map(({ callId }) => callId)]),
      },
    ],
  });
  agent.subscribe((event) => event.type === "tool.start" && agent.interrupt("stop"));
  await agent.call("go");
  expect(heard).toEqual([["U[stop]", ["c1"]]]);
});

test("F17 an interrupt answers the calls that had not started yet, in call order", async () => {
  const { agent } = scripted(
    [{ calls: ["c1", "c2", "c3"].map((id) => ({ id, name: id === "c1" ? "quick" : "slow" })) }],
    {
      tools: [
        slow,
        defineTool({ name: "quick", description: "", input: { type: "object" }, execute: () => "done" }),
      ],
    },
  );
  agent.subscribe(
    (event) =>
      event.type === "tool.start" && event.call.id === "c2" && queueMicrotask(() => agent.interrupt()),
  );
  await agent.call("go");
  const results = resultsOf(await agent.messages());
  expect(results.map(({ id, state }) => [id, state])).toEqual([
    ["c1", "success"],
    ["c2", "interrupted"],
    ["c3", "interrupted"],
  ]);
  expect(outputOf(results[2])).toContain("before it could run");
  expect(historyProblem(await agent.messages())).toBeUndefined();
});

test("F24 leaving a stream ends the model call and the tools of its turn", async () => {
  const aborted: string[] = [];
  const listening = (what: string, signal: AbortSignal): Promise<never> =>
    untilAborted(signal).catch((error: unknown) => {
      aborted.push(what);
      throw error;
    });
  const { agent } = scripted(
    [
      { calls: [{ name: "t" }] },
      async function* (_, signal) {
        yield { type: "text.delta", delta: "…" };
        await listening("model", signal);
      },
    ],
    {
      tools: [
        toolOf("t", (_, { signal, emit }) => {
          emit("…");
          return listening("tool", signal);
        }),
      ],
    },
  );
  for await (const event of agent.stream("go")) if (event.type === "tool.delta") break;
  await expect.poll(() => agent.status().phase).toBe("stopped");
  for await (const event of agent.stream("again")) if (event.type === "block.delta") break;
  await expect.poll(() => agent.status().phase).toBe("stopped");
  expect(aborted).toEqual(["tool", "model"]);
});

test("an interrupt while the summary streams keeps its beginning and stores the message of the interrupt", async () => {
  const { agent, model } = scripted(
    [
      { calls: [{ id: "c1", name: "quick" }] },
      async function* () {
        yield { type: "text.delta", delta: "in sum" };
        agent.interrupt("never mind");
        yield { type: "text.delta", delta: "mary" };
      },
      "on",
    ],
    { tools: [toolOf("quick", () => "done")], maxIters: 1 },
  );
  const reply = await agent.call("go");
  expect([reply.reason, show(reply)]).toEqual(["INTERRUPTED", RECOVERY]);
  const stored = ["U[go]", "A[c1]", "T(c1)", "A[in sum]", "U[never mind]", RECOVERY];
  expect((await agent.messages()).map(show)).toEqual(stored);
  expect((await agent.call("next")).text).toBe("on");
  expect(model.requests[2]?.messages.map(show)).toEqual([...stored, "U[next]"]);
  model.done();
});
