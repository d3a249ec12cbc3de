// Each slot of the package says whether clients may write it.
import { globSync, readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { createAgent, defineSlot, type AgentConfig, type Json, type Slot } from "agentchart";
import { longTermMemory, memoryMemory } from "agentchart/memory";
import { planHistorySlot, planSlot, todoSlot } from "agentchart/plan";
import { loadedSlot, skillWarningsSlot } from "agentchart/skills";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { backgroundTasksSlot, createDispatcher, createWorker } from "agentchart/worker";
import { BREAKPOINTS } from "../../src/core/tool/stored-slots.ts";
import { filesSlot } from "../../src/kit/workspace/seen-files.ts";
import type { SessionToolkit } from "../../src/core/tool/toolkit.ts";
import { collectAll } from "../../src/testing/store-contract-kit.ts";
import { stage } from "../support/hub-stage.ts";
import { createSession, openServer, type TestServer } from "../server/open-server.ts";

/** The slots of the package: a value that each takes, and whether clients may write it. */
const LIBRARY: { readonly [name: string]: { readonly value: Json; readonly byClients: boolean } } = {
  plan: { value: null, byClients: true },
  "plan.history": { value: [], byClients: false },
  todos: { value: [], byClients: false },
  "memory.recorded": { value: 0, byClients: false },
  "memory.scope": { value: "globex/bob", byClients: false },
  "skills.loaded": { value: [], byClients: false },
  "skills.warnings": { value: [], byClients: false },
  background_tasks: { value: [], byClients: false },
  files: { value: {}, byClients: false },
  "tools.loaded": { value: ["pay"], byClients: false },
  "tools.client": { value: [], byClients: false },
  [BREAKPOINTS]: { value: [], byClients: true },
};

/** The definition itself, and the slot of a session that has no turns and no clients. */
const NO_AGENT: ReadonlySet<string> = new Set(["src/core/tool/slot.ts", "src/inspect/labels/labels.ts"]);

/** The names of the slots that the source code defines. */
function definedInCode(): string[] {
  return globSync("src/**/*.ts")
    .filter((file) => !NO_AGENT.has(file))
    .flatMap((file) => {
      const text = readFileSync(file, "utf8").replaceAll(/^\s*\*.*$/gmu, "");
      const calls = text.match(/(?<!function )\bdefineSlot(?:<[^(]*>)?\(/gu) ?? [];
      const names = [...text.matchAll(/\bdefineSlot(?:<[^(]*>)?\(\{\s*name: "([^"]+)"/gu)].map(
        ([, name]) => name!,
      );
      expect(names.length, `${file}: the name of a slot stands first in its definition`).toBe(calls.length);
      return names;
    });
}

const own = defineSlot<string>({ name: "own", initial: "" });
const shared = defineSlot<string>({ name: "shared", initial: "", writableByClients: true });

const config = (): AgentConfig => ({
  name: "desk",
  model: scriptedModel(["Hello.", "Hello."]),
  sessionOptions: {
    slots: [
      planSlot,
      planHistorySlot,
      todoSlot,
      loadedSlot,
      skillWarningsSlot,
      backgroundTasksSlot,
      filesSlot,
      own,
      shared,
    ] as readonly Slot[],
  },
  hooks: [longTermMemory({ store: memoryMemory(), scope: () => "acme/eve", mode: "static" })],
});

const ALL = [
  ...Object.entries(LIBRARY).map(([name, entry]) => ({ name, ...entry })),
  { name: "own", value: "x", byClients: false },
  { name: "shared", value: "x", byClients: true },
];

type Written = {
  readonly slots: { readonly [name: string]: { readonly value: Json; readonly revision: number } };
};

async function serving() {
  const server = openServer();
  const { queue, store } = server;
  const worker = createWorker({ queue, store, agents: { desk: config }, sweepMs: 100, pollMs: 20 });
  onTestFinished(() => worker.close({ deadlineMs: 100 }));
  await worker.start();
  const id = await createSession(server);
  const phase = async () =>
    ((await (await server.request("GET", `/v1/sessions/${id}`)).json()) as { readonly phase: string }).phase;
  await expect.poll(phase).toBe("stopped");
  await expect.poll(() => revisionIn(server, id, "memory.recorded")).toBe(1); // the session was opened after the turn
  return { server, id };
}

const revisionIn = async (server: TestServer, id: string, name: string) => {
  const { slots } = (await (await server.request("GET", `/v1/sessions/${id}/slots`)).json()) as Written;
  return slots[name]?.revision ?? 0;
};
const refusedIn = async ({ store }: TestServer, id: string) =>
  (await collectAll(store.read(`acme/${id}`))).flatMap(({ type, data }) =>
    type === "input.refused" ? [(data["error"] as { readonly code: string }).code] : [],
  );

/** How the server answers a write of a slot: as the worker does. */
const statusOf = (slot: string): number => {
  if (ALL.some(({ name, byClients }) => name === slot && byClients)) return 202;
  return slot === "tools.client" ? 400 : 403; // no agent has it
};

/** How a client of a worker tries to write a slot. Resolves when it was sent. */
const WRITER = "HTTP, a token that only writes";
const CLIENTS: {
  readonly [client: string]: (server: TestServer, id: string, name: string, value: Json) => Promise<void>;
} = {
  HTTP: async (server, id, slot, value) => {
    const { status } = await server.request("PUT", `/v1/sessions/${id}/slots/${slot}`, { body: { value } });
    expect([202, statusOf(slot)], slot).toContain(status); // 202 if the worker is slow
  },
  [WRITER]: async (server, id, slot, value) => {
    const path = `/v1/sessions/${id}/slots/${slot}`;
    const { status } = await server.request("PUT", path, { as: "writer", body: { value } });
    if (slot === BREAKPOINTS) return expect(status).toBe(403); // it does not decide
    expect([202, statusOf(slot)], slot).toContain(status); // 202 if the worker is slow
  },
  "the dispatcher": async ({ queue, store }, id, slot, value) => {
    await createDispatcher({ queue, store }).setSlot(`acme/${id}`, slot, value);
  },
};

test("every slot of the package has an entry that says whether clients may write it", async () => {
  expect([...definedInCode(), "tools.client"].toSorted()).toEqual(Object.keys(LIBRARY).toSorted());
  const toolkit = createAgent(config()).toolkit as unknown as SessionToolkit;
  for (const name of definedInCode()) expect((await toolkit.writableSlot(name))?.name).toBe(name);
});

describe.for(Object.entries(CLIENTS))("%s", ([client, write]) => {
  test("writes the slots that are declared for clients, and no other one", async () => {
    const { server, id } = await serving();
    let refused = 0;
    for (const { name, value, byClients } of ALL) {
      const before = await revisionIn(server, id, name);
      await write(server, id, name, value);
      if (client === WRITER && name === BREAKPOINTS) expect(await revisionIn(server, id, name)).toBe(before);
      else if (byClients) await expect.poll(() => revisionIn(server, id, name)).toBe(before + 1);
      else {
        await expect.poll(async () => (await refusedIn(server, id)).length).toBe(++refused);
        expect(await revisionIn(server, id, name), name).toBe(before);
      }
    }
    const codes = new Set(await refusedIn(server, id));
    codes.delete("config/invalid"); // "tools.client" is not a slot that an agent has
    expect([...codes]).toEqual(["slot/read-only"]);
  });
});

test("a page of AG-UI writes no slot with the state that it sends", async () => {
  const { server, id } = await serving();
  const before = await (await server.request("GET", `/v1/sessions/${id}/slots`)).json();
  const state = Object.fromEntries(ALL.map(({ name, value }) => [name, value]));
  const body = {
    threadId: id,
    runId: "r1",
    state: { ...state, slots: state },
    messages: [],
    tools: [],
    context: [],
    forwardedProps: { slots: state },
  };
  await (await server.request("POST", `/v1/sessions/${id}/agui`, { body })).text();
  expect(await (await server.request("GET", `/v1/sessions/${id}/slots`)).json()).toEqual(before);
});

test("the inspector writes the slots that are declared for clients, and no other one", async () => {
  const on = await stage([], { ...config(), store: memoryStore() });
  await on.agent.call("Hello");
  await expect.poll(() => on.page.rows.get(on.agent.sessionId)?.can).toContain("setSlot");
  expect((on.page.rows.get(on.agent.sessionId) as { readonly slots?: unknown }).slots).toEqual([
    "plan",
    "shared",
  ]);
  for (const { name, value, byClients } of ALL) {
    const toolkit = on.agent.toolkit as unknown as SessionToolkit;
    const slot = toolkit.slotNamed(name);
    const revision = slot ? (await on.agent.slots.get(slot)).revision : 0;
    const ack = await on.page.command(on.agent.sessionId, { type: "setSlot", name, value, revision });
    const code = slot ? "slot/read-only" : "invalid";
    expect(ack, name).toMatchObject(byClients ? { ok: true } : { ok: false, error: { code } });
    if (slot) expect((await on.agent.slots.get(slot)).revision, name).toBe(revision + (byClients ? 1 : 0));
  }
});

test("the process that runs the agent writes any slot of it", async () => {
  const agent = createAgent(config());
  await agent.slots.set(own, "mine");
  expect(await agent.slots.get(own)).toEqual({ value: "mine", revision: 1 });
});
