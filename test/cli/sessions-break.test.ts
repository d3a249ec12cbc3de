// The command `sessions break`.
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAgent } from "agentchart";
import { breakpoints } from "agentchart/inspect";
import { fileStore } from "agentchart/store/file";
import { scriptedModel } from "agentchart/testing";
import { expect, onTestFinished, test } from "vitest";
import type { Input } from "../../src/cli/define-command.ts";
import { breakCommand } from "../../src/cli/sessions/break-command.ts";
import type * as definitions from "../../src/cli/sessions/definitions.ts";
import { openTerminal } from "../../src/cli/terminal.ts";
import { outputOf, resultsOf, toolOf } from "../support/agents.ts";
import { scratch } from "../store/scratch.ts";

type Flags = Partial<Input<typeof definitions.breakpoints>["flags"]>;

const refunds = scriptedModel([
  { calls: [{ id: "a", name: "refund", input: { cents: 10 } }] },
  { calls: [{ id: "b", name: "refund", input: { cents: 9_000 } }] },
  "done",
]);

function fixture() {
  const { dir: folder, remove } = scratch();
  onTestFinished(remove);
  const dir = join(folder, "sessions");
  const file = join(folder, "breakpoints.json");
  writeFileSync(
    file,
    JSON.stringify([{ tool: "refund", where: [{ path: "cents", is: ">", value: 5_000 }] }]),
  );
  const agentOf = () =>
    createAgent({
      name: "desk",
      model: refunds,
      tools: [toolOf("refund", () => "refunded")],
      store: fileStore({ dir }),
      sessionId: "trip",
    });
  const run = async (id: string | undefined, isTTY: boolean, flags: Flags = {}, code = 0) => {
    const written: string[] = [];
    const stdout = { isTTY, write: (each: string) => void written.push(each) };
    const stderr = { isTTY: false, write: (each: string) => void written.push(each) };
    const io = { stdout, stderr, terminal: openTerminal(stdout, stderr, {}) } as unknown as Parameters<
      typeof breakCommand
    >[1];
    const input = { args: { id }, flags: { store: `file:${dir}`, json: false, ...flags } };
    expect(await breakCommand(input as Input<typeof definitions.breakpoints>, io)).toBe(code);
    return written.join("");
  };
  return { run, agentOf, file, folder };
}

test("breakpoints that are set while a call waits leave its approval, and the session's agent", async () => {
  const { run, file, folder } = fixture();
  const store = fileStore({ dir: join(folder, "sessions") });
  const agentOf = (...answers: Parameters<typeof scriptedModel>[0]) =>
    createAgent({
      name: "desk",
      model: scriptedModel(answers),
      tools: [{ ...toolOf("refund", () => "refunded"), permission: "ask" as const }],
      store,
      sessionId: "trip",
    });
  const first = agentOf({ calls: [{ id: "a", name: "refund", input: { cents: 10 } }] });
  expect((await first.call("go")).reason).toBe("APPROVAL_REQUIRED");
  await first.close();
  expect(await run("trip", true, { set: file })).toContain("Wrote the breakpoints of trip.");
  expect((await store.list({})).sessions).toMatchObject([{ agent: "desk", waitsFor: ["approval"] }]);
  const second = agentOf("done");
  onTestFinished(() => second.close());
  await second.open();
  await second.decide("a", "approve");
  expect((await second.call()).text).toBe("done");
  expect(resultsOf(await second.messages()).map(outputOf)).toEqual(["refunded"]);
});

test("sessions break finds calls of stored sessions, sets the same list, and prints it", async () => {
  const { run, agentOf, file, folder } = fixture();
  const agent = agentOf();
  await agent.call("go");
  await agent.close();
  expect(await run("trip", true)).toContain("has no breakpoints");
  const found = (await run(undefined, true, { find: file })).split("\n");
  expect(found[0]).toMatch(/^SESSION +POSITION +TIME +TOOL +CALL +BREAKPOINT$/);
  expect(found[1]).toMatch(/^trip +\d+ .* refund +b +refund, cents > 5000$/);
  const [line] = (await run("trip", false, { find: file })).split("\n");
  expect(JSON.parse(line!)).toMatchObject({ sessionId: "trip", callId: "b", turn: 1 });

  const other = join(folder, "sessions", "other");
  cpSync(join(folder, "sessions", "trip"), other, { recursive: true });
  const bytes = readFileSync(join(other, "journal.ndjson"));
  bytes[bytes.length - 30]! ^= 1;
  writeFileSync(join(other, "journal.ndjson"), bytes);
  const all = await run(undefined, true, { find: file }, 1);
  expect(all).toMatch(/^other is left out: /mu);
  expect(all).toMatch(/^trip +\d+ .* refund +b /mu);
  rmSync(other, { recursive: true });

  expect(await run("trip", true, { set: file })).toContain("Wrote the breakpoints of trip.");
  expect(await run("trip", true)).toBe("refund, cents > 5000\n");
  expect(JSON.parse(await run("trip", false))).toMatchObject({
    revision: 1,
    breakpoints: [{ tool: "refund" }],
  });
  const next = agentOf();
  expect((await next.slots.get(breakpoints)).revision).toBe(1);
  await next.close();

  const wrong = join(folder, "wrong.json");
  writeFileSync(wrong, '[{"when":"true"}]');
  await expect(run("trip", true, { set: wrong })).rejects.toMatchObject({ code: "config/invalid" });
  await expect(run("trip", true, { set: file, find: file })).rejects.toThrow("exclude");
  await expect(run(undefined, true)).rejects.toThrow("Name a session");
  await expect(run("nobody", true, { find: file })).rejects.toThrow(/nobody/);
});
