import { describe, expect, onTestFinished, test } from "vitest";
import { defineTool, openSession, textOf, type SessionStore } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { createDispatcher, createWorker, inProcessQueue } from "agentchart/worker";
import { historyProblem } from "../support/history.ts";
import { echoModel } from "./kit.ts";
import { mortal, type Death } from "./mortal.ts";

type Life = { readonly appends: number; readonly ran: readonly string[]; readonly texts: readonly string[] };

const SAID = ["hello", "call look", "call look pay", "call ext", "bye"];

const textsOf = async (store: SessionStore): Promise<string[]> =>
  (await (await openSession(store, "s")).at()).messages.map(
    (message) => `${message.role}: ${textOf(message)}`,
  );

/** A desk of one person who decides about whatever waits, by what the ledger says. */
async function answerAll(store: SessionStore, ran: readonly string[]): Promise<void> {
  const dispatcher = createDispatcher({ store, queue: inProcessQueue() });
  const { pending } = await dispatcher.status("s");
  for (const { callId, name, waitsFor, argsHash, decided } of pending) {
    if (decided) continue;
    const options = { argsHash, idempotencyKey: `${callId} ${waitsFor}` };
    if (waitsFor === "approval") await dispatcher.decide("s", callId, "approve", options);
    if (waitsFor === "externalResult") await dispatcher.answer("s", callId, `${name} done`, options);
    if (waitsFor === "unknownOutcome") {
      const decision = ran.includes(callId) ? { answer: `${name} done` } : "retry";
      await dispatcher.decide("s", callId, decision, options);
    }
  }
}

/** A session of five inputs, driven by a worker that dies, and then by one that does not. */
async function live(death?: Death): Promise<Life> {
  const real = memoryStore();
  const ran: string[] = [];
  const first = mortal(real, death);
  const workerOn = (store: SessionStore, isAlive: () => boolean) => {
    const tool = (name: string, fields: object = {}) =>
      defineTool({
        name,
        description: name,
        input: { type: "object" },
        ...fields,
        execute: (_, { callId }) => {
          if (!isAlive()) return new Promise<string>(() => {});
          ran.push(callId);
          return `${name} done`;
        },
      });
    const ext = defineTool({ name: "ext", description: "ext", input: { type: "object" } });
    const tools = [tool("look"), tool("pay", { permission: "ask" }), ext];
    return createWorker({
      store,
      queue: inProcessQueue(),
      agents: { echo: () => ({ name: "echo", model: echoModel, tools }) },
      leaseMs: 60,
      sweepMs: 10,
      pollMs: 10,
      patienceMs: 0,
    });
  };
  const workers = [workerOn(first.store, () => !first.isDead()), workerOn(real, () => true)] as const;
  onTestFinished(async () => {
    first.bury();
    await Promise.all(workers.map((worker) => worker.close({ deadlineMs: 0 })));
  });
  const desk = createDispatcher({ store: real, queue: inProcessQueue() });
  const say = (text: string) => desk.dispatch("s", text, { agent: "echo", idempotencyKey: text });
  for (const text of SAID.slice(0, 3)) await say(text);
  await workers[0].start();
  const isOver = async (): Promise<boolean> => {
    await answerAll(real, ran);
    const { phase, inputs, reason, seq } = await desk.status("s");
    if (seq === 0 || phase !== "stopped" || inputs > 0 || reason !== "MODEL_STOP") return false;
    const next = SAID[(await textsOf(real)).filter((text) => text.startsWith("user")).length];
    if (next !== undefined) await say(next); // while calls are open it would be refused
    return next === undefined;
  };
  await expect
    .poll(
      async () => {
        if (first.isDead()) await workers[1].start().catch(() => {}); // once
        return isOver();
      },
      { interval: 5 },
    )
    .toBe(true);
  const { messages } = await (await openSession(real, "s")).at();
  expect(historyProblem(messages)).toBeUndefined();
  return { appends: first.appends(), ran: [...ran], texts: await textsOf(real) };
}

describe("a worker that dies", () => {
  test(
    "at any commit point loses no input, doubles none, and repeats no recorded result",
    { timeout: 60_000 },
    async () => {
      const whole = await live();
      const said = (life: Life) => life.texts.filter((text) => text.startsWith("user"));
      expect(said(whole)).toEqual(SAID.map((text) => `user: ${text}`));
      expect(whole.ran).toHaveLength(3);
      expect(whole.appends).toBeGreaterThan(8);
      const deaths = Array.from({ length: whole.appends }, (_, index) => index + 1).flatMap((append) =>
        (["before", "after"] as const).map((when) => ({ append, when })),
      );
      for (let at = 0; at < deaths.length; at += 8) {
        await Promise.all(
          deaths.slice(at, at + 8).map(async (death) => {
            const life = await live(death);
            const label = JSON.stringify(death);
            expect(said(life), label).toEqual(said(whole));
            expect(life.texts.at(-1), label).toBe("assistant: echo: bye");
            expect(new Set(life.ran).size, label).toBe(life.ran.length);
            expect(life.ran.toSorted(), label).toEqual(whole.ran.toSorted());
          }),
        );
      }
    },
  );
});
