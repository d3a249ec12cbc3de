// The fate of each call is the same in every protocol.
import { expect, onTestFinished, test } from "vitest";
import { createAgent, suspend, type Agent, type AgentConfig, type AgentEvent } from "agentchart";
import { serve } from "agentchart/server";
import { exportSession, importSession } from "agentchart/session";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { createDispatcher } from "../../src/worker/dispatcher.ts";
import { eventsOf, toolOf, untilAborted } from "../support/agents.ts";
import { eventsProblem } from "../support/paired-events.ts";
import { openServer, TOKENS, type TestServer } from "./open-server.ts";
import { readEvents, type Frame } from "./read-events.ts";
import { layered } from "../support/layered.ts";

/** What a subscriber learns of calls, in order. */
function gistOf(events: readonly AgentEvent[]): readonly string[] {
  return events.flatMap((event) => {
    const { type } = event;
    if (type === "tool.start") return `${event.call.id} starts, attempt ${event.attempt}`;
    if (type === "tool.end") return `${event.callId} ends: ${event.result.state}`;
    if (type === "retry" && event.callId !== undefined) return `${event.callId} failed, is repeated`;
    if (type === "pending") return event.calls.map(({ callId, waitsFor }) => `${callId} waits: ${waitsFor}`);
    if (type === "message") return `${event.message.role} (${event.phase}, turn ${event.turn})`;
    return type === "turn.end" ? `end of ${event.turn}: ${event.error?.code ?? event.reason}` : [];
  });
}

/** The fate of the call alone. */
const fateOf = (events: readonly AgentEvent[]): readonly string[] =>
  gistOf(events).flatMap((line) => (line.startsWith("c ") ? line.slice(2) : []));

let agent!: Agent;
const config: Partial<AgentConfig> = {
  modelOptions: { execution: { maxAttempts: 1 } },
  tools: [
    toolOf("ok", () => "done"),
    toolOf("fails", () => {
      throw new Error("broken");
    }),
    toolOf("typed", () => "never", {
      input: { type: "object", required: ["n"], properties: { n: { type: "number" } } },
    }),
    toolOf("never", () => "never", { permission: "deny" }),
    toolOf("ask", () => "paid", { permission: "ask" }),
    toolOf("later", () => suspend("later")),
    toolOf("elsewhere"),
    toolOf("stops", (_, { signal }) => {
      agent.interrupt();
      return untilAborted(signal);
    }),
    toolOf(
      "flaky",
      (_, { attempt }) => {
        if (attempt < 2) throw new Error("try again");
        return "done";
      },
      { execution: { maxAttempts: 2, initialBackoffMs: 1 } },
    ),
  ],
};

const NOT_RUN = "starts, attempt 0";
const WAITED = [NOT_RUN, "ends: suspended", "waits: approval"];
type Play = (agent: Agent, run: (input?: string) => Promise<void>) => Promise<void>;
const decide =
  (...decisions: readonly Parameters<Agent["decide"]>[1][]): Play =>
  async (of, run) => {
    for (const decision of decisions) {
      await of.decide("c", decision);
      await run();
    }
  };

const interrupted: ScriptedTurn = async function* () {
  yield { type: "tool.delta", key: 0, id: "c", name: "ok", args: "{}" };
  agent.interrupt();
  yield { type: "text.delta", delta: "never read" };
} as never;

type Fate = readonly [of: string, turn: ScriptedTurn, fate: readonly string[], play?: Play];

const FATES: readonly Fate[] = [
  ["succeeds", "ok", ["starts, attempt 1", "ends: success"]],
  ["fails", "fails", ["starts, attempt 1", "ends: error"]],
  [
    "fails, and is repeated",
    "flaky",
    ["starts, attempt 1", "failed, is repeated", "starts, attempt 2", "ends: success"],
  ],
  ["has invalid arguments", "typed", ["starts, attempt 1", "ends: error"]],
  ["names no tool", "nothing", [NOT_RUN, "ends: error"]],
  ["is denied by a rule", "never", [NOT_RUN, "ends: denied"]],
  ["is denied by a person", "ask", [...WAITED, NOT_RUN, "ends: denied"], decide("deny")],
  ["is approved", "ask", [...WAITED, "starts, attempt 1", "ends: success"], decide("approve")],
  ["is edited", "ask", [...WAITED, "starts, attempt 1", "ends: success"], decide({ edit: { n: 2 } })],
  [
    "is suspended and answered",
    "later",
    ["starts, attempt 1", "ends: suspended", "waits: externalResult", NOT_RUN, "ends: success"],
    decide({ answer: "42" }),
  ],
  [
    "is done elsewhere",
    "elsewhere",
    ["starts, attempt 1", "ends: suspended", "waits: externalResult", NOT_RUN, "ends: success"],
    decide({ answer: "42" }),
  ],
  [
    "waits while the turn is interrupted",
    "ask",
    [...WAITED, NOT_RUN, "ends: interrupted"],
    async (of) => {
      of.interrupt();
      await of.messages();
      await expect.poll(() => of.status().reason).toBe("INTERRUPTED");
    },
  ],
  ["is interrupted", "stops", ["starts, attempt 1", "ends: interrupted"]],
  [
    "is cut off with its answer",
    { calls: [{ id: "c", name: "ok" }], finish: "length" },
    [NOT_RUN, "ends: error"],
  ],
  ["is in an answer that is interrupted", interrupted, [NOT_RUN, "ends: interrupted"]],
];

const endsIn = (events: readonly AgentEvent[]): number =>
  events.filter(({ type }) => type === "turn.end").length;

