// The tool `memory`, whose files outlive their session.
import { describe, expect, onTestFinished, test } from "vitest";
import { createAgent, type JsonObject } from "agentchart";
import { longTermMemory, memoryMemory, type MemoryStore } from "agentchart/memory";
import { scriptedModel } from "agentchart/testing";
import { outputOf, resultsOf } from "../../support/agents.ts";

const ADA = "acme/ada";

function opened(): MemoryStore {
  const store = memoryMemory();
  onTestFinished(() => store.close());
  return store;
}

/** What the tool answers to commands of one model answer each, in a new session. */
async function answers(
  store: MemoryStore,
  commands: readonly JsonObject[],
  scope = ADA,
): Promise<readonly string[]> {
  const model = scriptedModel([...commands.map((input) => ({ calls: [{ name: "memory", input }] })), "ok"]);
  const memory = longTermMemory({ store, scope: () => scope, mode: "agent", tools: "files" });
  const agent = createAgent({ name: "bot", model, hooks: [memory], maxIters: commands.length + 1 });
  await agent.call("go");
  expect(model.requests[0]!.tools.map(({ name }) => name)).toEqual(["memory"]);
  return resultsOf(await agent.messages()).map(outputOf);
}
const create = (path: string, file_text: string) => ({ command: "create", path, file_text });
const view = (path: string, view_range?: readonly number[]) => ({
  command: "view",
  path,
  ...(view_range && { view_range: [...view_range] }),
});

describe("the tool memory", () => {
  test("keeps files across sessions: created, viewed, edited, renamed and deleted", async () => {
    const store = opened();
    expect(
      await answers(store, [
        view("/memories"),
        create("/memories/a.md", "one\ntwo"),
        create("/memories/notes/b.md", "one\ntwo"),
        { command: "str_replace", path: "/memories/a.md", old_str: "two", new_str: "$& three" },
        { command: "insert", path: "/memories/a.md", insert_line: 0, insert_text: "zero\n" },
      ]),
    ).toEqual([
      "Here're the files in /memories, with their characters:\n(none)",
      "File created successfully at: /memories/a.md",
      "File created successfully at: /memories/notes/b.md",
      "The memory file has been edited.",
      "The file /memories/a.md has been edited.",
    ]);
    expect(
      await answers(store, [
        view("/memories/"),
        view("/memories/a.md"),
        view("/memories/a.md", [2, -1]),
        { command: "rename", old_path: "/memories/notes", new_path: "/memories/old" },
        view("/memories/notes"),
        view("/memories/old"),
        { command: "delete", path: "/memories/old/b.md" },
        view("/memories"),
      ]),
    ).toEqual([
      "Here're the files in /memories, with their characters:\n17\t/memories/a.md\n7\t/memories/notes/b.md",
      "Here's the content of /memories/a.md with line numbers:\n     1\tzero\n     2\tone\n     3\t$& three",
      "Here's the content of /memories/a.md with line numbers:\n     2\tone\n     3\t$& three",
      "Successfully renamed /memories/notes to /memories/old",
      "Error: The path /memories/notes does not exist. Please provide a valid path.",
      "Here're the files in /memories/old, with their characters:\n7\t/memories/old/b.md",
      "Successfully deleted /memories/old/b.md",
      "Here're the files in /memories, with their characters:\n17\t/memories/a.md",
    ]);
    expect((await store.list(ADA)).memories.map(({ meta }) => meta["path"])).toEqual(["/memories/a.md"]);
  });

  test.each<[string, JsonObject, RegExp]>([
    ["a path outside", view("/etc/passwd"), /is not in \/memories/],
    ["a path that leads out", view("/memories/../secret"), /is not in \/memories/],
    ["a name that begins as the folder", view("/memoriesx/a"), /is not in \/memories/],
    ["an empty step", view("/memories//a"), /is not in \/memories/],
    ["no path", { command: "view" }, /view needs path/],
    ["a file that is there", create("/memories/a.md", "x"), /File \/memories\/a\.md already exists/],
    ["a folder that is there", create("/memories/notes", "x"), /already exists/],
    ["a file that is too long", create("/memories/big.md", "x".repeat(7_501)), /more than 7500 characters/],
    [
      "text that is not there",
      { command: "str_replace", path: "/memories/a.md", old_str: "zz", new_str: "" },
      /did not appear verbatim/,
    ],
    [
      "text that is there twice",
      { command: "str_replace", path: "/memories/a.md", old_str: "aa", new_str: "" },
      /multiple occurrences/,
    ],
    [
      "a line behind the end",
      { command: "insert", path: "/memories/a.md", insert_line: 9, insert_text: "x" },
      /range of lines of the file: \[0, 1\]/,
    ],
    ["lines that are not there", view("/memories/a.md", [3, 4]), /lines from 1 to 1/],
    ["a file that is missing", { command: "delete", path: "/memories/none" }, /does not exist/],
    ["the whole folder", { command: "delete", path: "/memories" }, /does not exist/],
    [
      "a destination that is there",
      { command: "rename", old_path: "/memories/a.md", new_path: "/memories/notes" },
      /already exists/,
    ],
  ])("refuses %s, and changes nothing", async (_, command, reason) => {
    const store = opened();
    await answers(store, [create("/memories/a.md", "aaa"), create("/memories/notes/b.md", "b")]);
    const before = await store.list(ADA);
    const [text] = await answers(store, [command]);
    expect(text).toMatch(/^Error: /u);
    expect(text).toMatch(reason);
    expect(await store.list(ADA)).toEqual(before);
  });

  test("keeps the newest of two versions that a process has left which died while it wrote", async () => {
    const store = opened();
    const dying: MemoryStore = { ...store, remove: () => Promise.reject(new Error("dead")) };
    await answers(store, [create("/memories/a.md", "old")]);
    const edit = { command: "str_replace", path: "/memories/a.md", old_str: "old", new_str: "new" };
    expect(await answers(dying, [edit])).toEqual(["Error: The memory failed: dead"]);
    expect(await answers(store, [view("/memories/a.md")])).toEqual([expect.stringMatching(/\tnew$/u)]);
    await answers(store, [{ command: "delete", path: "/memories/a.md" }]);
    expect((await store.list(ADA)).memories).toEqual([]);
  });
});

test("no file of one scope is seen in another", async () => {
  const store = opened();
  await answers(store, [create("/memories/a.md", "the secret of Ada")]);
  const [text] = await answers(store, [view("/memories/a.md"), view("/memories")], "acme/bob");
  expect(text).toContain("does not exist");
});
