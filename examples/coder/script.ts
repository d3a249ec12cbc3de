import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ScriptedTurn } from "agentchart/testing";

const PROJECT: { readonly [path: string]: string } = {
  "sum.mjs": "export const sum = (numbers) => numbers.reduce((all, each) => all - each, 0);\n",
  "sum.test.mjs": `import assert from "node:assert/strict";
import test from "node:test";
import { sum } from "./sum.mjs";

test("sums", () => assert.equal(sum([1, 2, 3]), 6));
`,
};

/** Makes a small project with a test that fails, in a new folder of `home`. */
export async function newProject(home: string): Promise<string> {
  const folder = join(home, "project");
  await mkdir(folder, { recursive: true });
  for (const [path, text] of Object.entries(PROJECT)) await writeFile(join(folder, path), text);
  return folder;
}

const todos = (first: string, second: string) => ({
  name: "write_todos",
  input: {
    todos: [
      { content: "Find what fails", status: first },
      { content: "Mend it", status: second },
    ],
  },
});
const test = { name: "run_command", input: { command: "node --test" } };
const edit = { path: "sum.mjs", old_string: "all - each", new_string: "all + each" };

/** What the model says without a key: it mends the test, and then waits for a server. */
export const SCRIPT: readonly ScriptedTurn[] = [
  { text: "I run the tests first.", calls: [todos("in_progress", "pending"), test] },
  { calls: [{ name: "read_file", input: { path: "sum.mjs" } }] },
  { text: "It subtracts.", calls: [{ name: "edit_file", input: edit }] },
  { calls: [test, todos("completed", "completed")] },
  "The test passes: `sum` adds now.",
  { calls: [{ name: "run_command", input: { command: "echo waiting; sleep 1000" } }] },
  "I am here again.",
];
