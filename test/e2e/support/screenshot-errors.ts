import { setTimeout as sleep } from "node:timers/promises";
import { fileStore } from "agentchart/store/file";
import { CHARTS } from "../../diagram/charts.ts";
import { tangle } from "../../diagram/tangle.ts";
import type { Step as WireStep } from "../../../src/inspect/protocol/protocol.ts";
import { quarantine } from "../../../src/worker/inbox.ts";
import { makeHome, startHub } from "./hub.ts";
import { parserFixer } from "./parser-fixer.ts";
import type { ScreenshotTools } from "./screenshot-states.ts";
import { makeConnectionProxy } from "./connection-proxy.ts";
import { WireWorker } from "./wire-worker.ts";

/** Takes screenshots of what can go wrong around a run. */
export async function shootErrors(studio: ScreenshotTools): Promise<void> {
  await shootConnection(studio);
  await shootQuarantine(studio);
  await shootWires(studio);
}

async function shootConnection({ look, shoot }: ScreenshotTools): Promise<void> {
  const home = makeHome();
  const hub = await startHub(home);
  const withoutAnswer = makeConnectionProxy();
  withoutAnswer.proxy.toPage = () => undefined;
  const connecting = await look({ at: hub.link, prepare: withoutAnswer.prepare });
  await shoot(connecting.page, "connecting-dark");

  const closed = makeConnectionProxy();
  closed.proxy.isOpen = false;
  const unreachable = await look({ at: hub.link, prepare: closed.prepare });
  await unreachable.page.getByRole("button", { name: "Retry now" }).waitFor();
  await shoot(unreachable.page, "unreachable-dark");

  const newer = makeConnectionProxy();
  newer.proxy.toPage = (message) => (message.type === "welcome" ? { ...message, proto: 2 } : message);
  const version = await look({ at: hub.link, prepare: newer.prepare });
  await version.page.getByTestId("welcome").waitFor();
  await shoot(version.page, "version-dark");

  const agent = parserFixer({ name: "parser-fix", inspect: hub.address });
  await agent.call("Please mend the lexer.");
  const stale = await look({ at: hub.link });
  await stale.choose(agent.sessionId);
  const { port } = new URL(hub.url);
  await hub.stop();
  const restarted = await startHub(home, ["--port", port]);
  await stale.page.getByTestId("refused").waitFor();
  await shoot(stale.page, "token-changed-dark");
  await agent.close();
  await restarted.stop();
  home.remove();
}

/**
 * Takes screenshots of runs whose process is lost, whose chart is unknown or too large, or whose steps are not
 * loaded.
 */
async function shootWires({ env, look, shoot }: ScreenshotTools): Promise<void> {
  const chart = CHARTS["three levels"]!;
  const leaves = chart.nodes.map(({ id }) => id);
  const largeChart = tangle(60);
  const worker = await WireWorker.connect(env.hub, [
    { hash: "deep", chart },
    { hash: "tangle", chart: largeChart },
  ]);
  worker.show("unheard-of", "unheard", ["other", "other.working"], { agent: "other-machine" });
  worker.show("tangled", "tangle", ["root", "s0"], { agent: "tangle" });
  worker.show("with-a-gap", "deep", leaves.slice(0, 4), { agent: "long-watch" });
  const begun = Date.now() - 60_000;
  const step = (n: number): WireStep => ({
    q: n,
    t: begun + n * 2,
    m: n * 9 + (n % 7),
    e: "tick",
    x: [],
    s: 0,
  });
  for (let from = 2; from < 26_000; from += 1_000) {
    const items = Array.from({ length: 1_000 }, (_, at) => step(from + at));
    const total = from + items.length - 1;
    worker.send({ type: "steps", runId: "with-a-gap", states: [], statesFrom: 1, items, total, first: 1 });
  }
  const page = await look();
  await page.choose("with-a-gap");
  await page.waitUntilLoaded(7_000);
  await page.page.locator(".rows-of").evaluate((rows) => (rows.scrollTop = 24 * 5_497));
  await shoot(page.page, "gap-dark");
  await page.run("unheard-of").click();
  await page.page.getByText("The chart of this run is unknown").waitFor();
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

async function shootQuarantine({ look, shoot }: ScreenshotTools): Promise<void> {
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
