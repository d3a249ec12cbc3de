// Plans that are edited while a worker runs.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createAgent, defineTool, type ChatModel } from "agentchart";
import { planNotebook, planSlot, type Plan } from "agentchart/plan";
import { openSession } from "agentchart/session";
import { fileStore } from "agentchart/store/file";
import { scriptedModel } from "agentchart/testing";
import { createWorker } from "agentchart/worker";
import { planCommand } from "../../src/cli/sessions/plan-command.ts";
import { openTerminal } from "../../src/cli/terminal.ts";
import { collectAll } from "../../src/testing/store-contract-kit.ts";
import { createSession, openServer, type TestServer } from "../server/open-server.ts";

const notebook = planNotebook();
const TRIP = {
  name: "Trip",
  description: "D",
  expected_outcome: "O",
  subtasks: [{ name: "fly" }, { name: "sleep" }],
};
const create = { calls: [{ name: "create_plan", input: TRIP }] };

type Written = { readonly slots: { readonly plan?: { readonly value: Plan; readonly revision: number } } };

/** A server with a worker, whose agent makes a plan, and waits in the tool `look` until `goOn` is resolved. */
async function planning() {
  const server = openServer();
  const hasReached = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<string>();
  const look = defineTool({
    name: "look",
    description: "",
    input: {},
    execute: () => (hasReached.resolve(), goOn.promise),
  });
  const script = [create, { calls: [{ name: "look" }] }, "ok", "ok"];
  const seen: string[] = [];
  const model: ChatModel = {
    name: "script",
    stream(request, options) {
      seen.push(JSON.stringify(request.messages.at(-1)));
      const answered = request.messages.filter(({ role }) => role === "assistant").length;
      return scriptedModel([script[answered]!]).stream(request, options);
    },
  };
  const agents = { desk: () => ({ name: "desk", model, hooks: [notebook.hook], tools: [look] }) };
  const worker = createWorker({ queue: server.queue, store: server.store, agents, sweepMs: 100, pollMs: 20 });
  onTestFinished(() => worker.close({ deadlineMs: 100 }));
  await worker.start();
  const id = await createSession(server);
  await hasReached.promise;
  return { server, id, goOn, seen };
}

const planOf = async (server: TestServer, id: string) =>
  ((await (await server.request("GET", `/v1/sessions/${id}/slots`)).json()) as Written).slots.plan;
const put = async (server: TestServer, id: string, body: object, slot = "plan") => {
  const response = await server.request("PUT", `/v1/sessions/${id}/slots/${slot}`, { body });
  return [response.status, ((await response.json()) as { readonly code?: string }).code];
};
const phaseOf = async (server: TestServer, id: string) =>
  ((await (await server.request("GET", `/v1/sessions/${id}`)).json()) as { readonly phase: string }).phase;
const refusals = async (server: TestServer, id: string) =>
  (await collectAll(server.store.read(`acme/${id}`)))
    .filter(({ type }) => type === "input.refused")
    .map(({ data }) => (data["error"] as { readonly code: string }).code);

describe("over HTTP a person", () => {
  test("edits the plan while a turn runs, and the model reads it before its next answer", async () => {
    const { server, id, goOn, seen } = await planning();
    const { value, revision } = (await planOf(server, id))!;
    const mine = { ...value, name: "Journey" };
    expect(await put(server, id, { value: mine, revision })).toEqual([202, undefined]);
    await expect.poll(async () => (await planOf(server, id))!.revision).toBe(revision + 1);
    expect(await phaseOf(server, id)).toBe("running");
    expect(await put(server, id, { value, revision })).toEqual([409, "slot/conflict"]);
    goOn.resolve("seen");
    await expect.poll(() => phaseOf(server, id)).toBe("stopped");
    expect(seen.at(-1)).toContain("Journey");
    expect((await planOf(server, id))!.value).toEqual(mine);
  });

  test("edits it at rest, and of two edits of the same revision one is refused", async () => {
    const { server, id, goOn } = await planning();
    goOn.resolve("seen");
    await expect.poll(() => phaseOf(server, id)).toBe("stopped");
    const { value, revision } = (await planOf(server, id))!;
    const edits = ["One", "Two"].map((name) => put(server, id, { value: { ...value, name }, revision }));
    const [first, second] = await Promise.all(edits);
    expect(first).toEqual([202, undefined]);
    expect([202, 409]).toContain(second![0]); // 202 if the worker is slow
    await expect.poll(() => refusals(server, id)).toEqual(["slot/conflict"]);
    expect(await planOf(server, id)).toMatchObject({ value: { name: "One" }, revision: revision + 1 });
  });

  test("makes a plan for a session that never had one, unless another was made meanwhile", async () => {
    const server = openServer();
    const id = await createSession(server);
    const plan: Plan = {
      id: "mine",
      name: "Trip",
      description: "",
      expectedOutcome: "",
      state: "todo",
      subtasks: [],
      createdAt: 1,
      finishedAt: null,
      outcome: null,
    };
    const agents = { desk: () => ({ name: "desk", model: scriptedModel(["ok"]), hooks: [notebook.hook] }) };
    const worker = createWorker({
      queue: server.queue,
      store: server.store,
      agents,
      sweepMs: 100,
      pollMs: 20,
    });
    onTestFinished(() => worker.close({ deadlineMs: 100 }));
    await worker.start();
    await expect.poll(() => phaseOf(server, id)).toBe("stopped");
    expect(await planOf(server, id)).toBeUndefined();
    expect(await put(server, id, { value: plan, revision: 0 })).toEqual([202, undefined]);
    await expect.poll(() => planOf(server, id)).toMatchObject({ value: plan, revision: 1 });
    expect(await put(server, id, { value: plan, revision: 0 })).toEqual([409, "slot/conflict"]);
  });

  test("is told that a value does not fit, and that there is no such slot, also by an event", async () => {
    const { server, id, goOn } = await planning();
    goOn.resolve("seen");
    await expect.poll(() => phaseOf(server, id)).toBe("stopped");
    expect([202, 400]).toContain((await put(server, id, { value: "plan" }))[0]); // 202 if the worker is slow
    expect([202, 400]).toContain((await put(server, id, { value: 1 }, "plans"))[0]);
    await expect.poll(() => refusals(server, id)).toEqual(["slot/invalid", "config/invalid"]);
    expect(await put(server, id, { revision: 1 })).toEqual([400, "request/invalid"]);
  });

  test("sees no slots of a session of another tenant, and none before the first turn", async () => {
    const server = openServer();
    const id = await createSession(server);
    expect(await (await server.request("GET", `/v1/sessions/${id}/slots`)).json()).toEqual({ slots: {} });
    const other = await server.request("GET", `/v1/sessions/${id}/slots`, { as: "globex" });
    expect(other.status).toBe(404);
  });
});

