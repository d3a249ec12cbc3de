// Workers that die at each commit point.
import { describe, expect, onTestFinished, test } from "vitest";
import { defineTool, textOf, type SessionStore } from "agentchart";
import { openSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import {
  createDispatcher,
  createWorker,
  inProcessQueue,
  type Dispatcher,
  type WorkerAgentConfig,
} from "agentchart/worker";
import { historyProblem } from "../support/history.ts";
import { echoModel } from "./kit.ts";
import { mortal, type Death } from "./mortal.ts";

const LEASE_MS = 60_000;

type Life = {
  readonly appends: number;
  readonly ran: readonly string[];
  readonly texts: readonly string[];
  readonly extended: unknown;
};

/** The inputs of a session, and what people do beside answering. */
type Story = {
  readonly said: readonly string[];
  readonly config?: Partial<WorkerAgentConfig>;
  /** Done again and again, always with the same keys. */
  readonly meddle?: (desk: Dispatcher, ran: readonly string[]) => Promise<void>;
};

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
      const isDone = ran.includes(callId) && name !== "wait";
      const decision = isDone ? { answer: `${name} done` } : "retry";
      await dispatcher.decide("s", callId, decision, options);
    }
  }
}

/** A session driven by a worker that dies, and then by one that does not. */
async function live({ said, config, meddle }: Story, death?: Death): Promise<Life> {
  let ahead = 0;
  const real = memoryStore({ now: () => Date.now() + ahead });
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
    const wait = defineTool({
      name: "wait",
      description: "waits until it is interrupted",
      input: { type: "object" },
      execute: (_, { callId, signal }) => {
        ran.push(callId);
        return new Promise<string>((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("aborted")));
        });
      },
    });
    const tools = [tool("look"), tool("pay", { permission: "ask" }), ext, wait];
    return createWorker({
      store,
      queue: inProcessQueue(),
      agents: { echo: () => ({ name: "echo", model: echoModel, tools, ...config }) },
      leaseMs: LEASE_MS,
      sweepMs: 30,
      pollMs: 30,
      storeTimeoutMs: 0,
    });
  };
  const workers = [workerOn(first.store, () => !first.isDead()), workerOn(real, () => true)] as const;
  onTestFinished(async () => {
    first.bury();
    await Promise.all(workers.map((worker) => worker.close({ deadlineMs: 0 })));
  });
  const desk = createDispatcher({ store: real, queue: inProcessQueue() });
  for (const text of said) await desk.dispatch("s", text, { agent: "echo", idempotencyKey: text });
  await workers[0].start();
  const isOver = async (): Promise<boolean> => {
    await answerAll(real, ran);
    await meddle?.(desk, ran);
    const { phase, inputs, reason, seq } = await desk.status("s");
    return seq > 0 && phase === "stopped" && inputs === 0 && reason === "MODEL_STOP";
  };
  await expect
    .poll(
      async () => {
        if (first.isDead() && ahead === 0) {
          ahead = LEASE_MS;
          await workers[1].start();
        }
        return isOver();
      },
      { interval: 50 },
    )
    .toBe(true);
  const { messages, context } = await (await openSession(real, "s")).at();
  expect(historyProblem(messages)).toBeUndefined();
  const { extended } = context["progress"] as { readonly extended?: unknown };
  return { appends: first.appends(), ran: [...ran], texts: await textsOf(real), extended };
}

/** Lives of a story whose worker dies before or after each of its appends. */
async function everyDeath(story: Story, check: (life: Life, label: string) => void): Promise<Life> {
  const whole = await live(story);
  check(whole, "no death");
  const deaths = Array.from({ length: whole.appends }, (_, index) => index + 1).flatMap((append) =>
    (["before", "after"] as const).map((when) => ({ append, when })),
  );
  for (let at = 0; at < deaths.length; at += 8) {
    const some = deaths.slice(at, at + 8);
    await Promise.all(some.map(async (death) => check(await live(story, death), JSON.stringify(death))));
  }
  return whole;
}

const saidIn = (life: Life): readonly string[] => life.texts.filter((text) => text.startsWith("user"));

describe("a worker that dies at any commit point", () => {
  test("loses no input, doubles none, and repeats no recorded result", async () => {
    const said = ["hello", "call look", "call look pay", "call ext", "bye"];
    const whole = await everyDeath({ said }, (life, label) => {
      expect(saidIn(life), label).toEqual(said.map((text) => `user: ${text}`));
      expect(life.texts.at(-1), label).toBe("assistant: echo: bye");
      expect(new Set(life.ran).size, label).toBe(life.ran.length);
      expect(life.ran, label).toHaveLength(3);
    });
    expect(whole.appends).toBeGreaterThan(8);
  });

  test("loses no interrupt and takes it once", async () => {
    const said = ["call wait", "bye"];
    const meddle: Story["meddle"] = async (desk, ran) => {
      if (ran.length > 0) await desk.interrupt("s", "enough", { idempotencyKey: "i" });
    };
    await everyDeath({ said, meddle, config: { turnOptions: { interruptGraceMs: 20 } } }, (life, label) => {
      expect(saidIn(life), label).toEqual(["user: call wait", "user: enough", "user: bye"]);
      expect(life.texts.at(-1), label).toBe("assistant: echo: bye");
    });
  });

  test("loses no extension of a budget and adds it once", async () => {
    const said = ["call look"];
    const meddle: Story["meddle"] = async (desk) => {
      const { waitsFor } = await desk.status("s");
      if (waitsFor.includes("budget"))
        await desk.extendBudget("s", { modelCalls: 5 }, { idempotencyKey: "b" });
    };
    await everyDeath({ said, meddle, config: { budget: { modelCalls: 1 } } }, (life, label) => {
      expect(life.texts.at(-1), label).toBe("assistant: echo: look done");
      expect(life.extended, label).toEqual({ modelCalls: 5 });
    });
  });
});
