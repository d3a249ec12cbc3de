// The way of XState: getPersistedSnapshot() → JSON → createActor(machine, { snapshot }) keeps the whole session.
import { createActor, fromPromise, type AnyActorRef, type Snapshot } from "xstate";
import { assistantMsg, createAgent, defineSlot, userMsg } from "agentchart";
import { agentMachine } from "agentchart/machines";
import { scriptedModel } from "agentchart/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { toolOf } from "../../support/agents.ts";
import { message, text, toolUse } from "../../../src/testing/explorer/messages.ts";
import { contextOf } from "./at.ts";

type Input = { readonly [name: string]: unknown };

/** The machine with services that record what they were asked and, except for the model, never end. */
function machineWith(asked: Input[], answer?: object | Error) {
  const service = (name: string) =>
    fromPromise<never, object>(({ input }) => {
      asked.push({ service: name, ...input });
      return new Promise(() => {});
    });
  const model = fromPromise<object, object>(async ({ input }) => {
    asked.push({ service: "callModel", ...input });
    if (answer instanceof Error) throw answer;
    return answer ?? (await new Promise<never>(() => {}));
  });
  return agentMachine.provide({
    actors: {
      callModel: model as never,
      runTool: service("runTool") as never,
      reviewCalls: service("reviewCalls") as never,
      runHooks: service("runHooks") as never,
      commit: service("commit") as never,
    },
  });
}

const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
const persist = (actor: { getPersistedSnapshot(): Snapshot<unknown> }): Snapshot<unknown> =>
  throughJson(actor.getPersistedSnapshot());
const call = (words: string, at = 1_000) =>
  ({ type: "call", input: [userMsg(words)], at, hasOutput: false }) as const;
const answered = (words: string) => ({
  at: 2_000,
  message: message("m", "assistant", [text(words)]),
  finishReason: "stop",
  delivered: true,
});
const idle = (machine: ReturnType<typeof machineWith>, given: { readonly snapshot: Snapshot<unknown> }) =>
  createActor(machine, { snapshot: given.snapshot as never, input: undefined });
const errorOf = (snapshot: unknown): unknown => {
  const { status, error } = createActor(agentMachine, {
    snapshot: snapshot as never,
    input: undefined,
  }).getSnapshot();
  return status === "error" ? error : status;
};
const textsOf = (ref: AnyActorRef): readonly string[] =>
  (ref.getSnapshot() as { readonly context: ReturnType<typeof contextOf> }).context.transcript
    .slice()
    .flatMap(({ content }) => content.map((block) => (block.type === "text" ? block.text : block.type)));

