// Programs report their actors to the hub with `@statelyai/inspect`, as they do to Stately's own page.
import { createInspector, createWebSocketInspector } from "@statelyai/inspect";
import { createActor, createMachine, type InspectionEvent } from "xstate";
import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { ActorSystems } from "../../../src/inspect/client/actor-systems.ts";
import type { ObservedActor } from "../../../src/inspect/client/observed-actor.ts";
import { StatelyActors } from "../../../src/inspect/hub/stately-actors.ts";
import type { RunRow } from "../../../src/inspect/protocol/protocol.ts";
import { ask, testHome, testHub } from "../../support/hub-page.ts";
import { DOCUMENTED, runDocumented } from "../../support/machines/documented.ts";
import { keptSteps } from "../client/kept-steps.ts";

function observe() {
  const actors: ObservedActor[] = [];
  const systems = new ActorSystems({
    added: (actor) => actors.push(actor),
    changed: () => {},
    dropped: () => {},
    keep: undefined,
    redact: undefined,
  });
  return { actors, inspect: (event: InspectionEvent) => systems.observe(event) };
}

const stepsOf = ({ history }: ObservedActor) =>
  keptSteps(history).map(({ e, s, x, a }) => ({
    event: e,
    states: history.states[s]!,
    edges: x,
    isUntold: a?.u === 1,
  }));

describe("What the messages of @statelyai/inspect tell is what XState's own events tell", () => {
  test.each(Object.keys(DOCUMENTED))("of the machine %s and of its actors", async (name) => {
    const own = observe();
    const told = observe();
    const messages = new StatelyActors();
    let waiting = 0;
    const inspector = createInspector({
      send: (message) => {
        for (const event of messages.take(JSON.parse(JSON.stringify(message)))) told.inspect(event);
      },
    });
    await runDocumented(DOCUMENTED[name]!, (event) => {
      own.inspect(event);
      waiting++;
      inspector.inspect.next!(event);
    });
    await new Promise((resolve) => setTimeout(resolve, 0)); // it looks at each event by a timer of its own, in their order
    expect(waiting).toBeGreaterThan(0);
    expect(told.actors.length).toBe(own.actors.length);
    for (const [place, actor] of own.actors.entries()) {
      if (actor.kind !== "machine") continue;
      const expected = stepsOf(actor);
      const found = stepsOf(told.actors[place]!);
      // an actor that fails in the middle of an event has no snapshot, which is all that the messages have
      expect(expected.length - found.length).toBeLessThanOrEqual(1);
      expect(expected.slice(1, found.length).filter(({ isUntold }) => isUntold)).toEqual([]);
      for (const [at, { event, states, edges, isUntold }] of found.entries()) {
        expect(isUntold, `${name} ${place} ${at}`).toBe(edges.length === 0);
        expect([event, states], `${name} ${place} ${at}`).toEqual([
          expected[at]!.event,
          expected[at]!.states,
        ]);
        if (edges.length > 0) expect(expected[at]!.edges, `${name} ${place} ${at}`).toContain(edges[0]);
      }
    }
  });
});

test("a program with createWebSocketInspector is shown with its machine, its steps and their senders, and it is lost when it leaves", async () => {
  const hub = await testHub({ home: testHome() });
  const inspector = createWebSocketInspector({ url: hub.statelyUrl });
  const light = createMachine({
    id: "light",
    initial: "green",
    context: { apiKey: "sk-123456", count: 1 },
    states: { green: { on: { next: "red" } }, red: { on: { next: "green" } } },
  });
  const actor = createActor(light, { inspect: inspector.inspect }).start();
  actor.send({ type: "next", by: "Ann" } as never);
  const rows = async (): Promise<readonly RunRow[]> =>
    ((await (await ask(hub, "/api/runs")).json()) as { readonly rows: readonly RunRow[] }).rows;
  await expect.poll(async () => (await rows())[0]?.steps).toBe(2);
  const [row] = await rows();
  expect(row).toMatchObject({
    agent: "light",
    state: "red",
    phase: "running",
    actor: { kind: "machine", status: "active" },
    can: [],
    worker: { isUp: true },
  });
  const steps = await (await ask(hub, `/api/runs/${row!.runId}/steps?from=1&to=2`)).text();
  expect(steps).toContain("light.green|next|0");
  expect(steps).not.toContain("sk-123456");
  inspector.stop();
  await expect.poll(async () => (await rows())[0]?.worker?.isUp).toBe(false);
});

test("a connection without the token, and one that sends what is not a message, are closed", async () => {
  const hub = await testHub({ home: testHome() });
  const closed = async (url: string, text?: string): Promise<number> => {
    const socket = new WebSocket(url, { origin: "http://localhost:5173" });
    onTestFinished(() => socket.terminate());
    const { promise, resolve } = Promise.withResolvers<number>();
    socket.on("close", resolve);
    socket.on("open", () => text !== undefined && socket.send(text));
    return promise;
  };
  expect(await closed(hub.statelyUrl.replace(/t=.*/, "t=wrong"))).toBe(4401);
  expect(await closed(hub.statelyUrl, "{")).toBe(4400);
  expect(await closed(hub.statelyUrl, "[".repeat(500) + "]".repeat(500))).toBe(4400);
});

test("messages that name what nothing has are taken as they are, and harm nothing", () => {
  const { actors, inspect } = observe();
  const messages = new StatelyActors();
  const take = (message: object): void => {
    for (const event of messages.take(message)) inspect(event);
  };
  take({ type: "@xstate.actor", sessionId: "a", definition: '{"states":{"x":{"on":{"go":"nowhere"}}}}' });
  take({ type: "@xstate.actor", sessionId: "b", parentId: "nobody", definition: "{" });
  for (const sessionId of ["a", "b", "c"])
    take({
      type: "@xstate.snapshot",
      sessionId,
      event: { type: "go" },
      snapshot: { value: { constructor: { __proto__: "x" } }, status: "odd", children: { one: null } },
    });
  take({ type: "@xstate.snapshot", sessionId: "d", event: "go", snapshot: {} });
  take({ type: "another", sessionId: "e" });
  expect(actors.map((actor) => [actor.kind, actor.history.last])).toEqual([
    ["actor", 1],
    ["actor", 1],
    ["actor", 1],
  ]);
});
