import process from "node:process";
import { createAgent } from "../../agent/create-agent.ts";
import type { AgentConfig, AnyAgentConfig } from "../../agent/options/agent-config.ts";
import type { Agent, Reply } from "../../agent/types.ts";
import { configError, errorInfo } from "../../core/base/error.ts";
import type { Json } from "../../core/base/json.ts";
import type { Decision, PendingCall } from "../../core/tool/pending.ts";
import { openStoreOf } from "../../store/open-store-of.ts";
import { makeConfig } from "../../worker/make-config.ts";
import { watchedStore } from "./watched-store.ts";
import { Ledger, notesOf, type NotedCall } from "./ledger.ts";
import { loadScenario } from "./load.ts";
import { ORDERS_VARIABLE, type Orders } from "./orders.ts";
import { Tape } from "./tape.ts";
import { transcriptOf } from "./transcript.ts";
import type { CrashScenario } from "./types.ts";
import { watchedConfig } from "./watch.ts";

/** Longer than a test: the test ends the leases of processes that it knows to be dead. */
const LEASE_MS = 600_000;
const LEASE_CODES: readonly string[] = ["session/conflict", "session/lease-lost"];

const orders = JSON.parse(process.env[ORDERS_VARIABLE]!) as Orders;
delete process.env[ORDERS_VARIABLE]; // not for the processes of tools
const ledger = new Ledger(orders.ledger, orders.life);
const { point, folder, sessionId } = orders;

// A process of the test ends with it.
process.stdin.on("end", () => process.exit(1)).on("error", () => process.exit(1));
process.stdin.resume().unref?.();

function die(): void {
  if (point?.how === "stop") ledger.write({ note: "stopped" });
  process.kill(process.pid, point?.how === "stop" ? "SIGSTOP" : "SIGKILL");
  // The signal comes at once, but on some systems not before the next instruction.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
}

function instant(id: string, label: string): void {
  ledger.write({ note: "instant", id, label });
  if (point?.instant === id) die();
  else if (point?.afterMs !== undefined && point.instant === id.replace(/before$/, "within"))
    setTimeout(die, point.afterMs);
}

const noted = (call: PendingCall): NotedCall => ({
  callId: call.callId,
  name: call.name,
  input: call.input,
  waitsFor: call.waitsFor,
  ...(call.decided !== undefined && { decided: call.decided }),
});

/** Returns what an operator would do about a call whose outcome is unknown, who looks it up: the ledger knows. */
function outcomeOf({ callId }: PendingCall): Decision {
  const ended = notesOf(ledger.read(), "end").findLast(
    (end) => callId === end.callId || callId.endsWith(`/${end.callId}`),
  );
  return ended?.result === undefined ? "retry" : { answer: ended.result as string };
}

async function decisionOf(call: PendingCall, { decide }: CrashScenario): Promise<Decision | undefined> {
  if (call.waitsFor === "unknownOutcome") return outcomeOf(call);
  if (decide) return decide(call);
  return call.waitsFor === "approval" || call.ask?.kind === "approval" ? "approve" : undefined;
}

/** The input of a call that goes on with a turn. */
const NOTHING = undefined;
let waits = 0;

/** Decides what waits, and goes on, until the turn has ended or waits for what nobody decides. Returns the last reply. */
async function settle(agent: Agent, reply: Reply, scenario: CrashScenario, more: object): Promise<Reply> {
  let last = reply;
  const { phase, waitsFor } = agent.status();
  // The call for which it was suspended has its result: its tool is gone in this release.
  if (phase === "suspended" && waitsFor.length === 0) last = await agent.call(NOTHING, more);
  while (last.pending.length > 0) {
    const number = ++waits;
    const names = [...new Set(last.pending.map(({ name }) => name))].join(", ");
    ledger.write({ note: "pending", calls: last.pending.map(noted) });
    instant(`waiting:${number}`, `while ${names} waits for a decision`);
    const open = last.pending.filter(({ decided }) => decided === undefined);
    let left = open.length;
    for (const [index, call] of open.entries()) {
      const decision = await decisionOf(call, scenario);
      if (decision === undefined) continue;
      await agent.decide(call.callId, decision);
      ledger.write({ note: "decided", call: noted(call), decision });
      instant(`decided:${number}.${index + 1}`, `after a decision about ${call.name}`);
      left--;
    }
    if (left > 0) break;
    last = await agent.call(NOTHING, more);
  }
  return last;
}

