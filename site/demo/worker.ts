import {
  AgentError,
  createAgent,
  defineTool,
  type AgentEvent,
  type AnyAgent,
  type ErrorCode,
} from "agentchart";
import type { JournalEntry, SessionStore } from "agentchart/session";
import { z } from "zod";
import type { FromWorker, ToWorker } from "./messages.ts";
import { model } from "./model.ts";

const LEASE_MS = 2_000;
const send = (message: FromWorker): void => postMessage(message);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The questions to the page that have no answer yet. */
const asked = new Map<number, PromiseWithResolvers<unknown>>();

function ask<T>(method: string, ...args: readonly unknown[]): Promise<T> {
  const answer = Promise.withResolvers<unknown>();
  const id = asked.size === 0 ? 1 : Math.max(...asked.keys()) + 1;
  asked.set(id, answer);
  send({ type: "ask", id, method, args });
  return answer.promise as Promise<T>;
}

/** The store of the page, which outlives this worker as a database outlives a process. */
const store: SessionStore = {
  acquire: (...args) => ask("acquire", ...args),
  renew: (...args) => ask("renew", ...args),
  release: (...args) => ask("release", ...args),
  append: (...args) => ask("append", ...args),
  load: (...args) => ask("load", ...args),
  putInput: (...args) => ask("putInput", ...args),
  takeInputs: (...args) => ask("takeInputs", ...args),
  list: (...args) => ask("list", ...args),
  listDue: (...args) => ask("listDue", ...args),
  delete: (...args) => ask("delete", ...args),
  prune: (...args) => ask("prune", ...args),
  async *read(...args) {
    yield* await ask<readonly JournalEntry[]>("read", ...args);
  },
  close: async () => {},
};

const findOrder = defineTool({
  name: "find_order",
  description: "Finds an order.",
  input: z.object({ orderId: z.string() }),
  idempotent: true,
  async execute({ orderId }) {
    await pause(700);
    return `Order ${orderId}: one kettle, 12.50, came back on Monday.`;
  },
});
const refund = defineTool({
  name: "refund",
  description: "Pays money back.",
  input: z.object({ orderId: z.string(), cents: z.number().int() }),
  permission: "ask",
  idempotent: true, // the ledger knows the key of a payment
  async execute({ orderId, cents }, { idempotencyKey }) {
    await ask("pay", idempotencyKey, cents);
    await pause(2_500); // time for a person to kill this worker
    return `Paid back ${cents} cents for order ${orderId}.`;
  },
});

let agent: AnyAgent | undefined;

/** Runs a turn, or goes on with one, and reports each of its events. */
async function run(text?: string): Promise<void> {
  const stream = text === undefined ? agent!.stream() : agent!.stream(text);
  stream.reply.catch(() => {});
  for await (const event of stream) send({ type: "event", event });
  await stream.reply;
}

async function open(sessionId: string): Promise<void> {
  agent = createAgent({
    name: "desk",
    model,
    tools: [findOrder, refund],
    store,
    sessionId,
    sessionOptions: { leaseMs: LEASE_MS },
  });
  await agent.open({ waitMs: 3 * LEASE_MS });
  const { phase, pending } = agent.status();
  const fresh = (await agent.messages()).length === 0;
  send({ type: "opened", fresh });
  if (pending.length > 0) {
    send({ type: "event", event: { type: "state", value: phase } as AgentEvent });
    send({ type: "event", event: { type: "pending", calls: pending } as AgentEvent });
  } else if (!fresh && phase === "unfinished") await run();
}

async function take(message: ToWorker): Promise<void> {
  switch (message.type) {
    case "open":
      return open(message.sessionId);
    case "say":
      return run(message.text);
    case "decide":
      await agent!.decide(message.callId, message.approve ? "approve" : { deny: "A person said no." });
      return run();
    case "answer": {
      const { id, value, error } = message;
      if (error) asked.get(id)?.reject(new AgentError(error.code as ErrorCode, error.message));
      else asked.get(id)?.resolve(value);
      asked.delete(id);
    }
  }
}

addEventListener("message", ({ data }: MessageEvent<ToWorker>) => {
  take(data).catch((error: unknown) => send({ type: "failed", message: String(error) }));
});
