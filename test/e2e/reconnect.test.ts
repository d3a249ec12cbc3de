import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { makeDesk, type Desk } from "./support/desk.ts";
import { startHub } from "./support/hub.ts";

let desk: Desk;
const children = new Set<ChildProcess>();
beforeAll(async () => {
  desk = await makeDesk();
});
afterAll(() => desk.close());
afterEach(async () => {
  for (const child of children) child.kill("SIGKILL");
  await desk.closePages();
});

/** An agent in a process of its own. */
function startAgent(sessionId: string, rounds?: number): { child: ChildProcess; said: Promise<string> } {
  const file = join(import.meta.dirname, "support/worker-process.ts");
  const args = [
    "--conditions=agentchart-source",
    file,
    desk.hub.address,
    sessionId,
    ...(rounds ? [String(rounds)] : []),
  ];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  children.add(child);
  let output = "";
  child.stdout.on("data", (data) => (output += String(data)));
  const said = once(child, "exit").then(() => {
    children.delete(child);
    return output;
  });
  return { child, said };
}

type Stored = { readonly items: readonly { readonly q: number }[]; readonly total: number };

/** The numbers of all steps that the hub has of a run. */
async function stepsOf(runId: string): Promise<number[]> {
  const steps: number[] = [];
  for (;;) {
    const from = steps.length + 1;
    const response = await fetch(`${desk.hub.url}/api/runs/${runId}/steps?from=${from}&to=${from + 999}`, {
      headers: { authorization: `Bearer ${desk.hub.token}` },
    });
    const { items, total } = (await response.json()) as Stored;
    steps.push(...items.map(({ q }) => q));
    if (items.length === 0 || steps.length >= total) return steps;
  }
}

test("the hub is killed and started anew: the page says so and goes on, no step is lost or doubled", async () => {
  const { port } = new URL(desk.hub.url);
  await desk.hub.stop();
  desk.hub = await startHub(desk.home, ["--port", port]);
  const { child, said } = startAgent("survivor");
  const { page, ui } = await desk.open();
  await ui.run("survivor").waitFor();
  await ui.choose("survivor");
  await expect.poll(async () => (await ui.step())[1]).toBeGreaterThan(50);

  await desk.hub.stop("SIGKILL");
  await page.getByTestId("lost").waitFor();
  const [seen] = await ui.step();
  expect(await ui.active()).not.toEqual([]);
  expect(await page.getByRole("button", { name: /^Interrupt/ }).isDisabled()).toBe(true);
  desk.hub = await startHub(desk.home, ["--port", port]);
  await page.getByTestId("lost").waitFor({ state: "detached" });

  await expect.poll(async () => (await ui.step())[1]).toBeGreaterThan(seen + 50);
  child.kill("SIGUSR2");
  const { text, asked, ticks } = JSON.parse(await said) as { text: string; asked: number; ticks: number };
  expect([text, ticks]).toEqual(["Done.", asked]);
  await ui.rests();
  await expect.poll(() => ui.standing()).toMatch(/stopped/);
  const [shown, newest] = await ui.step();
  expect(newest).toBeGreaterThan(seen);
  expect(shown).toBe(newest);
  const steps = await stepsOf("survivor");
  expect(steps).toEqual(Array.from({ length: newest }, (_, index) => index + 1));
  const inPage = await page.evaluate(
    `Array.from({ length: ${newest} }, (_, index) => __agentchart.stepAt(index + 1)?.q ?? 0)`,
  );
  expect(inPage).toEqual(steps);
});

test("a process is killed: its run is marked, and nothing can be asked of it", async () => {
  const { child, said } = startAgent("doomed");
  const { page, ui } = await desk.open();
  await ui.run("doomed").waitFor();
  await ui.choose("doomed");
  await expect.poll(async () => (await ui.step())[1]).toBeGreaterThan(20);
  child.kill("SIGKILL");
  await said;
  await page.getByTestId("worker-lost").waitFor();
  expect(await ui.run("doomed").getAttribute("data-lost")).not.toBeNull();
  expect(await page.getByRole("button", { name: /^(Interrupt|Pause|Steer)/ }).count()).toBe(0);
  const isWhole = async (): Promise<boolean> => (await stepsOf("doomed")).length === (await ui.step())[1];
  await expect.poll(isWhole).toBe(true);
});

test("an agent that is there before its hub, and one without a hub, do their work", async () => {
  await desk.hub.stop();
  const early = startAgent("early", 40);
  const alone = startAgent("alone", 5);
  expect(JSON.parse(await alone.said)).toEqual({ text: "Done.", asked: 5, ticks: 5 });
  const { port } = new URL(desk.hub.url);
  const { token, workerToken } = desk.hub;
  desk.hub = await startHub(desk.home, ["--port", port]);
  expect([desk.hub.token === token, desk.hub.workerToken === workerToken]).toEqual([false, false]);
  expect(JSON.parse(await early.said)).toEqual({ text: "Done.", asked: 40, ticks: 40 });
});