/** The events that a dispatcher gives of a session, up to its `ends`-th end of a turn from there. */
async function dispatched({ store, queue }: TestServer, ends: number, after: string | number = 0) {
  const ended = new AbortController();
  const events: AgentEvent[] = [];
  const { signal } = ended;
  for await (const event of createDispatcher({ store, queue }).subscribe("acme/talk", { after, signal })) {
    events.push(event);
    if (endsIn(events) === ends) ended.abort();
  }
  return events;
}

/** The same over HTTP. */
async function overHttp(url: string, ends: number, lastEventId?: string): Promise<readonly AgentEvent[]> {
  const eventsIn = (frames: readonly Frame[]) => frames.flatMap(({ event = [] }) => event);
  const until = (frames: readonly Frame[]) => endsIn(eventsIn(frames)) === ends;
  return eventsIn(
    await readEvents(`${url}/v1/sessions/talk/events`, { token: TOKENS.acme, lastEventId, until }),
  );
}

/** An agent of the server's tenant whose first answer asks for the call. */
function agentOf(server: TestServer, turns: readonly ScriptedTurn[], more: Partial<AgentConfig> = {}): Agent {
  return createAgent({
    name: "bot",
    model: scriptedModel(turns),
    store: server.store,
    sessionId: "acme/talk",
    meta: { tenant: "acme" },
    ...layered(config, more),
  });
}

test.each(FATES.map((row) => ({ of: row[0], row })))(
  "a call that $of has the same starts and ends in a stream, for listeners, from a dispatcher and over HTTP",
  async ({ row: [, turn, fate, play] }) => {
    const server = openServer();
    const first = typeof turn === "string" ? { calls: [{ id: "c", name: turn }] } : turn;
    agent = agentOf(server, [first, "Done."]);
    const live: AgentEvent[] = [];
    agent.subscribe((event) => void live.push(event));
    const streamed: AgentEvent[] = [];
    const run = async (input?: string): Promise<void> => {
      streamed.push(...(await eventsOf(agent.stream(input))));
    };
    await run("go");
    await play?.(agent, run);
    const replayed: AgentEvent[] = [];
    agent.subscribe((event) => void replayed.push(event), { after: 0 });
    await expect.poll(() => gistOf(replayed)).toEqual(gistOf(live));
    await agent.close();
    const ends = endsIn(live);

    expect(fateOf(live)).toEqual(fate);
    expect(eventsProblem(live)).toBeUndefined();
    expect(gistOf(streamed)).toEqual(gistOf(live).slice(0, gistOf(streamed).length));
    expect(endsIn(streamed)).toBeGreaterThan(0);

    const stored = await dispatched(server, ends);
    expect(stored).toEqual(replayed);
    for (const [index, { position }] of stored.slice(0, -1).entries()) {
      const rest = stored.slice(index + 1);
      expect(await dispatched(server, endsIn(rest), position), `after ${position}`).toEqual(rest);
    }
    const { url, close } = await serve(server.app);
    onTestFinished(close);
    expect(await overHttp(url, ends)).toEqual(stored);
    const half = stored.length >> 1;
    const rest = stored.slice(half);
    expect(await overHttp(url, endsIn(rest), stored[half - 1]!.position)).toEqual(rest);
  },
);

test.each([
  ["is repeated", "retry", ["failed, is repeated", "starts, attempt 2", "ends: success"]],
  ["fails", "fail", ["ends: error"]],
  [
    "is asked about, then answered",
    "ask",
    ["ends: error", "waits: unknownOutcome", NOT_RUN, "ends: success"],
  ],
] as const)(
  "a call whose process ended while it ran %s, and has its end in every source",
  async (_, onRestart, fate) => {
    const server = openServer();
    let runs = 0;
    const tools = [
      toolOf("slow", () => (++runs === 1 ? new Promise<string>(() => {}) : "done"), { onRestart }),
    ];
    const turns = [{ calls: [{ id: "c", name: "slow" }] }, "Done."];
    const dead = agentOf(server, turns, { tools, sessionOptions: { leaseMs: 100 } });
    dead.call("go").catch(() => {});
    await expect.poll(() => runs).toBe(1);
    const copy = openServer();
    await importSession(copy.store, exportSession(server.store, "acme/talk", { secrets: true }));
    agent = agentOf(copy, ["Done."], { tools });
    const live: AgentEvent[] = [];
    agent.subscribe((event) => void live.push(event));
    await agent.call();
    if (agent.status().phase === "suspended") {
      await agent.decide("c", { answer: "42" });
      await agent.call();
    }
    await agent.close();
    expect(fateOf(live)).toEqual(fate);
    const stored = await dispatched(copy, endsIn(live));
    expect(fateOf(stored)).toEqual(["starts, attempt 1", ...fate]);
    expect(gistOf(stored).slice(-gistOf(live).length)).toEqual(gistOf(live));
    await dead.shutdown({ deadlineMs: 1 });
  },
);

test("the call of a structured answer is part of the answer, and is no call in any source", async () => {
  const server = openServer();
  const call = { id: "c", name: "generate_response", input: { response: { n: 1 } } };
  agent = agentOf(server, [{ text: "Here.", calls: [call] }]);
  const live: AgentEvent[] = [];
  agent.subscribe((event) => void live.push(event));
  const reply = await agent.call("go", { output: { type: "object", required: ["n"] } });
  await agent.close();
  expect(reply.output).toEqual({ n: 1 });
  expect(fateOf(live)).toEqual([]);
  expect(live.flatMap((event) => (event.type === "block.start" ? event.kind : []))).toEqual(["text"]);
  expect(gistOf(await dispatched(server, 1))).toEqual(gistOf(live));
});
