// Plans that a person edits in the page.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createAgent } from "agentchart";
import { planNotebook, planSlot } from "agentchart/plan";
import { scriptedModel } from "agentchart/testing";
import { toolOf } from "../support/agents.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";

let env: Environment;
beforeAll(async () => {
  env = await makeEnvironment();
});
afterEach(() => env.closePages());
afterAll(() => env.close());

test("a person edits the plan of a run; a plan that was changed meanwhile is a conflict, and the edit stays", async () => {
  const subtasks = [{ name: "Find trains" }, { name: "Find a hotel" }];
  const trip = { name: "Trip", description: "Two days", expected_outcome: "A booking", subtasks };
  const model = scriptedModel([{ calls: [{ name: "create_plan", input: trip }] }, "Planned.", "Done."]);
  const agent = createAgent({ name: "bot", model, hooks: [planNotebook().hook], inspect: env.hub.address });
  await agent.call("Go.");
  const { page, ui } = await env.open();
  await ui.choose(agent.sessionId);
  await page.locator('[data-tab="plan"]').click();
  await page.locator('[data-subtask="1"]').getByText("Find a hotel").waitFor();
  await page.getByRole("button", { name: "Edit the plan" }).click();
  await page.getByLabel("Name of subtask 1").fill("Find a hostel");
  await page.getByLabel("State of subtask 0").selectOption("in progress");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The plan is changed.").waitFor();
  const changed = (await agent.slots.get(planSlot)).value!;
  expect(changed).toMatchObject({
    state: "in_progress",
    subtasks: [{ state: "in_progress" }, { name: "Find a hostel" }],
  });
  await page.locator('[data-subtask="1"]').getByText("Find a hostel").waitFor();

  await page.getByRole("button", { name: "Edit the plan" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Mine");
  await agent.slots.set(planSlot, { ...changed, name: "Theirs" });
  await page.getByText("The plan has changed since you began.").waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await expect.poll(() => page.getByRole("alert").last().innerText()).toContain("slot/conflict");
  expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Mine");
  expect((await agent.slots.get(planSlot)).value!.name).toBe("Theirs");
  await page.getByRole("button", { name: "Begin again with the new plan" }).click();
  expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Theirs");
  await page.getByLabel("Name", { exact: true }).fill("Ours");
  await page.getByRole("button", { name: "Save" }).click();
  await expect.poll(async () => (await agent.slots.get(planSlot)).value!.name).toBe("Ours");
  await agent.call("Go on.");
  expect(JSON.stringify(model.requests.at(-1)!.messages.at(-1))).toContain("# Ours");
  await agent.close();
});

test("a person makes a plan before the first turn, and edits it while a turn runs", async () => {
  const goOn = Promise.withResolvers<string>();
  const model = scriptedModel([{ calls: [{ name: "look" }] }, "Done."]);
  const agent = createAgent({
    name: "bot",
    model,
    tools: [toolOf("look", () => goOn.promise)],
    hooks: [planNotebook().hook],
    inspect: env.hub.address,
  });
  await agent.open();
  const { page, ui } = await env.open();
  await ui.choose(agent.sessionId);
  await page.locator('[data-tab="plan"]').click();
  await page.getByText("There is no plan at this step.").waitFor();
  await page.getByRole("button", { name: "Make a plan" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await expect.poll(() => page.getByRole("alert").last().innerText()).toContain("The plan needs a name.");
  await page.getByLabel("Name", { exact: true }).fill("Trip");
  await page.getByRole("button", { name: "Add a subtask" }).click();
  await page.getByLabel("Name of subtask 0").fill("Find trains");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The plan is made.").waitFor();
  expect((await agent.slots.get(planSlot)).value).toMatchObject({
    name: "Trip",
    state: "todo",
    subtasks: [{ name: "Find trains", state: "todo" }],
  });

  const call = agent.call("Go.");
  await expect.poll(() => model.requests).toHaveLength(1);
  await page.getByRole("button", { name: "Edit the plan" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Journey");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The plan is changed.").waitFor();
  expect(agent.status().phase).toBe("running");
  goOn.resolve("seen");
  await call;
  expect(JSON.stringify(model.requests[0]!.messages.at(-1))).toContain("# Trip");
  expect(JSON.stringify(model.requests[1]!.messages.at(-1))).toContain("# Journey");
  await agent.close();
});
