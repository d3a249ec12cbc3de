// The memory of a page that is left open.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAgent } from "agentchart";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { HeldModel } from "./support/held-model.ts";
import { PageCost } from "./support/page-cost.ts";

const MEGABYTE = 1_000_000;
/** How long the page is left open: a minute, or twenty minutes with SOAK=1. */
const OPEN_FOR_MS = process.env["SOAK"] === "1" ? 20 * 60_000 : 60_000;

let env: Environment;
beforeAll(async () => {
  env = await makeEnvironment();
});
afterAll(() => env.close());

test("the heap of a page that is left open does not grow", { timeout: OPEN_FOR_MS + 120_000 }, async () => {
  const held = new HeldModel();
  const endless = { timeoutMs: Number.POSITIVE_INFINITY, idleTimeoutMs: Number.POSITIVE_INFINITY };
  const agent = createAgent({
    name: "waiting",
    model: held.model,
    modelOptions: { execution: endless },
    inspect: env.hub.address,
  });
  const reply = agent.call("Wait.");
  await held.requested(1);
  const { page, ui } = await env.open({ reducedMotion: "no-preference" });
  const cost = await PageCost.of(page);
  await ui.choose(agent.sessionId);
  const before = await cost.steadyHeap();
  await sleep(OPEN_FOR_MS);
  expect(await cost.heap()).toBeLessThan(before * 1.1 + MEGABYTE);
  held.send({ type: "text.delta", delta: "Done." }, { type: "finish", reason: "stop" });
  await reply;
  await expect.poll(() => ui.status()).toMatch(/stopped/);
  await agent.close();
});