describe("a persisted snapshot of the agent's machine", () => {
  test("at rest keeps the messages, and the session goes on with them", async () => {
    const asked: Input[] = [];
    const first = createActor(machineWith(asked, answered("It is noon.")), { input: contextOf() }).start();
    first.send(call("How late is it?"));
    await expect.poll(() => first.getSnapshot().value).toEqual({ stopped: "idle" });
    const snapshot = persist(first);
    expect(JSON.stringify(snapshot)).toContain("It is noon.");

    const second = idle(machineWith(asked, answered("One o'clock.")), { snapshot }).start();
    expect(second.getSnapshot().value).toEqual({ stopped: "idle" });
    expect(textsOf(second)).toEqual(["u1", "How late is it?", "It is noon."]);
    second.send(call("And now?", 3_000));
    await expect.poll(() => second.getSnapshot().value).toEqual({ stopped: "idle" });
    expect(textsOf(second)).toEqual([
      ...["u1", "How late is it?", "It is noon.", "And now?", "One o'clock."],
    ]);
  });

  test("after a model that failed with an error of its own says so, not that a slot is missing", async () => {
    const actor = createActor(machineWith([], new TypeError("boom")), { input: contextOf() }).start();
    actor.send(call("How late is it?"));
    await expect.poll(() => actor.getSnapshot().value).toEqual({ stopped: "idle" });
    expect(actor.getSnapshot().context.outcome).toMatchObject({
      reason: "ERROR",
      error: { code: "model/failed", message: "boom" },
    });
  });

  test("in the middle of a turn starts the service again, with the input that it had", async () => {
    const asked: Input[] = [];
    const first = createActor(machineWith(asked), { input: contextOf() }).start();
    first.send(call("How late is it?"));
    expect(first.getSnapshot().value).toEqual({ reasoning: { calling: "running" } });
    const snapshot = persist(first);
    first.stop();

    const second = idle(machineWith(asked, answered("It is noon.")), { snapshot }).start();
    await expect.poll(() => second.getSnapshot().value).toEqual({ stopped: "idle" });
    const [before, after] = asked as [Input, Input];
    const { transcript: old, ...rest } = before;
    const { transcript, ...same } = after;
    expect(same).toEqual(throughJson(rest));
    expect((transcript as { slice(): unknown }).slice()).toEqual((old as { slice(): unknown }).slice());
    expect(textsOf(second)).toEqual(["u1", "How late is it?", "It is noon."]);
  });

  test("keeps calls that run, open approvals, what was remembered, slots, limits and what is queued", () => {
    const uses = [toolUse("c1"), toolUse("c2")];
    const input = contextOf({
      remembered: [{ tool: "pay" }],
      slots: { plan: { value: { steps: ["one"] }, version: 1, revision: 3 } } as never,
      inbox: { input: [], steering: [], queued: [userMsg("later")] },
      calls: uses.map((use) => ({
        ...{ call: use, status: "pending", hooked: true, stored: false, attempt: 0, since: 0 },
        asks: "It costs money.",
      })) as never,
      settings: { budget: { cost: 2 } },
    });
    const { transcript: _, ...context } = input;
    const state = agentMachine.resolveState({ value: { suspended: "waiting" }, context: input });
    const snapshot = throughJson(agentMachine.getPersistedSnapshot(state));
    const restored = createActor(agentMachine, { snapshot, input: undefined }).start().getSnapshot();
    const { transcript, ...kept } = restored.context;
    expect(restored.value).toEqual({ suspended: "waiting" });
    expect(kept).toEqual(throughJson(context));
    expect(transcript.slice()).toEqual(input.transcript.slice());
  });

  test("of the actor of an agent can be restored in the exported machine", async () => {
    const seen = defineSlot({ name: "seen", schema: z.number(), initial: 0 });
    const agent = createAgent({
      name: "clerk",
      model: scriptedModel([{ calls: [{ id: "c1", name: "pay" }] }]),
      tools: [toolOf("pay", () => "paid")],
      permissions: { rules: [{ tool: "pay", action: "ask" }] },
      sessionOptions: { slots: [seen] },
    });
    await agent.call("Pay the bill.");
    const snapshot = persist(agent.actor);
    const actor = createActor(agentMachine, { snapshot: snapshot as never, input: undefined }).start();
    expect(actor.getSnapshot().value).toEqual({ suspended: "waiting" });
    expect(actor.getSnapshot().can({ type: "tool.decide", callId: "c1", decision: "approve", at: 1 })).toBe(
      true,
    );
    expect(actor.getSnapshot().can({ type: "tool.decide", callId: "c9", decision: "approve", at: 1 })).toBe(
      false,
    );
    const messages = actor.getSnapshot().context.transcript.slice();
    expect(messages).toEqual(throughJson(await agent.messages()));
    await agent.close();
  });
});

describe("a persisted snapshot is refused with a typed error", () => {
  const state = agentMachine.resolveState({
    value: { stopped: "idle" },
    context: contextOf({ progress: { turn: 2 } }),
  });
  const persisted = throughJson(agentMachine.getPersistedSnapshot(state)) as unknown as {
    readonly [name: string]: never;
  };
  const context = persisted["context"] as unknown as Input;
  const foreign = createActor(fromPromise(async () => 1)).getPersistedSnapshot();
  const cases: readonly (readonly [string, unknown, string])[] = [
    ["of another machine", { ...persisted, chart: "session" }, "session/damaged"],
    ["of a machine of somebody else", foreign, "session/damaged"],
    ["of another version", { ...persisted, version: "0" }, "session/version"],
    ["without its context", { ...persisted, context: undefined }, "session/damaged"],
    ["with a counter changed", edited("progress", { turn: 3 }), "session/damaged"],
    ["with another message", edited("transcript", { messages: [assistantMsg("Yes.")] }), "session/damaged"],
    ["with its messages cut", edited("transcript", { messages: [] }), "session/damaged"],
    ["in another state", { ...persisted, value: { suspended: "waiting" } }, "session/damaged"],
    ["in an unknown state", { ...persisted, value: "gone" }, "session/damaged"],
    ["with a service that it had not", { ...persisted, children: { x: { src: "y" } } }, "session/damaged"],
    ["without its digest", { ...persisted, digest: undefined }, "session/damaged"],
    ["that is a list", [], "session/damaged"],
    ["that is text", "{}", "session/damaged"],
    ["that is empty", {}, "session/damaged"],
  ];

  function edited(name: string, change: object): object {
    return { ...persisted, context: { ...context, [name]: { ...(context[name] as object), ...change } } };
  }

  test.each(cases)("%s", (_, snapshot, code) => {
    expect(errorOf(snapshot)).toMatchObject({ name: "AgentError", code });
  });

  test("but for the order of its keys, which a database may change", () => {
    const turned = Object.fromEntries(Object.entries(persisted).toReversed());
    expect(errorOf(turned)).toBe("active");
  });
});
