// Golden snapshots and journals of each released format.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Snapshot } from "agentchart";
import type { JournalEntry } from "agentchart/session";
import { openSession } from "agentchart/session";
import { memoryStore } from "../../src/store/memory.ts";
import { historyProblem } from "../support/history.ts";
import { finish, plannedAgent } from "../support/planned.ts";

const FOLDER = `${import.meta.dirname}/../fixtures/sessions`;
const read = (file: string): string => readFileSync(`${FOLDER}/${file}`, "utf8");
const snapshots = readdirSync(FOLDER).filter((file) => file.endsWith(".json"));
const journals = readdirSync(FOLDER).filter((file) => file.endsWith(".ndjson"));

describe("golden snapshots of every released format restore for ever", () => {
  test("there is one for every state a session can be seen in", () => {
    expect(snapshots.length).toBeGreaterThanOrEqual(20);
  });

  test.each(snapshots)("%s goes on to its end with a valid history", async (file) => {
    const agent = plannedAgent({ sessionOptions: { snapshot: JSON.parse(read(file)) as Snapshot } });
    await finish(agent);
    expect(historyProblem(await agent.messages())).toBeUndefined();
    expect(agent.status().phase).toBe("stopped");
  });
});

describe.each(journals)("golden journal %s", (file) => {
  const entries = read(file)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as JournalEntry);
  const positions = entries.flatMap(({ type, seq }) => (type === "position" ? [seq] : []));

  test("restores at every commit and ends in the same answer, with recorded results never run again", async () => {
    let last: string | undefined;
    for (const seq of positions) {
      const store = memoryStore();
      const lease = (await store.acquire("golden", { owner: "test", ttlMs: 1_000 }))!;
      const prefix = entries.slice(0, seq);
      await store.append("golden", {
        expectedSeq: 0,
        fence: lease.fence,
        entries: prefix,
        position: { phase: "unfinished" },
      });
      await store.release(lease);
      const recorded = new Set(
        prefix.flatMap(({ type, data }) => {
          const { id, set } = data as { id?: string; set?: { result?: unknown } };
          const { messages = [] } = data as { messages?: { content?: { type: string; id?: string }[] }[] };
          const stored = messages
            .flatMap(({ content = [] }) => content)
            .filter((block) => block.type === "tool_result");
          return type === "call" && set?.result ? [id] : stored.map((block) => block.id);
        }),
      );
      const ran: string[] = [];
      const { plannedTools } = await import("../support/planned.ts");
      const agent = plannedAgent({ store, sessionId: "golden", tools: plannedTools((id) => ran.push(id)) });
      await finish(agent);
      const messages = await agent.messages();
      expect(historyProblem(messages), `cut at ${seq}`).toBeUndefined();
      expect(
        ran.filter((id) => recorded.has(id)),
        `cut at ${seq}`,
      ).toEqual([]);
      const block = messages.at(-1)?.content[0];
      const answer = block?.type === "text" ? block.text : "";
      last ??= answer;
      expect(answer, `cut at ${seq}`).toBe(last);
      await agent.close();
    }
    expect(positions.length).toBeGreaterThan(10);
  });

  test("shows each moment read-only", async () => {
    const store = memoryStore();
    const lease = (await store.acquire("golden", { owner: "test", ttlMs: 1_000 }))!;
    await store.append("golden", {
      expectedSeq: 0,
      fence: lease.fence,
      entries,
      position: { phase: "stopped" },
    });
    const session = await openSession(store, "golden");
    const moments = await Promise.all(positions.map((seq) => session.at(seq)));
    const lengths = moments.map(({ messages }) => messages.length);
    expect(lengths).toEqual(lengths.toSorted((a, b) => a - b));
    expect(moments.at(-1)).toMatchObject({ state: "stopped.idle", reason: "MODEL_STOP", pending: [] });
    await expect(session.at(99_999)).rejects.toMatchObject({ code: "session/not-found" });
  });
});
