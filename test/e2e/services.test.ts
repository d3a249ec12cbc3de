// Running services with their clocks, and playing a run.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createAgent, defineTool, type StreamPart } from "agentchart";
import { accessibilityProblems } from "./support/axe.ts";
import { NO_FAULTS } from "./support/browser.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { HeldModel } from "./support/held-model.ts";
import { longRunner } from "./support/long-run.ts";
import { recordMicrosteps } from "./support/record-microsteps.ts";
import { settled } from "./support/settled.ts";

let env: Environment;
beforeAll(async () => {
  env = await makeEnvironment();
});
afterEach(() => env.closePages());
afterAll(() => env.close());

test("running hooks, model calls and tool calls are shown with a clock, followed by tokens and cost", async () => {
  const held = new HeldModel();
  const hook = Promise.withResolvers<void>();
  const tools = ["look", "listen"].map((name) => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const tool = defineTool({ name, description: name, input: { type: "object" }, execute: () => promise });
    return { tool, end: () => resolve("nothing") };
  });
  const agent = createAgent({
    name: "watched",
    model: held.model,
    tools: tools.map(({ tool }) => tool),
    parallelToolCalls: true,
    hooks: [{ name: "slow", preReasoning: () => hook.promise }],
    modelOptions: { prices: { held: { input: 2, output: 10 } } },
    inspect: env.hub.address,
  });
  const { page, ui, faults } = await env.open();
  const turn = agent.call("What is there?");
  await ui.choose(agent.sessionId);
  const badges = page.locator("[data-service]");
  const services = (): Promise<string[]> =>
    badges.evaluateAll((all) => all.map((badge) => badge.querySelector("span")!.textContent));
  await expect.poll(services).toEqual(["runHooks"]);
  const clock = badges.first().locator(".num");
  // the clock shows seconds and advances
  await expect.poll(() => clock.innerText()).toMatch(/^[\d.]+ s$/);
  const before = await clock.innerText();
  await expect.poll(() => clock.innerText()).not.toBe(before);
  hook.resolve();
  await held.requested(1);
  await expect.poll(services).toEqual(["callModel"]);
  held.send(
    { type: "tool.delta", key: 0, name: "look", args: "{}" },
    { type: "tool.delta", key: 1, name: "listen", args: "{}" },
    { type: "usage", usage: { inputTokens: 1_500, cachedInputTokens: 0, outputTokens: 300 } },
    { type: "finish", reason: "tool_calls" },
  );
  await expect.poll(services).toEqual(["look", "listen"]);
  tools[0]!.end();
  await expect.poll(services).toEqual(["listen"]);
  tools[1]!.end();
  await held.requested(2);
  held.send(
    { type: "text.delta", delta: "Nothing." },
    { type: "usage", usage: { inputTokens: 2_500, cachedInputTokens: 0, outputTokens: 100 } },
    { type: "finish", reason: "stop" },
  );
  await turn;
  await expect.poll(services).toEqual([]);
  const metrics = async (): Promise<string> =>
    (await page.locator("dl.metrics").innerText()).replaceAll(/\s+/g, " ");
  await expect.poll(metrics).toMatch(/in 4k cached 0 out 400 cost \$0\.012/i);
  // what changes more often than eight times in a second is not animated
  const animations = async (): Promise<number> => {
    await ui.goTo(3);
    await ui.goTo(4);
    return page.locator("svg.chart .animation").count();
  };
  await expect.poll(animations, { interval: 1_500 }).toBeGreaterThan(0);
  expect(faults).toEqual(NO_FAULTS);
  await agent.close();
});

