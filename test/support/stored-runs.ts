import { expect } from "vitest";
import { createAgent, type Agent, type SessionStore } from "agentchart";
import type { StartedHub } from "agentchart/inspect";
import { scriptedModel } from "agentchart/testing";
import type { PendingItem } from "../../src/inspect/protocol/commands.ts";
import type { RunRow, StepPage } from "../../src/inspect/protocol/protocol.ts";
import { toolOf } from "./agents.ts";
import { ask } from "./hub-page.ts";

export type Detail = {
  readonly row: RunRow;
  readonly chart: string;
  readonly pending: readonly PendingItem[];
};
export type List = { readonly rows: readonly RunRow[]; readonly cursor?: string; readonly total: number };

/** Sends a GET request to the hub's API and returns the JSON. */
export async function get<T>(hub: StartedHub, path: string): Promise<T> {
  const answer = await ask(hub, path);
  expect(answer.status, path).toBe(200);
  return (await answer.json()) as T;
}

/** All steps of a run. */
export const steps = (hub: StartedHub, runId: string): Promise<StepPage> =>
  get(hub, `/api/runs/${encodeURIComponent(runId)}/steps?from=1`);

/** Stores a session that has made a tool call and waits for an approval. */
export async function storedSession(store: SessionStore, sessionId: string, more = {}): Promise<Agent> {
  const agent = createAgent({
    name: "clerk",
    store,
    sessionId,
    model: scriptedModel([
      [
        { type: "tool.delta", key: 0, name: "look", args: '{"at":"shelf"}' },
        { type: "finish", reason: "tool_calls" },
      ],
      "It is there.",
      [
        { type: "tool.delta", key: 0, name: "sell", args: "{}" },
        { type: "finish", reason: "tool_calls" },
      ],
    ]),
    tools: [
      toolOf("look", () => `seen ${"x".repeat(9_000)}`),
      toolOf("sell", () => "sold", { permission: "ask" }),
    ],
    ...more,
  });
  await agent.call("Is it there?");
  await agent.call("Then sell it.");
  return agent;
}