describe("agentchart sessions plan", () => {
  /** A stored session with a plan, and what runs the command on it. */
  async function stored() {
    const folder = mkdtempSync(join(tmpdir(), "agentchart-plan-"));
    const dir = join(folder, "sessions");
    const store = fileStore({ dir });
    const open = () =>
      createAgent({
        name: "bot",
        model: scriptedModel([create, "ok"]),
        hooks: [notebook.hook],
        store,
        sessionId: "trip",
      });
    const agent = open();
    await agent.call("go");
    await agent.close();
    const file = join(folder, "plan.json");
    const run = async (flags: { readonly set?: string; readonly revision?: number } = {}, isTTY = false) => {
      const written = { stdout: "", stderr: "" };
      const output = (name: "stdout" | "stderr") => ({
        isTTY,
        write: (text: string) => void (written[name] += text),
      });
      const [stdout, env] = [output("stdout"), { NO_COLOR: "1" }];
      const terminal = openTerminal(stdout, output("stderr"), env);
      const input = { args: { id: "trip" }, flags: { json: false, store: `file:${dir}`, ...flags } };
      await planCommand(input as never, { stdout, terminal, env, exit: () => {} });
      return written.stdout;
    };
    const shown = async () =>
      JSON.parse(await run()) as { readonly plan: Plan; readonly revision: number; readonly history: [] };
    const set = (plan: unknown, revision?: number) => {
      writeFileSync(file, JSON.stringify(plan));
      return run({ set: file, ...(revision !== undefined && { revision }) });
    };
    return { store, open, run, shown, set };
  }

  test("prints the plan and its revision, for a person and as JSON", async () => {
    const { run, shown } = await stored();
    expect(await run({}, true)).toBe(
      "# Trip\nDescription: D\nExpected outcome: O\nState: todo\n## Subtasks\n0. [ ] fly\n1. [ ] sleep\nRevision: 1\n",
    );
    expect(await shown()).toMatchObject({ plan: { name: "Trip" }, revision: 1, history: [] });
  });

  test("replaces the plan, for the revision that was seen", async () => {
    const { shown, set, open } = await stored();
    const { plan, revision } = await shown();
    expect(JSON.parse(await set({ ...plan, name: "Journey" }, revision))).toEqual({
      sessionId: "trip",
      revision: 2,
    });
    await expect(set(plan, revision)).rejects.toMatchObject({ code: "slot/conflict" });
    await expect(set({ ...plan, subtasks: 3 }, 2)).rejects.toMatchObject({ code: "config/invalid" });
    const agent = open();
    expect((await agent.slots.get(planSlot)).value!.name).toBe("Journey");
    await agent.close();
    await set(null);
    expect((await shown()).plan).toBeNull();
  });

  test("makes a plan where there was none, if that is what was seen", async () => {
    const { shown, set } = await stored();
    const { plan, revision } = await shown();
    await set(null, revision);
    await expect(set(plan, revision)).rejects.toMatchObject({ code: "slot/conflict" });
    await set(plan, revision + 1);
    expect(await shown()).toMatchObject({ plan: { name: "Trip" }, revision: revision + 2 });
  });

  test("hands the plan to the worker of a session that is open", async () => {
    const { store, open, shown, set } = await stored();
    const agent = open();
    await agent.open();
    const { plan, revision } = await shown();
    expect(JSON.parse(await set({ ...plan, name: "Journey" }, revision))).toEqual({
      sessionId: "trip",
      sent: true,
    });
    expect(await store.takeInputs("trip", 9)).toMatchObject([
      { data: { kind: "setSlot", name: "plan", value: { name: "Journey" }, revision } },
    ]);
    await agent.close();
    expect((await (await openSession(store, "trip")).at()).messages).toHaveLength(4);
  });
});
