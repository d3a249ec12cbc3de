import { setTimeout as sleep } from "node:timers/promises";
import { fileStore } from "agentchart/store/file";
import { CHARTS } from "../../diagram/charts.ts";
import { tangle } from "../../diagram/tangle.ts";
import type { Step } from "../../../src/inspect/protocol/protocol.ts";
import { quarantine } from "../../../src/worker/quarantine.ts";
import { makeHome, startHub } from "./hub.ts";
import { parserFixer } from "./scene.ts";
import type { Studio } from "./states.ts";
import { makeTap } from "./tap.ts";
import { WireWorker } from "./wire-worker.ts";

/** What can be wrong around a run. */
export async function shootTroubles(studio: Studio): Promise<void> {
  await shootConnection(studio);
  await shootQuarantine(studio);
  await shootWires(studio);
}

async function shootConnection({ look, shoot }: Studio): Promise<void> {
  const home = makeHome();
  const hub = await startHub(home);
  const silent = makeTap();
  silent.tap.toPage = () => undefined;
  const connecting = await look({ at: hub.link, prepare: silent.prepare });
  await shoot(connecting.page, "connecting-dark");

  const shut = makeTap();
  shut.tap.isOpen = false;
  const unreachable = await look({ at: hub.link, prepare: shut.prepare });
  await unreachable.page.getByRole("button", { name: "Try now" }).waitFor();
  await shoot(unreachable.page, "unreachable-dark");

  const newer = makeTap();
  newer.tap.toPage = (message) => (message.type === "welcome" ? { ...message, proto: 2 } : message);
  const version = await look({ at: hub.link, prepare: newer.prepare });
  await version.page.getByTestId("welcome").waitFor();
  await shoot(version.page, "version-dark");

  const agent = parserFixer({ name: "parser-fix", inspect: hub.address });
  await agent.call("Please mend the lexer.");
  const stale = await look({ at: hub.link });
  await stale.choose(agent.sessionId);
  const { port } = new URL(hub.url);
  await hub.stop();
  const anew = await startHub(home, ["--port", port]);
  await stale.page.getByTestId("refused").waitFor({ timeout: 30_000 });
  await shoot(stale.page, "token-changed-dark");
  await agent.close();
  await anew.stop();
  home.remove();
}

/** Runs of processes that are gone, of charts that are not known or too large, and with steps that are not here. */
async function shootWires({ desk, look, shoot }: Studio): Promise<void> {
  const chart = CHARTS["three levels"]!;
  const leaves = chart.nodes.map(({ id }) => id);
  const whole = tangle(60);
  const worker = await WireWorker.connect(desk.hub, [
    { hash: "deep", chart },
    { hash: "tangle", chart: whole },
  ]);
  worker.show("unheard-of", "unheard", ["other", "other.working"], { agent: "other-machine" });
  worker.show("tangled", "tangle", ["root", "s0"], { agent: "tangle" });
  worker.show("with-a-gap", "deep", leaves.slice(0, 4), { agent: "long-watch" });
  const begun = Date.now() - 60_000;
  const step = (q: number): Step => ({ q, t: begun + q * 2, m: q * 9 + (q % 7), e: "tick", x: [], s: 0 });
  for (let from = 2; from < 26_000; from += 1_000) {
    const items = Array.from({ length: 1_000 }, (_, at) => step(from + at));
    const total = from + items.length - 1;
    worker.say({ type: "steps", runId: "with-a-gap", states: [], statesFrom: 1, items, total, first: 1 });
  }
  const page = await look();
  await page.choose("with-a-gap");
  await page.page.waitForFunction("__agentchart.stepAt(7000) !== undefined");
  await page.page.locator(".rows-of").evaluate((rows) => (rows.scrollTop = 24 * 5_497));
  await shoot(page.page, "gap-dark");
  await page.run("unheard-of").click();
  await page.page.getByText("is not known here").waitFor();
  await shoot(page.page, "unknown-chart-dark");
  await page.run("tangled").click();
  await page.page.locator(".outline-pane").waitFor();
  await shoot(page.page, "no-layout-dark");
  await worker.close();
  await page.choose("with-a-gap");
  await page.page.getByTestId("worker-lost").waitFor();
  await sleep(3_000);
  await shoot(page.page, "process-lost-dark");
}

async function shootQuarantine({ look, shoot }: Studio): Promise<void> {
  const home = makeHome();
  const store = fileStore({ dir: home.sessions });
  const agent = parserFixer({ store, sessionId: "crashing" });
  await agent.call("Please mend the lexer.");
  await agent.close();
  const lease = await store.acquire("crashing", { ttlMs: 60_000, owner: "by-hand" });
  if (!lease) throw new Error("The lease is not free.");
  await quarantine(store, lease, { reason: "3 workers died with it.", at: Date.now() }, {});
  await store.release(lease);
  await store.close();
  const hub = await startHub(home);
  const page = await look({ at: hub.link });
  await page.choose("crashing");
  await page.page.getByTestId("quarantined").waitFor();
  await shoot(page.page, "quarantined-dark");
  await hub.stop();
  home.remove();
}
