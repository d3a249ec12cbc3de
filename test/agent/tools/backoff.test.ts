// The delay before a tool is tried again.
import { AgentError } from "agentchart";
import { expect, test } from "vitest";
import { backoffMs } from "../../../src/core/model/execution.ts";
import { failedTool } from "../../../src/core/tool/results.ts";
import { expireCalls, recordToolRun } from "../../../machines/agent/updates/acting.ts";
import { asking, contextOf } from "../../machines/agent/at.ts";
import { scripted, toolOf } from "../../support/agents.ts";

const execution = { timeoutMs: 50, maxAttempts: 2, initialBackoffMs: 1_000 };
const running = contextOf(asking([{ status: "running", attempt: 1, deadlineAt: 50, execution }]));
const { call } = running.calls[0]!;

const waitAfterFailure = (at: number): number => {
  const outcome = { at, callId: call.id, attempt: 1, result: failedTool(call, "boom"), retry: true };
  return recordToolRun(running, outcome).calls![0]!.notBeforeAt! - at;
};
const waitAfterTimeout = (at: number): number =>
  expireCalls(running, { type: "timer.due", at }).calls![0]!.notBeforeAt! - at;

test.each([waitAfterFailure, waitAfterTimeout])(
  "a tool's back-off depends on session, call and attempt only: %o",
  (wait) => {
    const expected = backoffMs(execution, 1, `${running.settings.sessionId}/${call.id}`);
    expect([997_000, 997_100, 997_996].map(wait)).toEqual([expected, expected, expected]);
  },
);

test("a tool whose error has retryAfterMs is not called before that time", async () => {
  const called: number[] = [];
  let retryAt = 0;
  const busy = toolOf("busy", () => {
    called.push(Date.now());
    if (called.length === 2) return "done";
    retryAt = Date.now() + 150;
    throw new AgentError("tool/failed", "Come back later.", { isRetryable: true, retryAt });
  });
  const { agent } = scripted([{ calls: [{ name: "busy", input: {} }] }, "end"], {
    tools: [busy],
    toolOptions: { execution: { maxAttempts: 2, initialBackoffMs: 1 } },
  });
  expect((await agent.call("go")).text).toBe("end");
  expect(called[1]).toBeGreaterThanOrEqual(retryAt);
});
