// The page tells of a session that was taken over, and in which process each attempt of a call ran, live, stored and from a file.
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createAgent,
  defineTool,
  type Agent,
  type AgentConfig,
  type Json,
  type SessionStore,
} from "agentchart";
import { fileStore } from "agentchart/store/file";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { thisProcessName } from "../../src/store/leases.ts";
import { mortal } from "../worker/mortal.ts";
import { NO_FAULTS } from "./support/browser.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import type { InspectorPage } from "./support/inspector-page.ts";

const LEASE_MS = 30_000;
const FORMER = "pid 1 on <img src=x onerror=alert(1)> (00000000)";

/** As a process of another name would have written it. */
const redact = (value: Json): Json =>
  JSON.parse(JSON.stringify(value).replaceAll(thisProcessName(), FORMER)) as Json;

/** A session whose process dies in a call, and which another one goes on with. */
async function takenOver(
  storeOf: (now: () => number) => SessionStore,
  sessionId: string,
  watched: Partial<AgentConfig>,
): Promise<Agent> {
  let ahead = 0;
  const real = storeOf(() => Date.now() + ahead);
  const expire = (): void => void (ahead += LEASE_MS + 1);
  const dying = mortal(real);
  const running = Promise.withResolvers<void>();
  const pay = (execute: () => string | Promise<string>) =>
    defineTool({ name: "pay", description: "", input: { type: "object" }, onRestart: "retry", execute });
  const common = { name: "desk", sessionId } as const;
  const hangs = pay(() => {
    running.resolve();
    return new Promise<string>(() => {});
  });
  const model = scriptedModel([{ calls: [{ id: "c1", name: "pay", input: {} }] }]);
  const former = createAgent({
    ...common,
    model,
    tools: [hangs],
    store: dying.store,
    sessionOptions: { redact },
  });
  former.call("Pay.").catch(() => {});
  await running.promise;
  await expect.poll(async () => JSON.stringify(await real.load(sessionId))).toContain("acting");
  dying.bury();
  expire();
  await real.acquire(sessionId, { owner: FORMER, ttlMs: LEASE_MS });
  expire();
  const agent = createAgent({
    ...common,
    ...watched,
    model: scriptedModel(["It is paid."]),
    tools: [pay(() => "paid")],
    store: real,
  });
  await agent.call([]);
  return agent;
}

let env: Environment;
beforeAll(async () => {
  env = await makeEnvironment();
});
afterAll(() => env.close());

/** What the page shows of the take-over and of the attempts. */
async function shownOf(ui: InspectorPage): Promise<readonly string[]> {
  await expect.poll(() => ui.page.locator("body").innerText()).toContain("taken over from");
  const texts = await ui.page.getByText(/taken over from/).allInnerTexts();
  const attempts = ui.panel("conversation").locator(".failed-attempts");
  await expect.poll(() => attempts.count()).toBe(1);
  return [...texts, await attempts.innerText()].map((text) =>
    text.replaceAll(/(?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d/g, "TIME"),
  );
}

test("a run that was taken over says so, and where its attempts ran, live, stored and from a file", async () => {
  const live = await takenOver((now) => memoryStore({ now }), "over-live", { inspect: env.hub.address });
  const inFiles = (now: () => number) => fileStore({ dir: env.home.sessions, now });
  await (await takenOver(inFiles, "over-stored", {})).close();
  const { ui, page, faults } = await env.open({ viewport: { width: 1_440, height: 900 } });
  await ui.run("over-stored").click();
  const stored = await shownOf(ui);
  expect(stored.join("\n")).toContain(FORMER);
  expect(stored.at(-1)).toMatch(/attempt 1 failed after .+ in pid 1 on <img src=x onerror=alert\(1\)>/);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: /^Export this run/ }).click(),
  ]);
  const file = join(env.home.path, "run.ndjson");
  await download.saveAs(file);
  await ui.run("over-live").click();
  const inLive = await shownOf(ui);
  await page.getByTestId("open-file").setInputFiles(file);
  await page.getByTestId("file").waitFor();
  expect(await shownOf(ui)).toEqual(stored);
  const untimed = (texts: readonly string[]) =>
    texts.map((text) => text.replaceAll(/after [^:]*? in/g, "after in"));
  expect(untimed(inLive)).toEqual(untimed(stored));
  expect(await page.locator("img[src=x]").count()).toBe(0);
  expect(faults).toEqual(NO_FAULTS);
  await live.close();
});
