// Each turn has one end, whatever append a process dies at.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import {
  createAgent,
  toolResultsOf,
  type Agent,
  type ChatModel,
  type Hook,
  type SessionStore,
} from "agentchart";
import { openSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { toolOf } from "../support/agents.ts";
import { mortal, type Death } from "../worker/mortal.ts";

const LEASE_MS = 60_000;

/** Asks for a payment that must be approved, and says something else whenever it is asked. */
const model: ChatModel = {
  name: "says",
  async *stream({ messages }) {
    const last = messages.at(-1)!;
    const pays = JSON.stringify(last.content).includes("pay it") && toolResultsOf(last).length === 0;
    if (pays) yield { type: "tool.delta", key: 0, id: "c1", name: "pay", args: "{}" };
    else yield { type: "text.delta", delta: `answer ${randomUUID()}` };
    yield { type: "finish", reason: pays ? "tool_calls" : "stop" };
  },
};

const tick = (): Promise<void> => sleep(0);
const hook: Hook = { name: "slow", postCall: tick, onInterrupt: tick, onError: tick, onRest: tick };

const openAgent = (store: SessionStore): Agent =>
  createAgent({
    name: "bot",
    model,
    tools: [toolOf("pay", () => "paid", { permission: "ask", idempotent: true })],
    hooks: [hook],
    store,
    sessionId: "s",
    sessionOptions: { leaseMs: LEASE_MS },
  });

type Answers = Map<string, Set<string>>;

/** What a program does with its session, from the beginning in each process: keys make that one session. */
async function use(agent: Agent, answers: Answers): Promise<void> {
  const ask = async (key: string, text: string): Promise<string> => {
    const reply = await agent.call(text, { idempotencyKey: key });
    if (reply.reason !== "APPROVAL_REQUIRED")
      answers.set(key, (answers.get(key) ?? new Set()).add(`${reply.reason} ${reply.text}`));
    return reply.reason;
  };
  await ask("k1", "hello");
  if ((await ask("k2", "pay it")) === "APPROVAL_REQUIRED") {
    for (const { callId, decided } of agent.status().pending)
      if (decided === undefined) await agent.decide(callId, "approve");
    await agent.call();
    await ask("k2", "pay it");
  }
  const stop = agent.subscribe(({ turn }) => void (turn === 3 && agent.interrupt()), {
    types: ["model.start"],
  });
  await ask("k3", "wait");
  stop();
  await ask("k4", "bye");
}

/** A session in a process that dies, and then in one that does not. */
async function live(
  death?: Death,
): Promise<{ readonly appends: number; readonly problems: readonly string[] }> {
  let ahead = 0;
  const real = memoryStore({ now: () => Date.now() + ahead });
  const first = mortal(real, death);
  const answers: Answers = new Map();
  const using = use(openAgent(first.store), answers);
  let isOver = false;
  using.then(
    () => (isOver = true),
    () => {},
  );
  await expect.poll(() => first.isDead() || isOver, { interval: 1 }).toBe(true);
  if (first.isDead()) {
    first.bury();
    ahead = LEASE_MS;
    const second = openAgent(real);
    await use(second, answers);
    await second.close();
  }
  const ends: string[] = [];
  for await (const { type, data } of (await openSession(real, "s")).entries())
    if (type === "turn.end") ends.push(`${String(data["turn"])} ${String(data["reason"])}`);
  const expected = ["1 MODEL_STOP", "2 APPROVAL_REQUIRED", "2 MODEL_STOP", "3 INTERRUPTED", "4 MODEL_STOP"];
  return {
    appends: first.appends(),
    problems: [
      ...(ends.join() === expected.join() ? [] : [`the turns end ${ends.join()}`]),
      ...[...answers].flatMap(([key, all]) => (all.size === 1 ? [] : [`${key} has ${all.size} answers`])),
    ],
  };
}

test("whatever append a process dies at, each turn has one end, and each key one answer", async () => {
  const whole = await live();
  expect(whole.problems).toEqual([]);
  expect(whole.appends).toBeGreaterThan(12);
  for (let append = 1; append <= whole.appends; append++)
    for (const when of ["before", "after"] as const) {
      const { problems } = await live({ append, when });
      expect(problems, `${when} append ${append}`).toEqual([]);
    }
});
