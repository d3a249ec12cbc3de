// Commands that reach a run at the same time.
import { defineTool } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { describe, expect, test } from "vitest";
import { HubPage } from "../../support/hub-page.ts";
import { asks, phaseOf, stage, type Stage } from "../../support/hub-stage.ts";

describe.each([
  ["with a store", () => ({ store: memoryStore() })],
  ["without a store", () => ({})],
] as const)("two pages that send a command at the same time, %s,", (_, options) => {
  const free = defineTool({ name: "free", description: "", input: { type: "object" }, execute: () => "ok" });
  /** A turn of the model that waits for `release`. */
  const held = (release: Promise<void>, turn: ScriptedTurn): ScriptedTurn =>
    async function* (request, signal) {
      await release;
      yield* scriptedModel([turn]).stream(request, { signal });
    };
  const sendFromBoth = async (on: Stage, command: object): Promise<readonly unknown[]> => {
    const other = await HubPage.open(on.hub);
    const acks = await Promise.all(
      [on.page, other].map((page, index) => page.command(on.agent.sessionId, command, `tab-${index}`)),
    );
    return acks.map(({ ok, error }) => error?.code ?? ok).toSorted();
  };

  test("extend a budget once, and can extend it again later", async () => {
    const { promise: release, resolve } = Promise.withResolvers<void>();
    const on = await stage(
      [asks("free", {}), held(release, asks("free", {})), asks("free", {}), asks("free", {}), "done"],
      { budget: { modelCalls: 1 }, tools: [free], ...options() },
    );
    await on.agent.call("go");
    await expect.poll(() => on.page.rows.get(on.agent.sessionId)?.can).toContain("extendBudget");
    const extend = { type: "extendBudget", extra: { modelCalls: 2 } };
    expect(await sendFromBoth(on, extend)).toEqual(["answered", true]);
    resolve();
    await expect.poll(() => phaseOf(on)).toBe("suspended");
    expect(on.model.requests).toHaveLength(3);
    expect(await on.page.command(on.agent.sessionId, extend)).toMatchObject({ ok: true });
    await expect.poll(() => phaseOf(on)).toBe("stopped");
  });

  test("can extend a budget after an invalid extension was refused", async () => {
    const on = await stage([asks("free", {}), "done"], {
      budget: { modelCalls: 1 },
      tools: [free],
      ...options(),
    });
    await on.agent.call("go");
    await expect.poll(() => on.page.rows.get(on.agent.sessionId)?.can).toContain("extendBudget");
    const extend = (modelCalls: number) =>
      on.page.command(on.agent.sessionId, { type: "extendBudget", extra: { modelCalls } });
    expect(await Promise.all([extend(-1), extend(1)])).toMatchObject([
      { error: { code: "invalid" } },
      { ok: true },
    ]);
    await expect.poll(() => phaseOf(on)).toBe("stopped");
  });

  test("resume a run that was shut down once", async () => {
    const { promise: release, resolve } = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const slept = Promise.withResolvers<string>();
    const slow = defineTool({
      name: "slow",
      description: "",
      input: { type: "object" },
      execute: () => {
        started.resolve();
        return slept.promise;
      },
    });
    const on = await stage([asks("slow", {}), held(release, "done")], { tools: [slow], ...options() });
    on.agent.call("go").catch(() => {});
    await started.promise;
    const shutdown = on.page.command(on.agent.sessionId, { type: "shutdown" });
    await expect.poll(() => on.page.steps.get(on.agent.sessionId)?.at(-1)?.e).toBe("run.shutdown");
    slept.resolve("slept");
    await shutdown;
    await expect.poll(() => on.page.rows.get(on.agent.sessionId)?.can).toContain("resume");
    expect(await sendFromBoth(on, { type: "resume" })).toEqual(["answered", true]);
    resolve();
    await expect.poll(() => phaseOf(on)).toBe("stopped");
    expect(on.model.requests).toHaveLength(2);
  });

  test("send one message; the other one is refused", async () => {
    const { promise: release, resolve } = Promise.withResolvers<void>();
    const on = await stage(["hello", held(release, "once")], options());
    await on.agent.call("hi");
    await expect.poll(() => on.page.rows.get(on.agent.sessionId)?.can).toContain("send");
    expect(await sendFromBoth(on, { type: "send", text: "and now?" })).toEqual(["invalid", true]);
    resolve();
    await expect.poll(() => phaseOf(on)).toBe("stopped");
    expect(await on.agent.messages()).toHaveLength(4);
  });
});
