// A page that reads slowly, or leaves a run.
import { createAgent, type SessionStore } from "agentchart";
import { inspector } from "agentchart/inspect";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { expect, onTestFinished, test } from "vitest";
import { HubPage, testHome, testHub } from "../../support/hub-page.ts";
import { steps, storedSession } from "../../support/stored-runs.ts";

/** An answer of 16 KB, in texts that are sent whole. It reports a usage that can be, because counting its tokens takes longer than the rest of the test. */
const answer = (turn: number) =>
  [
    { type: "thinking.delta", delta: "y".repeat(8_000) },
    { type: "text.delta", delta: "x".repeat(8_000) },
    { type: "usage", usage: { inputTokens: 4_000 * turn + 100, outputTokens: 4_000 } },
    { type: "finish", reason: "stop" },
  ] as const;

test("a page that reads too slowly gets the newest steps and a gap for the skipped ones", async () => {
  const place = testHome();
  const busy = await testHub({ home: place });
  const inspect = inspector({ home: place, retryMs: [10, 50], keep: { bytes: 4_000_000 } }); // a half of what comes at once
  onTestFinished(() => inspect.close());
  const turns = 260;
  const agent = createAgent({
    name: "bot",
    inspect,
    model: scriptedModel(Array.from({ length: turns }, (_, turn) => answer(turn))),
  });
  const page = await HubPage.open(busy);
  page.subscribe(agent.sessionId);
  await expect.poll(() => page.rows.has(agent.sessionId)).toBe(true);
  page.pause();
  for (let turn = 0; turn < turns; turn++) await agent.call("go");
  await expect
    .poll(async () => {
      const answer = await fetch(`${busy.url}/api/runs/${agent.sessionId}`, {
        headers: { authorization: `Bearer ${busy.token}` },
      });
      return ((await answer.json()) as { row: { state: string; steps: number } }).row;
    })
    .toMatchObject({ state: "stopped.idle", steps: 1 + turns * 2 });
  page.resume();
  await expect.poll(() => page.steps.get(agent.sessionId)?.at(-1)?.q).toBe(1 + turns * 2);
  const numbers = page.steps.get(agent.sessionId)!.map(({ q }) => q);
  const missing = page.gaps.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  expect(page.gaps.length).toBeGreaterThan(0);
  expect(numbers.length + missing).toBe(1 + turns * 2);
  expect(new Set(numbers).size).toBe(numbers.length);
  const later = await HubPage.open(busy); // of the run at rest, more than a page takes at once
  later.subscribe(agent.sessionId);
  await expect.poll(() => later.steps.get(agent.sessionId)?.at(-1)?.q).toBe(1 + turns * 2);
  expect(later.gaps).toEqual([]);
});

test("a run that a page has left while the store was read is not sent", async () => {
  const whole = memoryStore();
  await (await storedSession(whole, "s")).close();
  const asked = Promise.withResolvers<void>();
  const answers = Promise.withResolvers<void>();
  const store: SessionStore = {
    ...whole,
    async load(sessionId) {
      asked.resolve();
      await answers.promise;
      return whole.load(sessionId);
    },
  };
  const hub = await testHub({ home: testHome(), store });
  const page = await HubPage.open(hub);
  page.subscribe("s");
  await asked.promise;
  page.send({ type: "unsub", runId: "s" });
  await page.command("s", { type: "interrupt" });
  answers.resolve();
  await steps(hub, "s"); // what was asked before is answered before
  await page.command("s", { type: "interrupt" });
  expect(page.received.filter(({ type }) => type === "steps")).toEqual([]);
});