test("a run can be played from a step, compared with another step and filtered by a state", async () => {
  const agent = longRunner(6, env.hub.address);
  const microsteps = recordMicrosteps(agent);
  await agent.call("Look.");
  const { page, ui } = await env.open();
  await ui.choose(agent.sessionId);
  await expect.poll(async () => (await ui.steps())[1]).toBe(microsteps.length);
  await ui.goTo(2);
  await page.getByLabel("Speed").selectOption("4");
  await expect.poll(async () => (await ui.steps())[0]).toBeGreaterThan(4);
  await ui.goTo(20);
  await page.getByRole("button", { name: "Play (space)" }).waitFor();
  const diff = await ui.openTab("diff");
  const toLast = await ui.changedPaths(diff);
  await diff.getByRole("spinbutton").fill("3");
  await expect.poll(() => ui.changedPaths(diff)).not.toEqual(toLast);
  expect(await diff.innerText()).toMatch(/messages/);
  await page.locator('svg.chart [data-state="agent.acting.reviewing"]').click();
  const rows = page.locator(".timeline [data-step]");
  const wanted = microsteps.flatMap(({ states }, index) =>
    states.includes("agent.acting.reviewing") ? [String(index + 1)] : [],
  );
  await expect
    .poll(() =>
      rows.evaluateAll((all) => all.map((row) => row.getAttribute("data-step")!).toSorted((a, b) => +a - +b)),
    )
    .toEqual(wanted);
  await agent.close();
});

/** An agent with 50 open calls: 3 have failed, 6 are done, 40 run, and one waits because 40 run. */
async function agentWithManyCalls() {
  const end = Promise.withResolvers<string>();
  const held = new HeldModel();
  const fetchPage = defineTool({
    name: "fetch_page",
    description: "Fetches a page.",
    input: { type: "object" },
    maxParallel: 40,
    execute: (input) => {
      const { n } = input as { readonly n: number };
      if (n < 3) throw new Error("The page is missing.");
      return n < 9 ? "A page." : end.promise;
    },
  });
  const agent = createAgent({
    name: "crawler",
    model: held.model,
    tools: [fetchPage],
    parallelToolCalls: true,
    inspect: env.hub.address,
  });
  const turn = agent.call("Read everything.");
  await held.requested(1);
  const calls = Array.from({ length: 50 }, (_, key): StreamPart => {
    const args = JSON.stringify({ n: key, url: `https://example.com/<b>page</b>/${"deep/".repeat(12)}` });
    return { type: "tool.delta", key, name: "fetch_page", args };
  });
  held.send(...calls, { type: "finish", reason: "tool_calls" });
  const finish = async (): Promise<void> => {
    end.resolve("A slow page.");
    await held.requested(2);
    held.send({ type: "text.delta", delta: "Read." }, { type: "finish", reason: "stop" });
    await turn;
  };
  return { agent, finish };
}

/** What of the bar of calls covers the chart, lies outside of the chart's panel, or is cut. */
const FAULTY_PARTS = `(() => {
  const pane = document.querySelector(".chart-pane").getBoundingClientRect();
  const canvas = document.querySelector(".canvas").getBoundingClientRect();
  const bar = document.querySelector(".calls-bar");
  const list = bar.querySelector(".calls-list");
  const faults = canvas.height < 100 ? ["no room for the chart: " + canvas.height] : [];
  for (const part of [bar, ...bar.querySelectorAll("button, .calls-list")]) {
    const { left, right, top, bottom } = part.getBoundingClientRect();
    const name = part.className;
    if (top < canvas.bottom && bottom > canvas.top) faults.push(name + " covers the chart");
    if (left < pane.left || right > pane.right || bottom > pane.bottom + 0.5) faults.push(name + " is cut");
  }
  for (const text of bar.querySelectorAll("button > *, li > *")) {
    if (text.textContent === "") continue;
    const { left, right } = text.getBoundingClientRect();
    if (text.scrollWidth > text.clientWidth + 1 && getComputedStyle(text).display !== "inline")
      faults.push(text.className + " is wider than its box");
    if (left < pane.left || right > pane.right) faults.push(text.textContent + " is cut");
  }
  for (const row of list?.querySelectorAll("li") ?? []) {
    const boxes = [...row.children].map((part) => part.getBoundingClientRect());
    boxes.forEach((a, at) => boxes.slice(at + 1).forEach((b) => {
      if (a.left < b.right && b.left < a.right && a.top < b.bottom - 1 && b.top < a.bottom - 1)
        faults.push("texts overlap in " + row.textContent);
    }));
  }
  return faults;
})()`;

