// `agentchart sessions import --chats` stores conversations of other programs, and says which one is wrong.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toolResultsOf } from "agentchart";
import { openSession } from "agentchart/session";
import { fileStore } from "agentchart/store/file";
import { importCommand } from "../../src/cli/sessions/import-command.ts";
import { openTerminal } from "../../src/cli/terminal.ts";

const chat = (id: string, output: string): string =>
  JSON.stringify({
    id,
    messages: [
      { role: "user", content: "Go" },
      { role: "assistant", tool_calls: [{ id: "c1", function: { name: "look", arguments: "{}" } }] },
      { role: "tool", tool_call_id: "c1", content: output },
    ],
  });

function fixture(lines: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), "agentchart-chats-"));
  const [file, dir] = [join(folder, "chats.jsonl"), join(folder, "sessions")];
  writeFileSync(file, lines.join("\n"));
  const run = async (
    flags: { readonly as?: string; readonly failure?: string; readonly chats?: boolean } = {},
  ) => {
    let stdout = "";
    const io = {
      stdout: { isTTY: false, write: (part: string) => void (stdout += part) },
      stderr: { write() {} },
    };
    const terminal = openTerminal(io.stdout as never, io.stderr as never, {} as never);
    const given = { args: { file }, flags: { store: `file:${dir}`, chats: true, ...flags } };
    await importCommand(given as never, { ...io, terminal } as never);
    return JSON.parse(stdout) as unknown;
  };
  const ids = async () =>
    (await fileStore({ dir }).list()).sessions.map(({ sessionId }) => sessionId).toSorted();
  return { dir, run, ids };
}

test("stores each conversation, under ids that begin as asked, with the calls that had failed", async () => {
  const { dir, run, ids } = fixture([chat("a", "fine"), chat("b", "Error: none")]);
  expect(await run({ as: "old/", failure: "Error" })).toEqual({ sessionIds: ["old/a", "old/b"] });
  expect(await ids()).toEqual(["old/a", "old/b"]);
  const { messages } = await (await openSession(fileStore({ dir }), "old/b")).at();
  expect(messages.flatMap(toolResultsOf)).toMatchObject([
    { state: "error", output: [{ text: "Error: none" }] },
  ]);
});

test("says which line is wrong before anything is stored, and which session exists", async () => {
  const wrong = fixture([chat("a", "fine"), '{"messages":[]}']);
  await expect(wrong.run()).rejects.toThrow("chats.jsonl, line 2, messages: ");
  expect(await wrong.ids()).toEqual([]);
  const twice = fixture([chat("a", "fine"), chat("a", "fine")]);
  await expect(twice.run()).rejects.toMatchObject({
    code: "session/conflict",
    message: expect.stringContaining("'a'"),
  });
  expect(await twice.ids()).toEqual(["a"]);
});

test("refuses what only conversations have without them", async () => {
  const { run } = fixture([chat("a", "fine")]);
  await expect(run({ chats: false, failure: "Error" })).rejects.toThrow("--failure needs --chats");
});
