// Commands of a person to a run, and what becomes of those that are rejected.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createAgent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import type { HubToPage } from "../../src/inspect/protocol/protocol.ts";
import { CHARTS } from "../diagram/charts.ts";
import { clickTwice } from "./support/click-twice.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { startHub } from "./support/hub.ts";
import { makeConnectionProxy } from "./support/connection-proxy.ts";
import { WireWorker } from "./support/wire-worker.ts";

let env: Environment;
beforeAll(async () => {
  env = await makeEnvironment();
});
afterEach(() => env.closePages());
afterAll(() => env.close());

const chart = { hash: "the-agent", chart: CHARTS["the agent"]! };
const WAITING = ["agent", "agent.suspended", "agent.suspended.waiting"];

test("a message to a run that has continued meanwhile is rejected: the dialog keeps the text and says what has changed", async () => {
  const model = scriptedModel(["Hello.", "Meanwhile.", "Now."]);
  const agent = createAgent({ name: "bot", model, inspect: env.hub.address });
  await agent.call("Hi.");
  const { page, ui } = await env.open();
  await ui.choose(agent.sessionId);
  const conversation = page.locator('[data-panel="conversation"]');
  await conversation.getByText("Hello.").waitFor();
  await page.getByRole("button", { name: "Message" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill("Go on.");
  await agent.call("Another client was here.");
  await conversation.getByText("Meanwhile.").waitFor();
  await dialog.getByRole("button", { name: /^Send/ }).click();
  await expect
    .poll(() => dialog.getByRole("alert").innerText())
    .toMatch(/has continued since you saw it: \d+ steps later it is stopped/);
  expect(await agent.messages()).toHaveLength(4);
  expect(await dialog.getByRole("textbox").inputValue()).toBe("Go on.");
  await dialog.getByRole("button", { name: /^Send/ }).click();
  await conversation.getByText("Now.").waitFor();
  await expect.poll(() => agent.messages()).toHaveLength(6);
  await agent.close();
});

test("the conversation of a run at rest is summed up, as the user wishes", async () => {
  const model = scriptedModel(["Hello.", "Well.", "They have talked.", "Now."]);
  const agent = createAgent({
    name: "bot",
    model,
    compaction: { keepRecentTokens: 1 },
    inspect: env.hub.address,
  });
  await agent.call(`Hi. ${"Words. ".repeat(100)}`);
  await agent.call("And?");
  const { page, ui } = await env.open();
  await ui.choose(agent.sessionId);
  await page.getByRole("button", { name: "Sum up" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill("Keep the names.");
  await clickTwice(dialog.getByRole("button", { name: /^Sum up/ }));
  await page.getByText("The conversation is being summed up.").waitFor();
  await expect.poll(() => model.requests.length).toBe(3);
  expect(JSON.stringify(model.requests[2]!.messages.at(-1))).toContain("Keep the names.");
  await agent.call("Go on.");
  expect(JSON.stringify(model.requests[3]!.messages[0])).toContain("They have talked.");
  expect(await agent.messages()).toHaveLength(6);
  await agent.close();
});

test("a message that is rejected after another run was selected is not offered to the other run", async () => {
  const worker = await WireWorker.connect(env.hub, [chart]);
  const row = { phase: "stopped", can: ["send"], leaf: "w.1" } as const;
  for (const name of ["first", "other"]) worker.show(name, "the-agent", ["agent", "agent.stopped"], row);
  const { page, ui } = await env.open();
  await ui.choose("first");
  await page.getByRole("button", { name: "Message", exact: true }).click();
  await page.getByRole("dialog").getByRole("textbox").fill("For the first one.");
  await clickTwice(page.getByRole("dialog").getByRole("button", { name: /^Send/ }));
  await expect.poll(() => worker.commands).toMatchObject([{ runId: "first", text: "For the first one." }]);
  await ui.choose("other");
  const [{ id } = { id: "" }] = worker.commands;
  worker.send({
    type: "ack",
    ack: { id, ok: false, error: { code: "invalid", message: "It does not rest." } },
  });
  await page.getByText("It does not rest.").waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);
  expect(worker.commands).toHaveLength(1);
  await worker.close();
});

test("a dialog about a run closes when the browser goes back to another one, or to a page without one", async () => {
  const worker = await WireWorker.connect(env.hub, [chart]);
  const row = { phase: "stopped", can: ["send"], leaf: "w.1" } as const;
  for (const name of ["one", "another"]) worker.show(name, "the-agent", ["agent", "agent.stopped"], row);
  const { page, ui } = await env.open();
  await ui.choose("one");
  await page.evaluate('location.hash = "#/overview"');
  await page.getByTestId("many").waitFor();
  await page.evaluate('location.hash = "#/run/one"');
  await ui.choose("another");
  for (const address of ["#/run/one", "#/overview"]) {
    await page.getByRole("button", { name: "Message", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Send a message" });
    await dialog.waitFor();
    await page.goBack();
    await expect.poll(() => page.evaluate("location.hash")).toBe(address);
    await expect.poll(() => dialog.count()).toBe(0);
  }
  await worker.close();
});

test("a fork that was not acknowledged before a disconnect is repeated, with the same id, only when its process is listed again", async () => {
  const worker = await WireWorker.connect(env.hub, [chart]);
  const row = { phase: "suspended", can: ["fork", "forkPlan"], seq: 4 } as const;
  worker.show("forked", "the-agent", ["agent", "agent.stopped"], row);
  const { proxy, prepare } = makeConnectionProxy();
  const { page, ui } = await env.open({ prepare });
  await ui.choose("forked");
  await page.keyboard.press("f");
  await expect.poll(() => worker.commands.map(({ type }) => type)).toEqual(["forkPlan"]);
  const { id } = worker.commands[0]!;
  worker.send({ type: "ack", ack: { id, ok: true, seq: 4, data: { willRun: [] } } });
  await page.getByRole("dialog").getByRole("button", { name: /^Fork/ }).click();
  const forks = (): readonly string[] =>
    worker.commands.flatMap(({ id, type }) => (type === "fork" ? [id] : []));
  await expect.poll(forks).toHaveLength(1);
  const rows: HubToPage[] = [];
  const sent: string[] = [];
  proxy.toPage = (message) => (message.type === "runs" ? void rows.push(message) : message);
  proxy.toHub = (message) => {
    sent.push(message.type === "cmd" ? message.cmd.type : message.type);
    return message;
  };
  proxy.disconnect();
  await expect.poll(() => rows.length).toBeGreaterThan(0);
  await expect.poll(() => sent).toContain("sub"); // with which all that is sent again is sent
  await page.evaluate("new Promise((resolve) => setTimeout(resolve))");
  expect(sent).not.toContain("fork");
  for (const message of rows) proxy.send(message);
  await expect.poll(forks).toHaveLength(2);
  expect(new Set(forks()).size).toBe(1);
  await worker.close();
});

test("a message that was not acknowledged fails if the inspector restarts with another token, and the dialog keeps its text", async () => {
  const { port } = new URL(env.hub.url);
  await env.hub.stop();
  env.hub = await startHub(env.home, ["--port", port]);
  const worker = await WireWorker.connect(env.hub, [chart]);
  worker.show("left", "the-agent", ["agent", "agent.stopped"], {
    phase: "stopped",
    can: ["send"],
    leaf: "w.1",
  });
  const { page, ui } = await env.open();
  await ui.choose("left");
  await page.getByRole("button", { name: "Message" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill("A long thought.");
  await dialog.getByRole("button", { name: /^Send/ }).click();
  await expect.poll(() => worker.commands).toHaveLength(1);
  await env.hub.stop(); // a regular stop deletes its token
  env.hub = await startHub(env.home, ["--port", port]);
  await expect.poll(() => dialog.getByRole("alert").innerText()).toContain("no longer connected");
  expect(await dialog.getByRole("textbox").inputValue()).toBe("A long thought.");
});

test("a budget is extended for the revision that the user saw; if that is stale, the card says so and resets its form", async () => {
  const worker = await WireWorker.connect(env.hub, [chart]);
  const row = { phase: "suspended", waitsFor: ["budget"], can: ["extendBudget"], leaf: "w.7" } as const;
  worker.show("spent", "the-agent", WAITING, row, [], "modelCalls");
  const { ui } = await env.open();
  await ui.choose("spent");
  const card = ui.pending("budget");
  const amount = card.getByRole("spinbutton");
  await amount.fill("3");
  await clickTwice(card.getByRole("button", { name: /^Extend/ }));
  await expect.poll(() => worker.commands.length).toBe(1);
  const [{ id } = { id: "" }] = worker.commands;
  expect(worker.commands[0]).toMatchObject({ extra: { modelCalls: 3 }, expect: { leaf: "w.7" } });
  worker.show("spent", "the-agent", WAITING, { ...row, leaf: "w.21" }, [], "modelCalls");
  const message = "The run has continued since you saw it: 14 steps later it is suspended.";
  worker.send({ type: "ack", ack: { id, ok: false, error: { code: "stale", message } } });
  await expect.poll(() => card.getByRole("alert").innerText()).toContain("14 steps later");
  expect(await amount.inputValue()).toBe("");
  await amount.fill("1");
  await card.getByRole("button", { name: /^Extend/ }).click();
  await expect.poll(() => worker.commands[1]).toMatchObject({ expect: { leaf: "w.21" } });
  await worker.close();
});

test("a decision that was not acknowledged before the inspector was killed is sent again with the same id after both sides reconnect", async () => {
  const { port } = new URL(env.hub.url);
  await env.hub.stop();
  env.hub = await startHub(env.home, ["--port", port]);
  const before = await WireWorker.connect(env.hub, [chart]);
  const call = {
    callId: "c1",
    name: "pay",
    input: {},
    argsHash: "h1",
    waitsFor: "approval",
    since: 1,
  } as const;
  const row = { phase: "suspended", waitsFor: ["approval"], can: ["decide"] } as const;
  before.show("cut-off", "the-agent", WAITING, row, [call]);
  const { page, ui } = await env.open();
  await ui.choose("cut-off");
  const card = ui.pending("c1");
  await card.getByRole("button", { name: /^Approve/ }).click();
  await expect.poll(() => before.commands).toHaveLength(1);
  const [{ id } = { id: "" }] = before.commands;
  await env.hub.stop("SIGKILL");
  env.hub = await startHub(env.home, ["--port", port]);
  await expect.poll(() => page.locator('[data-testid="lost"]').count()).toBe(0);
  const after = await WireWorker.connect(env.hub, [chart]);
  after.show("cut-off", "the-agent", WAITING, row, [call]);
  await expect.poll(() => after.commands.map((command) => command.id)).toContain(id);
  expect(new Set(after.commands.map((command) => command.id))).toEqual(new Set([id]));
  after.send({ type: "ack", ack: { id, ok: true } });
  after.show("cut-off", "the-agent", WAITING, { phase: "running", can: [] });
  await expect.poll(() => card.count()).toBe(0);
  expect(await page.locator('[data-notice="bad"]').count()).toBe(0);
  await after.close();
});
