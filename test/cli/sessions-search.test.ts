// The command `sessions search`.
import { join } from "node:path";
import { createAgent } from "agentchart";
import { fileStore } from "agentchart/store/file";
import { scriptedModel } from "agentchart/testing";
import { expect, onTestFinished, test } from "vitest";
import type { Input } from "../../src/cli/define-command.ts";
import * as definitions from "../../src/cli/sessions/definitions.ts";
import { searchCommand } from "../../src/cli/sessions/search-command.ts";
import { openTerminal } from "../../src/cli/terminal.ts";
import { toolOf } from "../support/agents.ts";
import { scratch } from "../store/scratch.ts";

type Flags = Partial<Input<typeof definitions.search>["flags"]>;

/** A store with a session that has refunded and one that has failed, and what searches it. */
async function fixture({ isTTY }: { readonly isTTY: boolean }) {
  const { dir: folder, remove } = scratch();
  onTestFinished(remove);
  const dir = join(folder, "sessions");
  const store = fileStore({ dir });
  const prices = { scripted: { input: 1_000_000, output: 0 } };
  const refunds = createAgent({
    name: "clerk",
    store,
    sessionId: "refund",
    meta: { title: "Ticket 7" },
    model: scriptedModel([
      { calls: [{ name: "refund", input: { invoice: "INV-90017" } }] },
      "It is refunded.",
    ]),
    tools: [toolOf("refund", () => "done")],
    modelOptions: { prices },
  });
  await refunds.call("Please refund me");
  await refunds.close();
  const fails = createAgent({ name: "planner", store, sessionId: "failed", model: scriptedModel([]) });
  await fails.call("Plan my 旅行计划").catch(() => {});
  await fails.close();
  await store.close();
  const run = async (text: string | undefined, flags: Flags = {}) => {
    const written: string[] = [];
    const stdout = { isTTY, write: (each: string) => void written.push(each) };
    const stderr = { isTTY: false, write: (each: string) => void written.push(each) };
    const io = { stdout, stderr, terminal: openTerminal(stdout, stderr, {}) } as unknown as Parameters<
      typeof searchCommand
    >[1];
    const input = { args: { text }, flags: { store: `file:${dir}`, json: false, ...flags } };
    expect(await searchCommand(input as Input<typeof definitions.search>, io)).toBe(0);
    return written.join("");
  };
  return { run };
}

test("sessions search prints a table in a terminal, and JSON lines elsewhere", async () => {
  const { run } = await fixture({ isTTY: true });
  const table = await run("inv-90017");
  expect(table.split("\n")[0]).toMatch(/^SESSION +AGENT +PHASE +REASON +COST +UPDATED +TITLE$/);
  expect(table.split("\n")[1]).toMatch(/^refund +clerk +stopped +MODEL_STOP .* Ticket 7$/);
  expect(await run("nothing")).toContain("No session matches.");
  const piped = await fixture({ isTTY: false });
  const lines = (await piped.run(undefined)).trim().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { sessionId: string }).sessionId).toSorted()).toEqual([
    "failed",
    "refund",
  ]);
  expect(await piped.run("nothing")).toBe("");
});

test("sessions search filters", async () => {
  const { run } = await fixture({ isTTY: false });
  const idsOf = async (text: string | undefined, flags: Flags) =>
    [...(await run(text, flags)).matchAll(/"sessionId":"(\w+)"/g)].map(([, id]) => id);
  expect(await idsOf("旅行", {})).toEqual(["failed"]);
  expect(await idsOf(undefined, { tool: "refund" })).toEqual(["refund"]);
  expect(await idsOf(undefined, { agent: "planner" })).toEqual(["failed"]);
  expect(await idsOf(undefined, { reason: "ERROR" })).toEqual(["failed"]);
  expect(await idsOf(undefined, { phase: "suspended" })).toEqual([]);
  expect(await idsOf(undefined, { within: 60_000, limit: 1 })).toHaveLength(1);
  expect(await idsOf("refund", { minCost: 0.000_001 })).toEqual(["refund"]);
  expect(await idsOf("refund", { maxCost: 0.000_001 })).toEqual([]);
});
