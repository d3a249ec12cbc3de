// Text that comes while calls are open.
import { describe, expect, test } from "vitest";
import { createAgent, defineTool, textOf, type TurnOptions, type AgentEvent } from "agentchart";
import { openSession } from "agentchart/session";
import { scriptedModel } from "agentchart/testing";
import { bench, echoModel, ofType, type Bench } from "./kit.ts";

const input = { type: "object" } as const;
const pay = defineTool({
  name: "pay",
  description: "pays",
  input,
  permission: "ask",
  execute: () => "paid",
});
const ext = defineTool({ name: "ext", description: "asks others", input });

type Policy = TurnOptions["onTextWhilePending"];

async function suspendedBy(tool: "pay" | "ext", onTextWhilePending: Policy, reportTo?: string) {
  const on = await bench({
    agents: {
      echo: () => ({
        name: "echo",
        model: echoModel,
        tools: [pay, ext],
        ...(onTextWhilePending && { turnOptions: { onTextWhilePending } }),
      }),
    },
  });
  const { dispatcher } = on;
  if (reportTo !== undefined) await dispatcher.dispatch(reportTo, "hello", { agent: "echo" });
  await dispatcher.dispatch("s", `call ${tool}`, {
    agent: "echo",
    ...(reportTo !== undefined && { reportTo }),
  });
  await expect.poll(async () => (await dispatcher.status("s")).phase).toBe("suspended");
  return on;
}

const saidTo = async ({ store }: Bench): Promise<string[]> =>
  (await (await openSession(store, "s")).at()).messages.filter(({ role }) => role === "user").map(textOf);

async function answerAll({ dispatcher }: Bench): Promise<void> {
  for (const { callId, waitsFor, argsHash } of (await dispatcher.status("s")).pending)
    await (waitsFor === "approval"
      ? dispatcher.decide("s", callId, "approve", { argsHash })
      : dispatcher.answer("s", callId, "done"));
}

async function restsWithout({ dispatcher }: Bench): Promise<void> {
  await expect
    .poll(async () => {
      const { phase, inputs } = await dispatcher.status("s");
      return [phase, inputs];
    })
    .toEqual(["stopped", 0]);
}

describe("a message that a worker accepts while calls are open", () => {
  test.each<["pay" | "ext", Policy]>([
    ["pay", undefined],
    ["pay", "queue"],
    ["pay", "cancelPending"],
    ["ext", undefined],
  ])("waits in the inbox while %s is open (%s), and is answered after it", async (tool, policy) => {
    const on = await suspendedBy(tool, policy);
    const { dispatcher } = on;
    await dispatcher.dispatch("s", "more", { agent: "echo" });
    await dispatcher.wake("s");
    expect(await dispatcher.status("s")).toMatchObject({ phase: "suspended", inputs: 1 });
    await answerAll(on);
    await restsWithout(on);
    expect(await saidTo(on)).toEqual([`call ${tool}`, "more"]);
    expect(ofType(on, "input.refused")).toEqual([]);
  });

  test("is queued behind the result of an external tool, and answered with it", async () => {
    const on = await suspendedBy("ext", "queue");
    await on.dispatcher.dispatch("s", "more", { agent: "echo" });
    await expect.poll(async () => (await on.dispatcher.status("s")).inputs).toBe(0);
    await answerAll(on);
    await restsWithout(on);
    expect(await saidTo(on)).toEqual(["call ext", "more"]);
  });

  test("cancels the call of an external tool", async () => {
    const on = await suspendedBy("ext", "cancelPending");
    await on.dispatcher.dispatch("s", "more", { agent: "echo" });
    await restsWithout(on);
    expect(await saidTo(on)).toEqual(["call ext", "more"]);
  });

  test.each([
    ["pay", "run/undecided"],
    ["ext", "run/pending"],
  ] as const)(
    "is refused for everybody to see while %s is open, if the agent wants that",
    async (tool, code) => {
      const on = await suspendedBy(tool, "refuse");
      const { dispatcher } = on;
      const heard: AgentEvent[] = [];
      const { inputId } = await dispatcher.dispatch("s", "more", { agent: "echo" });
      for await (const event of dispatcher.subscribe("s")) {
        heard.push(event);
        if (event.type === "input.refused") break;
      }
      expect(heard.at(-1)).toMatchObject({ inputId, error: { code } });
      expect(heard.filter(({ type }) => type === "turn.end")).toHaveLength(1);
      expect(ofType(on, "input.refused")).toMatchObject([{ inputId, error: { code } }]);
      expect(await dispatcher.status("s")).toMatchObject({ phase: "suspended", inputs: 0 });
      await answerAll(on);
      await restsWithout(on);
      expect(await saidTo(on)).toEqual([`call ${tool}`]);
    },
  );
});

test("the report of a turn that a message has cancelled tells nothing of the turn after it", async () => {
  const on = await suspendedBy("ext", "cancelPending", "boss");
  const { dispatcher, store } = on;
  await dispatcher.dispatch("s", "more", { agent: "echo" });
  await restsWithout(on);
  const reported = async (): Promise<string[]> =>
    (await (await openSession(store, "boss")).at()).messages
      .filter(({ metadata }) => metadata["task"] !== undefined)
      .map(textOf);
  await expect.poll(reported).toHaveLength(1);
  expect((await reported())[0]).not.toContain("more");
});

test("every input for a session inside of a call is refused before it is accepted", async () => {
  const { dispatcher, store } = await bench();
  const meta = { agent: "echo", parent: { sessionId: "s", callId: "c1" } };
  const inner = createAgent({ name: "echo", model: scriptedModel(["hi"]), store, sessionId: "s/c1", meta });
  await inner.call("hello");
  await inner.close();
  const words = [
    dispatcher.dispatch("s/c1", "more", { agent: "echo" }),
    dispatcher.dispatch("s/c1", "later", { agent: "echo", delayMs: 60_000 }),
    dispatcher.interrupt("s/c1"),
    dispatcher.cancel("s/c1"),
    dispatcher.steer("s/c1", "left"),
    dispatcher.decide("s/c1", "call", "approve"),
    dispatcher.answer("s/c1", "call", "yes"),
    dispatcher.extendBudget("s/c1", { modelCalls: 1 }),
    dispatcher.setSlot("s/c1", "plan", null),
    dispatcher.compact("s/c1"),
  ];
  for (const word of words) await expect(word).rejects.toMatchObject({ code: "session/inner" });
  expect(await store.takeInputs("s/c1", 10)).toEqual([]);
});
