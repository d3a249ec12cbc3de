// A process that is killed within hooks, extraction and appends: each turn has one end.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { textOf, type AgentEvent, type SessionStore } from "agentchart";
import { openSession } from "agentchart/session";
import { createServer, serve } from "agentchart/server";
import { bullQueue, createDispatcher, inProcessQueue } from "agentchart/worker";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { openStore, type StoreSpec } from "../../support/open-store.ts";
import { NO_POSTGRES, startPostgres } from "../../support/postgres.ts";
import { NO_REDIS, startRedis } from "../../support/redis.ts";
import { Page } from "../../server/ag-ui-client.ts";
import { Chat } from "../../server/chat-client.ts";
import { TOKENS } from "../../server/open-server.ts";
import type { EndsOrders } from "./ends-worker.ts";
import { isSoak } from "./live.ts";

const WORKER = join(import.meta.dirname, "ends-worker.ts");
/** Instants of a process until it dies: within a turn, or a few turns later. */
const MOST_INSTANTS = 30;
const TENANT = "acme";

const folder = mkdtempSync(join(tmpdir(), "agentchart-ends-"));
const postgres = isSoak ? await startPostgres() : undefined;
const redis = isSoak ? await startRedis() : undefined;
afterAll(async () => {
  await redis?.stop();
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Numbers from 1 to `most`, the same for the same seed. */
function numbers(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return 1 + (Math.floor(state / 65_536) % most);
  };
}

/** Worker processes, one after the other: each kills itself at an instant, until that has happened often enough. */
class Mortals {
  kills = 0;
  readonly accidents: string[] = [];
  readonly #orders: EndsOrders;
  readonly #next: (most: number) => number;
  readonly #most: number;
  #process: ChildProcess | undefined;
  #isOver = false;

  constructor(orders: EndsOrders, seed: number, most: number) {
    this.#orders = orders;
    this.#next = numbers(seed);
    this.#most = most;
    void this.#run();
  }

  get isDone(): boolean {
    return this.kills >= this.#most;
  }

  async end(): Promise<void> {
    this.#isOver = true;
    this.#process?.kill("SIGKILL");
    if (this.#process && this.#process.exitCode === null && !this.#process.signalCode)
      await once(this.#process, "exit");
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const dieAt = this.isDone ? {} : { dieAt: this.#next(MOST_INSTANTS) };
      const child = spawn(process.execPath, [
        "--conditions=agentchart-source",
        "--disable-warning=ExperimentalWarning",
        WORKER,
        JSON.stringify({ ...this.#orders, ...dieAt }),
      ]);
      this.#process = child;
      let errors = "";
      child.stderr.on("data", (data: Buffer) => (errors += data.toString()));
      const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
      if (signal === "SIGKILL") this.kills++;
      else if (!this.#isOver) this.accidents.push(`${code}: ${errors}`);
      if (this.accidents.length > 3) return;
    }
  }
}

/** How the turns of a session have ended, as its journal says. */
async function endsOf(
  store: SessionStore,
  sessionId: string,
): Promise<readonly (readonly [number, string, string])[]> {
  const ends: (readonly [number, string, string])[] = [];
  let text = "";
  for await (const event of (await openSession(store, sessionId)).events()) {
    if (event.type === "message" && event.message.role === "assistant") text = textOf(event.message);
    if (event.type === "turn.end") ends.push([event.turn, event.reason, event.error?.message ?? text]);
  }
  return ends;
}

/** Turns of a session, each asked for by another reader, while the workers die. */
async function playRound(
  round: string,
  on: {
    readonly store: SessionStore;
    readonly dispatcher: ReturnType<typeof createDispatcher>;
    readonly url: string;
  },
): Promise<void> {
  const { store, dispatcher, url } = on;
  const id = `${TENANT}/${round}`;
  const boss = `${TENANT}/boss-${round}`;
  const meta = { tenant: TENANT };
  await dispatcher.dispatch(boss, "hello", { agent: "boss", meta });
  const heard: AgentEvent[] = [];
  const end = new AbortController();
  onTestFinished(() => end.abort());
  const listening = (async () => {
    for await (const event of dispatcher.subscribe(id, { signal: end.signal }))
      if (event.type === "turn.end") heard.push(event);
  })().catch(() => {});
  const rest = async (count: number): Promise<void> => {
    await expect.poll(() => heard.length).toBeGreaterThanOrEqual(count);
    const isFree = async (): Promise<boolean> => {
      const { phase, inputs } = await dispatcher.status(id);
      return phase === "stopped" && inputs === 0;
    };
    await expect.poll(isFree).toBe(true);
  };

  const first = { agent: "desk", meta, idempotencyKey: "k1", reportTo: boss };
  await dispatcher.dispatch(id, "one", first);
  const streamed = { text: "" };
  const streaming = (async () => {
    const headers = { Authorization: `Bearer ${TOKENS.acme}` };
    const response = await fetch(`${url}/v1/sessions/${round}/events?after=0`, {
      headers,
      signal: end.signal,
    });
    const decoder = new TextDecoder();
    for await (const chunk of response.body!)
      streamed.text += decoder.decode(chunk as Uint8Array, { stream: true });
  })().catch(() => {});
  await rest(1);
  expect(await dispatcher.dispatch(id, "one", first)).toMatchObject({ state: "duplicate" });
  await dispatcher.dispatch(id, "fail two", { ...first, idempotencyKey: "k2" });
  await rest(2);
  const chat = new Chat({ url, id: round });
  await chat.say("three");
  await rest(3);
  const page = new Page(url, round);
  await page.say("four");
  await rest(4);
  const client = new Client({ name: "host", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const headers = { authorization: `Bearer ${TOKENS.acme}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }),
  );
  const told = (await client.callTool({ name: "desk", arguments: { message: "five", session: round } }, {
    timeout: 600_000,
  } as never)) as { readonly content: readonly { readonly text: string }[] };
  await client.close();
  await rest(5);

  const ends = await endsOf(store, id);
  expect(ends.map(([turn, reason]) => `${turn} ${reason}`)).toEqual([
    "1 MODEL_STOP",
    "2 ERROR",
    "3 MODEL_STOP",
    "4 MODEL_STOP",
    "5 MODEL_STOP",
  ]);
  expect(heard.map((event) => event.turn)).toEqual([1, 2, 3, 4, 5]);
  expect(chat.error).toBeUndefined();
  expect(chat.shown).toEqual(["user: three", `assistant: ${ends[2]![2]}`]);
  expect(page.shown.at(-1)).toBe(`assistant: ${ends[3]![2]}`);
  expect(told.content.map(({ text }) => text)).toEqual([ends[4]![2]]);

  const reports = async (): Promise<readonly string[]> =>
    (await (await openSession(store, boss)).at()).messages
      .filter(({ metadata }) => metadata["task"] !== undefined)
      .map(textOf);
  await expect.poll(async () => (await reports()).length).toBeGreaterThanOrEqual(2);
  await expect.poll(async () => (await dispatcher.status(boss)).inputs).toBe(0);
  const [one, two, ...more] = await reports();
  expect(one).toContain(ends[0]![2]);
  expect(two).toContain(ends[1]![2]);
  expect(more).toEqual([]);

  const turnsIn = (): readonly number[] =>
    [...streamed.text.matchAll(/^data: (\{.*"type":"turn\.end".*\})$/gmu)].map(
      ([, json]) => (JSON.parse(json!) as AgentEvent).turn,
    );
  await expect.poll(turnsIn).toEqual([1, 2, 3, 4, 5]);
  end.abort();
  await Promise.all([listening, streaming]);
}

type Cell = {
  readonly name: string;
  readonly store: () => StoreSpec;
  readonly queue?: () => NonNullable<EndsOrders["queue"]>;
  readonly kills: number;
  readonly skipped?: string | undefined;
};

const inPostgres = (): StoreSpec => ({ kind: "postgres", connectionString: postgres!.connectionString });
const noServers = postgres ? (redis ? undefined : NO_REDIS) : NO_POSTGRES;
const cells: readonly Cell[] = [
  {
    name: "SQLite",
    store: () => ({ kind: "sqlite", path: join(folder, "s.sqlite") }),
    kills: isSoak ? 120 : 8,
  },
  ...(isSoak
    ? ([
        { name: "files", store: () => ({ kind: "file", dir: join(folder, "files") }), kills: 120 },
        {
          name: "Postgres, and BullMQ on Postgres",
          store: inPostgres,
          queue: () => ({ postgres: postgres!.connectionString, name: "ends" }),
          kills: 130,
          skipped: noServers,
        },
        {
          name: "Postgres, and BullMQ on Redis",
          store: () => ({ ...inPostgres(), schema: "ends_redis" }) as StoreSpec,
          queue: () => ({ redis: redis!.url, name: "ends" }),
          kills: 130,
          skipped: noServers,
        },
      ] satisfies readonly Cell[])
    : []),
];

describe.each(cells)(
  "kill -9 within hooks, extraction and appends: $name",
  ({ store: spec, queue, kills, skipped }) => {
    test.skipIf(skipped)(
      "each turn has one end, one answer and one report, for every reader",
      { timeout: 7_200_000 },
      async () => {
        const store = await openStore(spec());
        await store.list();
        const transport = queue ? bullQueue({ ...queue(), lockMs: 1_000 }) : inProcessQueue();
        const dispatcher = createDispatcher({ store, queue: transport });
        const app = createServer({
          dispatcher,
          store,
          tokens: [{ tenant: TENANT, scopes: ["read", "write", "decide"], token: TOKENS.acme }],
          mcp: { agents: { desk: "Answers." }, key: "k".repeat(32) },
        });
        const { url, close } = await serve(app);
        const mortals = new Mortals(
          { store: spec(), memory: join(folder, "memory.sqlite"), ...(queue && { queue: queue() }) },
          kills,
          kills,
        );
        onTestFinished(async () => {
          await mortals.end();
          await close();
          await transport.close();
          await store.close();
        });
        for (let round = 1; round === 1 || !mortals.isDone; round++) {
          await playRound(`round-${round}`, { store, dispatcher, url });
          expect(mortals.accidents).toEqual([]);
        }
        expect(mortals.kills).toBeGreaterThanOrEqual(kills);
      },
    );
  },
);
