// The search of runs by what is odd in them.
import { expect, onTestFinished, test } from "vitest";
import { inspector, type Suspicion, type SuspicionCheck } from "agentchart/inspect";
import { memoryStore } from "agentchart/store/memory";
import type { RunRow } from "../../../src/inspect/protocol/protocol.ts";
import { testHome, testHub } from "../../support/hub-page.ts";
import { get, type List } from "../../support/stored-runs.ts";
import { SUSPICIOUS_RUNS } from "../suspicions/suspicious-runs.ts";

const RUNS = {
  repeats: "the same call three times",
  edits: "an answer and a reply that hooks changed",
  quiet: "nothing odd",
} as const;

const greeting: SuspicionCheck = {
  name: "greeting",
  title: "a run that begins with go",
  find: ({ messages }) =>
    messages[0]?.text === "go" ? [{ text: "It begins with go.", steps: [messages[0].step] }] : [],
};

type Page = List & { readonly unindexed?: number };

test.each(["live", "store"] as const)("%s runs are found by what is odd in them", async (source) => {
  const home = testHome();
  const store = memoryStore();
  const hub = await testHub({ home, suspicions: [greeting], ...(source === "store" && { store }) });
  const inspect = inspector({ home, retryMs: [10, 50] });
  onTestFinished(() => inspect.close());
  for (const [sessionId, name] of Object.entries(RUNS)) {
    const agent = await SUSPICIOUS_RUNS[name]!.play({
      sessionId,
      ...(source === "live" ? { inspect } : { store }),
    });
    onTestFinished(() => agent.close());
  }
  const listed = (query: string): Promise<Page> => get<Page>(hub, `/api/runs?${query}`);
  const idsOf = async (query: string): Promise<readonly string[]> =>
    (await listed(query)).rows.map(({ runId }) => runId).toSorted();
  const queries: readonly (readonly [string, readonly string[]])[] = [
    ["suspicion=any", ["edits", "quiet", "repeats"]],
    ["suspicion=repeated-call", ["repeats"]],
    ["suspicion=changed-answer", ["edits"]],
    ["suspicion=greeting", ["quiet"]],
    ["suspicion=nothing-of-the-kind", []],
    ["suspicion=any&q=find", ["repeats"]],
    ["suspicion=any&group=running", []],
    ["", ["edits", "quiet", "repeats"]],
  ];
  for (const [query, ids] of queries) await expect.poll(() => idsOf(query), { message: query }).toEqual(ids);
  const [row] = (await listed("suspicion=repeated-call")).rows;
  expect(row!.suspicions).toEqual([{ kind: "repeated-call", label: "look ×3" }]);
  const first = await listed("suspicion=any&limit=2");
  expect(first).toMatchObject({ total: 3 });
  const second = await listed(`suspicion=any&limit=2&cursor=${encodeURIComponent(first.cursor!)}`);
  expect(second.cursor).toBeUndefined();
  expect(new Set([...first.rows, ...second.rows].map(({ runId }) => runId)).size).toBe(3);
  const { suspicions, upTo } = await get<{ suspicions: readonly Suspicion[]; upTo: number }>(
    hub,
    "/api/runs/repeats/suspicions",
  );
  const { row: opened } = await get<{ row: RunRow }>(hub, "/api/runs/repeats");
  expect(suspicions).toMatchObject([{ kind: "repeated-call", label: "look ×3" }]);
  expect(upTo).toBe(opened.steps);
  expect(opened.suspicions).toEqual(row!.suspicions);
  const { checks } = await get<{ checks: readonly { name: string }[] }>(hub, "/api/suspicions");
  expect(checks.map(({ name }) => name)).toContain("greeting");
});

test("a session that has gone on is judged again", async () => {
  const store = memoryStore();
  const hub = await testHub({ home: testHome(), store });
  const { play } = SUSPICIOUS_RUNS["the same call three times"]!;
  const agent = await SUSPICIOUS_RUNS["nothing odd"]!.play({ store, sessionId: "s" });
  const found = async (): Promise<number> => (await get<List>(hub, "/api/runs?suspicion=any")).rows.length;
  await expect.poll(found).toBe(0);
  await agent.close();
  const next = await play({ store, sessionId: "s" });
  await next.close();
  await expect.poll(found).toBe(1);
});
