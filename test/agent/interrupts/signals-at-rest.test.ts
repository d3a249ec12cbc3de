// Abort signals beside a turn that is at rest, or comes to rest.
import { expect, test } from "vitest";
import type { SessionStore } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scripted, toolOf } from "../../support/agents.ts";

/** A store that holds its writes back once `hold` was called, until `release` is. */
function heldStore(): { store: SessionStore; hold(): void; release(): void } {
  const store = memoryStore();
  const gate = Promise.withResolvers<void>();
  let held: Promise<void> = Promise.resolve();
  const append: SessionStore["append"] = async (...given) => {
    await held;
    return store.append(...given);
  };
  return {
    store: Object.assign(Object.create(store) as SessionStore, { append }),
    hold: () => void (held = gate.promise),
    release: gate.resolve,
  };
}

const tools = [toolOf("ext")];
const asks = { calls: [{ id: "c1", name: "ext" }] };

test("a signal that aborts while a suspended turn is being saved leaves the turn suspended", async () => {
  const { store, hold, release } = heldStore();
  const { agent } = scripted([asks, "end"], { tools, sessionOptions: { durability: "turn" }, store });
  const controller = new AbortController();
  agent.subscribe((event) => {
    if (event.type === "turn.start") hold();
    if (event.type !== "turn.end") return;
    queueMicrotask(() => {
      controller.abort();
      release();
    });
  });
  const reply = await agent.call("go", { signal: controller.signal });
  expect(reply.reason).toBe("TOOL_SUSPENDED");
  expect(agent.status()).toMatchObject({ phase: "suspended", pending: [{ callId: "c1" }] });
  await agent.close();
});

test("a signal that aborts after its own turn does not affect the next turn", async () => {
  const { store, hold, release } = heldStore();
  const { agent } = scripted(["one", "two"], { sessionOptions: { durability: "turn" }, store });
  const controller = new AbortController();
  let next: ReturnType<typeof agent.call> | undefined;
  const stop = agent.subscribe((event) => {
    if (event.type === "turn.start") hold();
    if (event.type === "turn.end" && !next) queueMicrotask(() => (next = agent.call("b")));
    if (event.type === "model.start" && next) {
      stop();
      controller.abort();
      release();
    }
  });
  const first = await agent.call("a", { signal: controller.signal });
  expect([first.text, (await next)?.text]).toEqual(["one", "two"]);
  await agent.close();
});

test("a signal that a listener aborts when the turn is suspended has no effect", async () => {
  const { agent } = scripted([asks, "end"], { tools });
  const controller = new AbortController();
  agent.subscribe((event) => event.type === "pending" && controller.abort());
  expect((await agent.call("go", { signal: controller.signal })).reason).toBe("TOOL_SUSPENDED");
  expect(agent.status().phase).toBe("suspended");
});

test("a signal that a listener aborts at turn.start interrupts the turn", async () => {
  const { agent, model } = scripted(["one", "two"]);
  const controller = new AbortController();
  agent.subscribe((event) => event.type === "turn.start" && controller.abort());
  const turn = agent.call("go", { signal: controller.signal });
  await expect(turn).rejects.toMatchObject({ code: "run/aborted" });
  expect(model.requests).toEqual([]);
  expect((await agent.call("again")).text).toBe("one");
});

test("a signal that aborts in the tick in which a listener begins the next turn interrupts that turn", async () => {
  const { agent, model } = scripted(["one", "two"]);
  const controller = new AbortController();
  let next: ReturnType<typeof agent.call> | undefined;
  agent.subscribe(
    () => {
      next ??= agent.call("b", { signal: controller.signal });
      next.catch(() => {}); // looked at below
      controller.abort();
    },
    { types: ["turn.end"] },
  );
  await agent.call("a");
  await expect(next).rejects.toMatchObject({ code: "run/aborted" });
  expect(model.requests.length).toBe(1);
});
