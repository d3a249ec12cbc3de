// Hubs, pages and processes that go away and come back.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { startHub } from "./support/hub.ts";

let env: Environment;
const children = new Set<ChildProcess>();
beforeAll(async () => {
  env = await makeEnvironment();
});
afterAll(() => env.close());
afterEach(async () => {
  for (const child of children) child.kill("SIGKILL");
  await env.closePages();
});

/** Starts an agent in its own process. */
function startAgent(sessionId: string, rounds?: number): { child: ChildProcess; output: Promise<string> } {
  const file = join(import.meta.dirname, "support/worker-process.ts");
  const args = [
    "--conditions=agentchart-source",
    file,
    env.hub.address,
    sessionId,
    ...(rounds ? [String(rounds)] : []),
  ];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  children.add(child);
  let printed = "";
  child.stdout.on("data", (data) => (printed += String(data)));
  const output = once(child, "exit").then(() => {
    children.delete(child);
    return printed;
  });
  return { child, output };
}

type Stored = { readonly items: readonly { readonly q: number }[]; readonly total: number };

/** Returns the numbers of all steps that the hub has of a run. */
async function stepsOf(runId: string): Promise<number[]> {
  const steps: number[] = [];
  for (;;) {
    const from = steps.length + 1;
    const response = await fetch(`${env.hub.url}/api/runs/${runId}/steps?from=${from}&to=${from + 999}`, {
      headers: { authorization: `Bearer ${env.hub.token}` },
    });
    const { items, total } = (await response.json()) as Stored;
    steps.push(...items.map(({ q }) => q));
    if (items.length === 0 || steps.length >= total) return steps;
  }
}

test("a hub that is killed and restarted loses and repeats no step, and the page reconnects", async () => {
  const { port } = new URL(env.hub.url);
  await env.hub.stop();
  env.hub = await startHub(env.home, ["--port", port]);
  const { child, output } = startAgent("survivor");
  const { page, ui } = await env.open();
  await ui.run("survivor").waitFor();
  await ui.choose("survivor");
  await expect.poll(async () => (await ui.steps())[1]).toBeGreaterThan(50);

  await env.hub.stop("SIGKILL");
  await page.getByTestId("lost").waitFor();
  const [before] = await ui.steps();
  expect(await ui.activeStates()).not.toEqual([]);
  expect(await page.getByRole("button", { name: /^Interrupt/ }).isDisabled()).toBe(true);
  env.hub = await startHub(env.home, ["--port", port]);
  await page.getByTestId("lost").waitFor({ state: "detached" });

  await expect.poll(async () => (await ui.steps())[1]).toBeGreaterThan(before + 50);
  child.kill("SIGUSR2");
  const { text, calls, ticks } = JSON.parse(await output) as { text: string; calls: number; ticks: number };
  expect([text, ticks]).toEqual(["Done.", calls]);
  await ui.waitForRest();
  await expect.poll(() => ui.status()).toMatch(/stopped/);
  const [shown, newest] = await ui.steps();
  expect(newest).toBeGreaterThan(before);
  expect(shown).toBe(newest);
  const steps = await stepsOf("survivor");
  expect(steps).toEqual(Array.from({ length: newest }, (_, index) => index + 1));
  const inPage = await page.evaluate(
    `Array.from({ length: ${newest} }, (_, index) => __agentchart.stepAt(index + 1)?.number ?? 0)`,
  );
  expect(inPage).toEqual(steps);
});

test("a run whose process is killed is marked as lost and accepts no commands", async () => {
  const { child, output } = startAgent("doomed");
  const { page, ui } = await env.open();
  await ui.run("doomed").waitFor();
  await ui.choose("doomed");
  await expect.poll(async () => (await ui.steps())[1]).toBeGreaterThan(20);
  child.kill("SIGKILL");
  await output;
  await page.getByTestId("worker-lost").waitFor();
  expect(await ui.run("doomed").getAttribute("data-lost")).not.toBeNull();
  expect(await page.getByRole("button", { name: /^(Interrupt|Pause|Steer)/ }).count()).toBe(0);
  const isWhole = async (): Promise<boolean> => (await stepsOf("doomed")).length === (await ui.steps())[1];
  await expect.poll(isWhole).toBe(true);
});

test("an agent finishes its turn whether its hub starts later or not at all", async () => {
  await env.hub.stop();
  const early = startAgent("early", 40);
  const alone = startAgent("alone", 5);
  expect(JSON.parse(await alone.output)).toEqual({ text: "Done.", calls: 5, ticks: 5 });
  const { port } = new URL(env.hub.url);
  const { token, workerToken } = env.hub;
  env.hub = await startHub(env.home, ["--port", port]);
  expect([env.hub.token === token, env.hub.workerToken === workerToken]).toEqual([false, false]);
  expect(JSON.parse(await early.output)).toEqual({ text: "Done.", calls: 40, ticks: 40 });
});

test("what a killed hub had told is lost or told again: a process that died meanwhile, and one that began again", async () => {
  const { port } = new URL(env.hub.url);
  const first = startAgent("reborn");
  const { page, ui } = await env.open();
  await ui.run("reborn").waitFor();
  await ui.choose("reborn");
  await expect.poll(async () => (await ui.steps())[1]).toBeGreaterThan(300);

  await env.hub.stop("SIGKILL");
  first.child.kill("SIGKILL");
  await first.output;
  env.hub = await startHub(env.home, ["--port", port]);
  await page.getByTestId("worker-lost").waitFor();
  expect(await ui.run("reborn").getAttribute("data-lost")).not.toBeNull();
  expect(await page.getByRole("button", { name: /^(Interrupt|Pause|Steer)/ }).count()).toBe(0);

  const { output } = startAgent("reborn", 5);
  expect(JSON.parse(await output)).toEqual({ text: "Done.", calls: 5, ticks: 5 });
  const steps = await stepsOf("reborn");
  expect(steps.length).toBeLessThan(100);
  await expect.poll(() => ui.steps()).toEqual([steps.length, steps.length]);
  expect(await page.evaluate("__agentchart.stepAt(200)")).toBeUndefined();
});