test("many parallel calls are one chip outside of the chart, which opens into a list by keyboard", async () => {
  const { agent, finish } = await agentWithManyCalls();
  for (const [width, height, colorScheme] of [
    [1440, 900, "dark"],
    [1024, 768, "light"],
    [390, 844, "dark"],
  ] as const) {
    const { page, ui, faults } = await env.open({ viewport: { width, height }, colorScheme });
    const phoneNav = page.getByRole("navigation", { name: "Panels" });
    if (width === 390) await phoneNav.getByRole("button", { name: "Runs" }).click();
    await ui.choose(agent.sessionId);
    const bar = page.getByRole("region", { name: "Parallel calls", exact: true });
    const chip = bar.getByRole("button");
    const list = page.getByRole("region", { name: "List of parallel calls" });
    const rows = list.getByRole("listitem");
    await expect
      .poll(() => bar.locator("[data-count]").allInnerTexts())
      .toEqual(["3 failed", "1 waiting", "40 running", "6 done"]);
    expect(await page.locator("[data-service]").count()).toBe(0);
    expect(await chip.getAttribute("aria-expanded")).toBe("false");
    await settled(page);
    expect(await page.evaluate(FAULTY_PARTS), `closed at ${width}`).toEqual([]);
    await chip.focus();
    await page.keyboard.press("Enter");
    await list.waitFor();
    expect(await chip.getAttribute("aria-expanded")).toBe("true");
    expect(await rows.count()).toBe(50);
    const states = await rows.locator(".badge").allInnerTexts();
    expect(states.slice(0, 5)).toEqual(["error", "error", "error", "not run yet", "running"]);
    expect(await rows.nth(0).innerText()).toMatch(/fetch_page\s+\{"n":0,"url":"[^"]+<b>page<\/b>/);
    const times = await rows.locator(".time").allInnerTexts();
    expect(times.filter((time) => !/^[\d.]+ m?s$/.test(time))).toEqual([]);
    const part = width === 1024 ? undefined : ".chart-pane";
    expect(await accessibilityProblems(page, part), `axe at ${width}`).toEqual([]);
    expect(await page.evaluate(FAULTY_PARTS), `open at ${width}`).toEqual([]);
    // the arrow and page keys scroll the focused list, and do not move through the steps
    const shown = (): Promise<number> => page.evaluate("__agentchart.drawn");
    const before = await shown();
    await page.keyboard.press("Tab");
    await list.and(page.locator(":focus")).waitFor();
    await page.keyboard.press("End");
    await expect
      .poll(() => list.evaluate(({ scrollTop }: { scrollTop: number }) => scrollTop))
      .toBeGreaterThan(100);
    expect(await shown()).toBe(before);
    await page.keyboard.press("Escape");
    await list.waitFor({ state: "detached" });
    await chip.and(page.locator(":focus")).waitFor();
    await page.locator("body").press("o");
    await bar.waitFor();
    const [outline, beside] = await Promise.all([
      page.locator(".outline-pane").boundingBox(),
      bar.boundingBox(),
    ]);
    const isApart =
      beside!.y >= outline!.y + outline!.height - 1 || beside!.y + beside!.height <= outline!.y + 1;
    expect(isApart, `beside the outline at ${width}`).toBe(true);
    await page.locator("body").press("o");
    expect(faults).toEqual(NO_FAULTS);
    if (width === 390) {
      await finish();
      await bar.waitFor({ state: "detached" });
    }
  }
  await agent.close();
});
