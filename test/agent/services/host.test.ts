// Hosts of services: agents of one actor system have their own.
import { createActor, createMachine, transition, waitFor } from "xstate";
import { expect, test } from "vitest";
import { textOf, userMsg } from "agentchart";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { freshContext } from "../../../machines/agent/context.ts";
import type { AgentCommand } from "../../../machines/agent/events.ts";
import { createAgent } from "../../../src/agent/create-agent.ts";
import { bindHost, hostOf, liveMachine } from "../../../src/agent/services/actors.ts";
import { Runtime } from "../../../src/agent/runtime.ts";
import { EventEmitter } from "../../../src/core/event/emitter.ts";
import { Transcript } from "../../../src/core/message/transcript.ts";
import { toolOf } from "../../support/agents.ts";

/** The settings and the host of an agent with a model and a tool of its own, which are bound to another actor below. */
function partsOf(name: string, ran: string[]) {
  const turns: ScriptedTurn[] = [{ calls: [{ id: "c", name: "work" }] }, `${name} answers`];
  const tools = [toolOf("work", () => `${name} has worked ${ran.push(name)}`)];
  const config = { name, model: scriptedModel(turns), tools };
  const listener = { onCall() {}, onSettled() {}, onCommitted() {}, onStopped() {}, around: {} };
  const events = new EventEmitter({ position: { seq: 0, at: 0, turn: 0 } });
  const runtime = new Runtime(config as never, listener, { events });
  const host = Object.defineProperty(hostOf(runtime.actor), "stepTaken", { value: () => {} });
  return { settings: runtime.settings, host };
}

test("two agent machines in one actor system each use their own model and tools", async () => {
  const ran: string[] = [];
  const root = createActor(createMachine({})).start();
  const agents = ["anna", "ben"].map((name) => {
    const { settings, host } = partsOf(name, ran);
    const input = { ...freshContext(settings, Transcript.of([])), listening: [] };
    const agent = createActor(liveMachine, { input, parent: root });
    bindHost(agent, host);
    return agent;
  });
  expect(new Set(agents.map(({ system }) => system))).toEqual(new Set([root.system]));

  const command: AgentCommand = { type: "call", at: 0, input: [userMsg("go")], hasOutput: false };
  for (const agent of agents) {
    agent.start();
    agent.send(command);
  }
  const ended = await Promise.all(
    agents.map((agent) => waitFor(agent, ({ context }) => context.outcome !== null)),
  );

  expect(ended.map(({ context }) => textOf(context.transcript.at(-1)!))).toEqual([
    "anna answers",
    "ben answers",
  ]);
  expect(ran.toSorted()).toEqual(["anna", "ben"]);
});

test("a pure transition leaves a snapshot with services that have ended since as it is", async () => {
  // of the sources themselves: those of the modes begin a call later
  const agent = createAgent({ name: "bot", model: scriptedModel(["never said"]) });
  const { actor } = agent;
  const called = agent.call("go");
  const snapshot = actor.getSnapshot();
  const services = Object.keys(snapshot.children);
  expect(services).not.toEqual([]);
  agent.interrupt();
  await called;
  const error = { code: "model/failed", message: "It failed.", at: 0 };
  transition(liveMachine, snapshot as never, { type: `xstate.error.actor.${services[0]}`, error } as never);
  expect(Object.keys(snapshot.children)).toEqual(services);
});
