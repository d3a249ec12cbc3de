// I9: opening a session and beginning a turn costs the same at any length.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { createAgent, type AgentConfig, type SessionStore } from "agentchart";
import { exportSession, importSession } from "agentchart/session";
import { fileStore } from "agentchart/store/file";
import { memoryStore } from "agentchart/store/memory";
import { postgresStore } from "agentchart/store/postgres";
import { sqliteStore } from "agentchart/store/sqlite";
import { collectAll } from "../../src/testing/store-contract-kit.ts";
import { toolOf } from "../support/agents.ts";
import { NO_POSTGRES, startPostgres } from "../support/postgres.ts";

const server = await startPostgres();
afterAll(() => server?.stop());

const LENGTHS = process.env["SOAK"] === "1" ? [100, 1_000, 3_000] : [100, 400];

/** Asks for a tool, and answers when it has its result. */
const model: AgentConfig["model"] = {
  name: "clerk",
  async *stream({ messages }) {
    const isAsked = messages.at(-1)!.role === "user";
    if (isAsked)
      yield { type: "tool.delta", key: 0, id: `call-${messages.length}`, name: "look", args: "{}" };
    else yield { type: "text.delta", delta: "It is there." };
    yield { type: "finish", reason: isAsked ? "tool_calls" : "stop" };
  },
};
const config: AgentConfig = {
  name: "desk",
  model,
  tools: [toolOf("look", () => "shelf 4")],
  sessionId: "s",
  modelOptions: { contextWindow: { maxMessages: 40 } },
};

type Read = { entries: number; bytes: number };

/** A store that counts what is read of sessions: entries, and the bytes of all that it returns. */
function counting(inner: SessionStore) {
  const read: Read = { entries: 0, bytes: 0 };
  const store: SessionStore = {
    ...inner,
    async load(id) {
      const found = await inner.load(id);
      read.bytes += JSON.stringify(found ?? null).length;
      return found;
    },
    async *read(...args) {
      for await (const entry of inner.read(...args)) {
        read.entries++;
        read.bytes += JSON.stringify(entry).length;
        yield entry;
      }
    },
  };
  const taken = (): Read => {
    const now = { ...read };
    Object.assign(read, { entries: 0, bytes: 0 });
    return now;
  };
  return { store, taken };
}

/** Sessions of each length, as lines. */
async function written(): Promise<ReadonlyMap<number, readonly string[]>> {
  const store = memoryStore();
  const agent = createAgent({ ...config, store });
  const sessions = new Map<number, readonly string[]>();
  for (let turn = 1; turn <= LENGTHS.at(-1)!; turn++) {
    await agent.call("Where is it?");
    if (LENGTHS.includes(turn)) sessions.set(turn, await collectAll(exportSession(store, "s")));
  }
  await agent.close();
  return sessions;
}

const sessions = await written();

const STORES: readonly (readonly [name: string, open: () => SessionStore])[] = [
  ["memory", () => memoryStore()],
  ["files", () => fileStore({ dir: folder() })],
  ["SQLite", () => sqliteStore({ path: join(folder(), "s.db") })],
  [
    "Postgres",
    () => postgresStore({ connectionString: server!.connectionString, schema: "agentchart_opening" }),
  ],
];

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), "agentchart-opening-"));
  return dir;
}

describe.each(STORES)("on %s", (name, open) => {
  const isMissing = name === "Postgres" && !server;
  test.skipIf(isMissing)(
    `I9 a session is opened, and its next turn begun, at the same cost at any length${isMissing ? ` (${NO_POSTGRES})` : ""}`,
    async () => {
      const { store, taken } = counting(open());
      onTestFinished(() => store.close());
      const costs: { readonly opened: Read; readonly begun: Read }[] = [];
      for (const lines of sessions.values()) {
        await store.delete("s");
        await importSession(store, lines);
        taken();
        let begun: Read | undefined;
        const asking: AgentConfig["model"] = {
          ...model,
          stream: (...args) => ((begun ??= taken()), model.stream(...args)),
        };
        const agent = createAgent({ ...config, model: asking, store });
        await agent.open();
        const opened = taken();
        await agent.call("And now?");
        await agent.close();
        costs.push({ opened, begun: begun! });
      }
      const [short, ...longer] = costs;
      expect(short!.opened.entries).toBeGreaterThan(0);
      expect(short!.opened.entries).toBeLessThan(30);
      for (const { opened, begun } of longer) {
        expect(opened.entries).toBe(short!.opened.entries);
        expect(opened.bytes).toBeLessThan(1.3 * short!.opened.bytes); // numbers have more digits
        expect(begun.entries).toBeLessThan(1.5 * short!.begun.entries);
      }
    },
  );
});
