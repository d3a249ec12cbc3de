import { isDeepStrictEqual } from "node:util";
import { AgentError, createAgent, defineTool, type SessionStore } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { collectAll } from "../../src/testing/store-contract-kit.ts";

/** How many times each storage is damaged. */
export const ROUNDS = process.env["SOAK"] === "1" ? 10_000 : 300;

/** Random integers below a bound, the same ones for the same seed. */
export type Random = (below: number) => number;

/** Mulberry32. */
export function randomOf(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** Returns one of them. */
export const oneOf = <T>(random: Random, items: readonly T[]): T => items[random(items.length)]!;

const pay = defineTool({
  name: "pay",
  description: "Pays.",
  input: { type: "object" },
  permission: "ask",
  execute: () => "paid",
});

const agentOn = (store: SessionStore, sessionId: string, calls = false) =>
  createAgent({
    name: "desk",
    model: scriptedModel(["Hello.", ...(calls ? [{ calls: [{ name: "pay", input: { n: 1111 } }] }] : [])]),
    tools: [pay],
    store,
    sessionId,
    meta: { tenant: sessionId },
    sessionOptions: { leaseMs: 60_000 },
  });

/** Stores two sessions of two turns, `s` and `t`; each has a call that waits for approval, and two inputs. */
export async function fill(store: SessionStore): Promise<void> {
  for (const sessionId of ["s", "t"]) {
    const agent = agentOn(store, sessionId, true);
    await agent.call(`Hello from ${sessionId}`);
    await agent.call("Please pay 1111");
    await agent.close();
    for (const id of ["1", "2"]) await store.putInput(sessionId, { id, data: { text: `input ${id}` } });
  }
}

/** Returns what `read` resolves to; "refused" for an AgentError. Any other error fails the test. */
async function shown<T>(read: () => Promise<T>): Promise<T | "refused"> {
  try {
    return await read();
  } catch (error) {
    if (AgentError.is(error)) return "refused";
    throw error;
  }
}

async function listedAs(store: SessionStore) {
  const found = (await store.list({ prefix: "s" })).sessions.find(({ sessionId }) => sessionId === "s");
  if (!found || found.phase === "quarantined") return "refused";
  const { updatedAt: _, ...row } = found;
  return row;
}

async function restored(store: SessionStore) {
  const agent = agentOn(store, "s");
  try {
    await agent.open();
    return { status: agent.status(), messages: await agent.messages() };
  } finally {
    await agent.close().catch(() => {});
  }
}

/** Returns everything that a store and an agent show of session `s`, "refused" in place of what they refuse to show. */
export async function viewOf(store: SessionStore) {
  return {
    listed: await shown(() => listedAs(store)),
    inputs: await shown(async () => store.takeInputs("s", 9)),
    entries: await shown(() => collectAll(store.read("s"))),
    loaded: await shown(async () => store.load("s")),
    restored: await shown(() => restored(store)),
  };
}

export type View = Awaited<ReturnType<typeof viewOf>>;

const holds = (all: View["inputs"], one: unknown) =>
  all !== "refused" && all.some((each) => isDeepStrictEqual(each, one));

/** Fails unless each part of `found` is what it was before the damage, or is refused. `mayLoseInputs`: a row of the inbox that
 *  cannot be found is not noticed. Returns whether anything was refused. */
export function expectSameOrRefused(
  found: View,
  before: View,
  damage: string,
  mayLoseInputs = false,
): boolean {
  const { inputs } = found;
  const isPart = inputs !== "refused" && inputs.every((input) => holds(before.inputs, input));
  for (const key of Object.keys(before) as (keyof View)[]) {
    if (found[key] === "refused" || isDeepStrictEqual(found[key], before[key])) continue;
    if (key === "inputs" && mayLoseInputs && isPart) continue;
    throw new Error(`After ${damage}: ${key} is ${JSON.stringify(found[key])?.slice(0, 300)}`);
  }
  return Object.values(found).includes("refused");
}
