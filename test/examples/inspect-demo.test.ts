// The agents of the demo of the inspector.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { inspector } from "agentchart/inspect";
import { memoryStore } from "agentchart/store/memory";
import { expect, onTestFinished, test } from "vitest";
import { demoAgents } from "../../examples/inspect-demo/agents.ts";
import { HINTS } from "../../examples/inspect-demo/hints.ts";
import { addressFilePath } from "../../src/inspect/protocol/hub-address.ts";
import { ask, HubPage, testHome, testHub } from "../support/hub-page.ts";
import { BARE_ENV } from "../support/bare-env.ts";

test("the agents of inspect-demo wait for an approval, an answer and a budget, and finish after them", async () => {
  const home = testHome();
  const hub = await testHub({ home });
  const inspect = inspector({ home, retryMs: [10, 50] });
  onTestFinished(() => inspect.close());
  const page = await HubPage.open(hub);
  const agents = demoAgents({ inspect, store: memoryStore() });
  const waiting = agents.filter(({ agent }) => agent.name !== "refund-desk");
  const ids = Object.fromEntries(waiting.map(({ agent }) => [agent.name, agent.sessionId])) as Record<
    string,
    string
  >;
  for (const { agent, task } of agents) agent.call(task).catch(() => {});
  for (const id of Object.values(ids)) {
    await expect.poll(() => page.rows.get(id)?.phase).toBe("suspended");
    page.subscribe(id);
  }
  const waits = Object.entries(ids).map(([name, id]) => [name, page.rows.get(id)!.waitsFor.join()]);
  expect(Object.fromEntries(waits)).toEqual({
    "nightly-scan": "budget",
    "customer-care": "externalResult",
    "parser-fix": "approval",
  });
  const decide = async (name: string, decision: unknown): Promise<void> => {
    const id = ids[name]!;
    await expect.poll(() => page.pending.get(id)?.length).toBe(1);
    const { callId, argsHash } = page.pending.get(id)![0]!;
    expect(await page.command(id, { type: "decide", callId, argsHash, decision })).toMatchObject({
      ok: true,
    });
  };
  await decide("parser-fix", "approve");
  await decide("customer-care", { answer: '{"satisfied":true,"stars":5}' });
  await page.command(ids["nightly-scan"]!, { type: "extendBudget", extra: { modelCalls: 10 } });
  for (const id of Object.values(ids)) await expect.poll(() => page.rows.get(id)?.phase).toBe("stopped");
});

test("the refund-desk of inspect-demo fails because of the hook that the hints lead to", async () => {
  const store = memoryStore();
  const [desk, ...others] = demoAgents({ store });
  onTestFinished(() => Promise.all(others.map(({ agent }) => agent.close())).then(() => {}));
  const { agent, task } = desk!;
  const { reason, text } = await agent.call(task);
  expect([reason, text]).toEqual(["MODEL_STOP", expect.stringContaining("refuses")]);
  const results = new Map(
    (await agent.messages()).flatMap(({ content }) =>
      content.flatMap((block) => (block.type === "tool_result" ? [[block.name, block] as const] : [])),
    ),
  );
  expect(JSON.stringify(results.get("look_up_order")?.output)).toContain("3100");
  expect(results.get("look_up_order")?.account?.results).toMatchObject([
    { by: { hook: "cents-for-the-bank" } },
  ]);
  expect(results.get("refund")).toMatchObject({ state: "error", account: { attempts: [{ attempt: 1 }] } });
  expect(JSON.stringify(results.get("call_refund-policy")?.output)).toContain("may have all of it back");
  expect(HINTS).toHaveLength(3);
  await agent.close();
});

test("npm run demo -- --inspect reports its run with its plan to the hub", async () => {
  const home = testHome();
  const hub = await testHub({ home });
  const demo = spawn(
    process.execPath,
    [
      "--conditions=agentchart-source",
      "examples/data-analyst/main.ts",
      "--inspect",
      "--offline",
      "--out",
      join(home, "out"),
    ],
    {
      cwd: join(import.meta.dirname, "../.."),
      env: { ...BARE_ENV, HOME: home },
      stdio: "ignore",
    },
  );
  onTestFinished(() => void demo.kill("SIGKILL"));
  expect(await readFile(addressFilePath(home), "utf8")).toContain(hub.url);
  await new Promise((resolve) => demo.on("exit", resolve));
  type Rows = {
    rows: readonly { runId: string; agent: string; steps: number; phase: string; state: string }[];
  };
  const rows = async (): Promise<Rows["rows"]> => ((await (await ask(hub, "/api/runs")).json()) as Rows).rows;
  await expect.poll(rows).toMatchObject([{ agent: "analyst", phase: "stopped" }]);
  await expect.poll(async () => (await rows())[0]!.steps).toBeGreaterThan(15);
  const [{ runId, steps }] = (await rows()) as [Rows["rows"][number]];
  type Plan = { subtasks: readonly { state: string }[] } | null;
  const states = new Set<string>();
  for (let at = 1; at <= steps; at++) {
    const frame = await ask(hub, `/api/runs/${encodeURIComponent(runId)}/keyframe?at=${at}`);
    const { context } = (await frame.json()) as { context: { slots?: { plan?: { value: Plan } } } };
    const plan = context.slots?.plan?.value;
    if (plan) states.add(plan.subtasks.map(({ state }) => state).join());
  }
  expect([...states]).toContain("done,done,in_progress");
});

test("npm run inspect:demo prints the link of a page that shows its agents, and ends on Ctrl-C", async () => {
  const home = testHome();
  const demo = spawn(process.execPath, ["--conditions=agentchart-source", "examples/inspect-demo.ts"], {
    cwd: join(import.meta.dirname, "../.."),
    env: { ...BARE_ENV, HOME: home, TMPDIR: home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void demo.kill("SIGKILL"));
  const ended = once(demo, "exit");
  let printed = "";
  demo.stdout.on("data", (data) => (printed += String(data)));
  await expect.poll(() => printed).toContain(HINTS.at(-1));
  const [, url = "", token = ""] = /(http:\/\/[^/]+)\/#t=([\w-]+)/.exec(printed)!;
  const page = await fetch(url);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("<script")]);
  const names = async (): Promise<readonly string[]> => {
    const { rows } = (await (await ask({ url, token }, "/api/runs")).json()) as {
      rows: readonly { agent: string }[];
    };
    return rows.map(({ agent }) => agent).toSorted();
  };
  await expect
    .poll(async () => (await names()).filter((name) => name !== "refund-policy"))
    .toEqual(["customer-care", "nightly-scan", "parser-fix", "refund-desk"]);
  expect(printed).toContain("A fourth one goes wrong. Why? Three hints, which the page shows too:");
  for (const hint of HINTS) expect(printed).toContain(hint);
  demo.kill("SIGINT");
  expect(await ended).toEqual([0, null]);
  expect((await readdir(home)).filter((name) => name.includes("inspect-demo"))).toEqual([]);
});
