// Agents as actors of a machine that is restored at each event of its run.
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { assign, createActor, setup, toPromise, type AnyActorRef, type Snapshot } from "xstate";
import type { SessionStore } from "agentchart";
import { fileStore } from "agentchart/store/file";
import { memoryStore } from "agentchart/store/memory";
import { agentLogic, codeModel } from "agentchart/team";
import { toolOf } from "../../support/agents.ts";

const LEASE_MS = 2_000;

/** Two agents at once, one of which needs an approval; then a third one, which hears of both. */
function deskMachine(effects: string[], store: SessionStore | undefined) {
  const stored = store && { store, sessionOptions: { leaseMs: LEASE_MS } };
  const calling = (name: string) =>
    codeModel(({ results: [first] }) =>
      first ? { reply: `${name}: ${first[0]!.state}` } : { calls: [{ name, input: { of: name } }] },
    );
  const look = toolOf("look", () => (effects.push("look"), "seen"), { idempotent: true });
  const pay = toolOf("pay", () => (effects.push("pay"), "paid"), { permission: "ask" });
  const closing = codeModel(({ input }) => ({ reply: `closed ${JSON.stringify(input[0]?.content)}` }));
  return setup({
    types: { context: {} as { found: string; paid: string; end: string }, output: {} as string },
    actors: {
      finder: agentLogic({ name: "finder", model: calling("look"), tools: [look], ...stored }),
      payer: agentLogic({ name: "payer", model: calling("pay"), tools: [pay], ...stored }),
      closer: agentLogic({ name: "closer", model: closing, ...stored }),
    },
  }).createMachine({
    context: { found: "", paid: "", end: "" },
    initial: "working",
    output: ({ context }) => context.end,
    states: {
      working: {
        type: "parallel",
        onDone: "closing",
        states: {
          finding: {
            initial: "busy",
            states: {
              busy: {
                invoke: {
                  id: "finder",
                  src: "finder",
                  input: { message: "find" },
                  onDone: { target: "ready", actions: assign({ found: ({ event }) => event.output.text }) },
                },
              },
              ready: { type: "final" },
            },
          },
          paying: {
            initial: "busy",
            states: {
              busy: {
                invoke: {
                  id: "payer",
                  src: "payer",
                  input: { message: "pay" },
                  onSnapshot: {}, // the parent has a snapshot for each of the agent
                  onDone: { target: "ready", actions: assign({ paid: ({ event }) => event.output.text }) },
                },
              },
              ready: { type: "final" },
            },
          },
        },
      },
      closing: {
        invoke: {
          id: "closer",
          src: "closer",
          input: ({ context }) => ({ message: `${context.found}, ${context.paid}` }),
          onDone: { target: "done", actions: assign({ end: ({ event }) => event.output.text }) },
        },
      },
      done: { type: "final" },
    },
  });
}

/** Runs a desk to its end, and decides what its agents wait for. `at` is called at each event of its agents, at each event that an
 *  actor gets and after each step of the desk, with a function that persists it. */
async function run(
  effects: string[],
  store: SessionStore | undefined,
  snapshot?: Snapshot<unknown>,
  at: (name: string, persist: () => string, stop: () => void) => void = () => {},
): Promise<string> {
  const machine = deskMachine(effects, store);
  let isStarted = false;
  const seen = (name: string): void => {
    if (isStarted && actor.getSnapshot().status === "active")
      at(
        name,
        () => JSON.stringify(actor.getPersistedSnapshot()),
        () => actor.stop(),
      );
  };
  const follow = (ref: AnyActorRef): void => {
    if (!["finder", "payer", "closer"].includes(ref.id) || ref._parent?._parent) return;
    ref.on("agent.event", ({ event }: { event: { type: string } }) => seen(`${ref.id} ${event.type}`));
    ref.subscribe({
      next: ({ phase, pending }: { phase: string; pending: { callId: string; waitsFor: string }[] }) => {
        seen(`${ref.id} is ${phase}`);
        for (const { callId, waitsFor } of phase === "suspended" ? pending : [])
          ref.send({
            type: "decide",
            callId,
            decision:
              waitsFor === "approval" ? "approve" : effects.includes("pay") ? { answer: "paid" } : "retry",
          });
      },
      error: () => {},
    });
  };
  const actor = createActor(machine, {
    ...(snapshot && { snapshot }),
    inspect: (event) => {
      if (event.type === "@xstate.actor") follow(event.actorRef as AnyActorRef);
      if (event.type === "@xstate.event") seen(`event ${event.event.type}`);
    },
  });
  actor.subscribe(() => seen("step"));
  actor.start();
  isStarted = true;
  return toPromise(actor);
}

