// Streams that their reader leaves, at each event.
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { createAgent, textOf, type SessionStore } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { expect, test } from "vitest";
import { HeldModel } from "../../e2e/support/held-model.ts";
import { toolOf } from "../../support/agents.ts";

/** A store whose appends take their time. */
function slowStore(): SessionStore {
  const store = memoryStore();
  return {
    ...store,
    append: async (...given) => {
      await sleep(20);
      return store.append(...given);
    },
  };
}

test("leaving a stream at `turn.end` leaves the turn as it ended, also while it is still being stored", async () => {
  const agent = createAgent({
    name: "bot",
    sessionId: "s",
    store: slowStore(),
    model: scriptedModel([{ calls: [{ name: "pay", input: {} }] }, "Paid."]),
    tools: [toolOf("pay", () => "paid", { permission: "ask" })],
  });
  for await (const { type } of agent.stream("go")) if (type === "turn.end") break;
  expect(agent.status()).toMatchObject({ phase: "suspended", reason: "APPROVAL_REQUIRED" });
  await agent.decide(agent.status().pending[0]!.callId, "approve");
  expect((await agent.call()).text).toBe("Paid.");
  await agent.close();
});

test("leaving a stream before `turn.end` interrupts the turn", async () => {
  const held = new HeldModel();
  const agent = createAgent({ name: "bot", store: slowStore(), model: held.model });
  void held.requested(1).then(() => held.send({ type: "text.delta", delta: "I think" }));
  for await (const { type } of agent.stream("go")) if (type === "block.delta") break;
  await expect.poll(() => agent.status().phase).toBe("stopped");
  expect(agent.status().reason).toBe("INTERRUPTED");
  await agent.close();
});

test('with onLeave: "continue" the turn comes to its end after its reader has left, and the reply is still to be had', async () => {
  const held = new HeldModel();
  const agent = createAgent({ name: "bot", store: slowStore(), model: held.model });
  void held.requested(1).then(() => held.send({ type: "text.delta", delta: "I think" }));
  const stream = agent.stream("go", { onLeave: "continue" });
  for await (const { type } of stream) if (type === "block.delta") break;
  expect(agent.status().phase).toBe("running");
  held.send({ type: "text.delta", delta: " so." }, { type: "finish", reason: "stop" });
  expect(await stream.reply).toMatchObject({ reason: "MODEL_STOP", text: "I think so." });
  await agent.close();
});

test("leaving a stream that has joined a turn by its key leaves the turn to those who began it", async () => {
  const held = new HeldModel();
  const agent = createAgent({ name: "bot", model: held.model });
  const first = agent.call("go", { idempotencyKey: "k" });
  await held.requested(1);
  const reading = agent.stream("go", { idempotencyKey: "k" })[Symbol.asyncIterator]();
  let hasJoined = false;
  const heard = reading.next().finally(() => (hasJoined = true));
  while (!hasJoined) {
    held.send({ type: "text.delta", delta: "and " }); // with a store it joins once that was read
    await setImmediate();
  }
  await heard;
  await reading.return!();
  held.send({ type: "text.delta", delta: "so." }, { type: "finish", reason: "stop" });
  const { reason, text } = await first;
  expect([reason, text]).toEqual(["MODEL_STOP", expect.stringMatching(/^(and )+so\.$/u)]);
  await agent.close();
});

test("the state comes before what else its step has brought", async () => {
  const agent = createAgent({
    name: "bot",
    model: scriptedModel([{ calls: [{ id: "c1", name: "look", input: {} }] }, "Seen."]),
    tools: [toolOf("look", () => "it")],
  });
  let state = "";
  const seen: string[] = [];
  for await (const event of agent.stream("go")) {
    if (event.type === "state") state = event.value.split(".")[0]!;
    if (event.type === "tool.start") seen.push(`tool in ${state}`);
    if (event.type === "message" && textOf(event.message) !== "")
      seen.push(`${textOf(event.message)} in ${state}`);
  }
  expect(seen).toEqual([expect.stringMatching(/^go in /), "tool in acting", "Seen. in stopped"]);
});

test("leaving a stream whose turn waits for its place leaves the turn before it, and its own does not begin", async () => {
  const held = new HeldModel();
  const agent = createAgent({ name: "bot", model: held.model });
  const first = agent.call("one");
  await held.requested(1);
  const stream = agent.stream("two", { whenBusy: "queue" });
  const reader = stream[Symbol.asyncIterator]();
  const pending = reader.next();
  await reader.return!();
  expect(await pending).toEqual({ done: true, value: undefined });
  held.send({ type: "text.delta", delta: "One." }, { type: "finish", reason: "stop" });
  expect(await first).toMatchObject({ reason: "MODEL_STOP", text: "One." });
  await expect(stream.reply).rejects.toMatchObject({ code: "run/aborted" });
  expect(await agent.messages()).toHaveLength(2);
  expect(held.requests).toHaveLength(1);
});

test("a reader that has left a stream before it read begins no turn when it is asked again", async () => {
  const agent = createAgent({ name: "bot", model: scriptedModel(["never"]) });
  const reader = agent.stream("go")[Symbol.asyncIterator]();
  await reader.return!();
  expect(await reader.next()).toEqual({ done: true, value: undefined });
  expect(agent.status().phase).toBe("stopped");
  expect(await agent.messages()).toEqual([]);
});