/** Opens the session; a process that takes over waits until the holder is known to be dead or stopped. */
async function open(agent: Agent): Promise<void> {
  if (orders.life === 1) return agent.open();
  const until = Date.now() + orders.waitMs;
  for (let hasSaid = false; ;) {
    try {
      await agent.open();
      if (!hasSaid) ledger.write({ note: "opened" });
      return;
    } catch (error) {
      if (!LEASE_CODES.includes((error as { readonly code?: string }).code ?? "") || Date.now() > until)
        throw error;
      if (!hasSaid) ledger.write({ note: "refused" });
      hasSaid = true;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

async function configOf(): Promise<{
  readonly config: AgentConfig;
  readonly scenario: CrashScenario;
  readonly output: unknown;
  readonly name: string;
}> {
  const { name, make, scenario } = await loadScenario(orders);
  const made = await makeConfig(make, { sessionId, meta: { ...scenario.meta, agent: name } });
  const { output, inspect: _, ...given } = made;
  const tape = new Tape(orders.tape, !orders.isRecording);
  const { config, unwatched } = watchedConfig(given as unknown as AnyAgentConfig, {
    ledger,
    tape,
    instant,
    repeat: orders.repeat,
    release: orders.release,
  });
  ledger.write({ note: "unwatched", names: unwatched });
  const real = await openStoreOf(orders.store);
  if (!real) throw configError("The store is unknown.");
  const store = watchedStore(scenario.store ? scenario.store(real) : real, {
    acquired: (lease) => ledger.write({ note: "lease", lease }),
    instant: (append, when, id, { entries }) => {
      const types = [...new Set(entries.map(({ type }) => type))].join(", ") || "no entry";
      const what = id === sessionId ? `(${types})` : `(${types}) of a sub-agent`;
      instant(`append:${append}:${when}`, `${when} append ${append} ${what}`);
    },
  });
  const { meta, sessionOptions } = config as AgentConfig;
  const all = {
    ...config,
    store,
    sessionId,
    meta: { ...meta, ...scenario.meta, agent: name },
    sessionOptions: { ...sessionOptions, leaseMs: LEASE_MS },
  };
  return { config: all as unknown as AgentConfig, scenario, output, name };
}

async function main(): Promise<void> {
  const { config, scenario, output, name } = await configOf();
  let agent: Agent;
  try {
    agent = createAgent(config);
  } catch (error) {
    ledger.write({ note: "error", error: errorInfo(error, "config/invalid"), isImpossible: true });
    return;
  }
  await open(agent);
  const more = (output === undefined ? {} : { output }) as { readonly output?: undefined };
  let last: Reply | undefined;
  for (const [index, text] of [scenario.input].flat().entries()) {
    const options = { idempotencyKey: `input-${index + 1}`, ...more };
    last = await settle(agent, (await agent.call(text, options)) as Reply, scenario, more);
  }
  const transcript = transcriptOf(await agent.messages(), { sessionId, folder });
  const effects: Json | undefined = await scenario.effects?.({ sessionId, folder });
  await agent.close();
  const isOverBudget = last?.reason === "BUDGET_EXCEEDED";
  ledger.write({
    note: "done",
    agent: name,
    transcript,
    isOverBudget,
    ...(effects !== undefined && { effects }),
  });
}

try {
  await main();
} catch (error) {
  const isImpossible = (error as { readonly code?: string }).code === "config/invalid";
  ledger.write({ note: "error", error: errorInfo(error, "run/invalid-event"), isImpossible });
}
process.exit(0);