const END = 'closed [{"type":"text","text":"look: success, pay: success"}]';

/** Copies a folder while a store writes in it: a file that the store has replaced meanwhile begins the copy anew. */
function copyWhileWritten(from: string, to: string): void {
  for (;;) {
    try {
      return cpSync(from, to, { recursive: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      rmSync(to, { recursive: true, force: true });
    }
  }
}

/** What must hold of a run that was cut off, and of what followed. */
function expectOnce(name: string, end: string, effects: readonly string[]): void {
  expect({ name, end }).toEqual({ name, end: END });
  const pays = effects.filter((each) => each === "pay").length;
  expect({ name, pays }).toEqual({ name, pays: 1 });
  expect(effects.filter((each) => each === "look").length).toBeLessThanOrEqual(2);
}

describe("a machine with agents in parallel, restored at each event of its run", () => {
  test("comes to the same end without a store, and pays once", async () => {
    const cuts: { name: string; snapshot: string; effects: string[] }[] = [];
    const effects: string[] = [];
    const end = await run(effects, undefined, undefined, (name, persist) =>
      cuts.push({ name, snapshot: persist(), effects: [...effects] }),
    );
    expectOnce("uncut", end, effects);
    expect(cuts.length).toBeGreaterThan(40);
    for (const { name, snapshot, effects: before } of cuts) {
      const parsed = JSON.parse(snapshot) as Snapshot<unknown>;
      expectOnce(name, await run(before, undefined, parsed), before);
    }
  });

  test("comes to the same end on files, each cut off as by a kill, and pays once", async () => {
    const root = mkdtempSync(join(tmpdir(), "agentchart-logic-"));
    const cuts: { name: string; snapshot: string; effects: string[]; dir: string }[] = [];
    const effects: string[] = [];
    const dir = join(root, "run");
    const end = await run(effects, fileStore({ dir }), undefined, (name, persist) => {
      if (name.startsWith("event ")) return;
      const copy = join(root, `cut-${cuts.length}`);
      copyWhileWritten(dir, copy);
      cuts.push({ name, snapshot: persist(), effects: [...effects], dir: copy });
    });
    expectOnce("uncut", end, effects);
    expect(cuts.length).toBeGreaterThan(30);
    const goOn = async ({ name, snapshot, effects: before, dir: copy }: (typeof cuts)[number]) =>
      expectOnce(
        name,
        await run(before, fileStore({ dir: copy }), JSON.parse(snapshot) as Snapshot<unknown>),
        before,
      );
    while (cuts.length > 0) await Promise.all(cuts.splice(0, 10).map(goOn));
  });

  test("comes to the same end in memory, stopped at each event, and pays once", async () => {
    let isUncut = false;
    const cutAt = async (cut: number): Promise<void> => {
      const store = memoryStore();
      const effects: string[] = [];
      const stopped = Promise.withResolvers<{ name: string; snapshot: string } | undefined>();
      let count = 0;
      const whole = run(effects, store, undefined, (name, persist, stop) => {
        if (name.startsWith("event ") || count++ !== cut) return;
        stopped.resolve({ name, snapshot: persist() });
        queueMicrotask(stop);
      });
      void whole.then(() => stopped.resolve(undefined));
      const left = await stopped.promise;
      isUncut ||= left === undefined;
      const goOn = (): Promise<string> =>
        left ? run(effects, store, JSON.parse(left.snapshot) as Snapshot<unknown>) : whole;
      expectOnce(left?.name ?? "uncut", await goOn(), effects);
    };
    for (let cut = 0; !isUncut; cut += 10)
      await Promise.all(Array.from({ length: 10 }, (_, index) => cutAt(cut + index)));
  });
});
