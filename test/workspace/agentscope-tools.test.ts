// The tools of AgentScope's coding examples.
import { execFileSync } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import { agentScopeTools, memoryWorkspace } from "agentchart/workspace";
import { coder } from "./coder.ts";
import { folderUnderTest } from "./folder.ts";

const view = (ranges?: readonly number[]) =>
  ["view_text_file", { file_path: "f", ...(ranges && { ranges: [...ranges] }) }] as const;
const insert = (content: string, line_number: number) =>
  ["insert_text_file", { file_path: "f", content, line_number }] as const;
const write = (content: string, ranges?: readonly number[]) =>
  ["write_text_file", { file_path: "f", content, ...(ranges && { ranges: [...ranges] }) }] as const;

test("they have AgentScope's names; a workspace without commands has no tools that run some", () => {
  const exec = async function* () {};
  const namesIn = (workspace: ReturnType<typeof memoryWorkspace>): readonly string[] =>
    agentScopeTools({ workspace }).map(({ name }) => name);
  const files = ["view_text_file", "insert_text_file", "write_text_file"];
  expect(namesIn(memoryWorkspace())).toEqual(files);
  expect(namesIn(memoryWorkspace({ exec }))).toEqual([
    "execute_shell_command",
    "execute_python_code",
    ...files,
  ]);
});

test.each([
  [view(), "The content of f:\n```\n1: a\n2: b\n3: c\n```", "a\nb\nc\n"],
  [view([2, 3]), "The content of f in [2, 3] lines:\n```\n2: b\n3: c\n```", "a\nb\nc\n"],
  [view([-1, -1]), "The content of f in [-1, -1] lines:\n```\n3: c\n```", "a\nb\nc\n"],
  [
    view([9, 10]),
    "Error: The range '[9, 10]' is out of bounds for the file 'f', which has only 3 lines.",
    "a\nb\nc\n",
  ],
  [
    insert("x", 2),
    "Insert content into f at line 2 successfully. The new content between lines 1-4 is:\n```\n1: a\n2: x\n3: b\n4: c\n```",
    "a\nx\nb\nc\n",
  ],
  [
    insert("x", 4),
    "Insert content into f at line 4 successfully. The new content between lines 1-4 is:\n```\n1: a\n2: b\n3: c\n4: x```",
    "a\nb\nc\nx",
  ],
  [insert("x", 0), "Error: The line number 0 is invalid.", "a\nb\nc\n"],
  [insert("x", 5), "Error: The given line_number (5) is not in the valid range [1, 4].", "a\nb\nc\n"],
  [write("x\ny\n"), "Overwrite f successfully.", "x\ny\n"],
  [
    write("x\ny", [2, 2]),
    "Write f successfully. The new content snippet:\n```\n1: a\n2: x\n3: y\n4: c\n```",
    "a\nx\ny\nc\n",
  ],
  [write("", [1, 2]), "Write f successfully. The new content snippet:\n```\n1: c\n```", "c\n"],
  [write("x", [9, 9]), "Error: The start line 9 is invalid. The file only has 3 lines.", "a\nb\nc\n"],
] as const)("%j", async (call, expected, after) => {
  const workspace = memoryWorkspace({ files: { f: "a\nb\nc\n" } });
  const [, said] = await coder(workspace).texts(view(), call);
  expect(said).toBe(expected);
  expect(Buffer.from(await workspace.read("f")).toString()).toBe(after);
});

test("files that are not there are said to be so, and written", async () => {
  const workspace = memoryWorkspace({ files: { "d/x": "" } });
  const said = await coder(workspace).texts(
    view(),
    insert("x", 1),
    ["view_text_file", { file_path: "d" }],
    write("one", [1, 2]),
    ["write_text_file", { file_path: "g", content: "two" }],
  );
  expect(said).toEqual([
    "Error: The file f does not exist.",
    "Error: The target file f does not exist.",
    "Error: The path d is not a file.",
    "Create and write f successfully. The ranges [1, 2] is ignored because the file does not exist.",
    "Create and write g successfully.",
  ]);
});

function hasPython(): boolean {
  try {
    execFileSync("/usr/bin/env", ["-i", "PATH=/usr/bin:/bin", "python3", "--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

test("a command tells its return code and its streams, also when its time is over", async () => {
  const { workspace, dispose } = await folderUnderTest({ sandbox: "none" });
  onTestFinished(dispose);
  const said = await coder(workspace).texts(
    ["execute_shell_command", { command: "echo out; echo err >&2; exit 2" }],
    ["execute_shell_command", { command: "echo begun; sleep 1000", timeout: 0.2 }],
  );
  expect(said).toEqual([
    "<returncode>2</returncode><stdout>out\n</stdout><stderr>err\n</stderr>",
    "<returncode>-1</returncode><stdout>begun\n</stdout><stderr>TimeoutError: The command execution exceeded the timeout of 0.2 seconds.</stderr>",
  ]);
  await workspace.close();
});

test.skipIf(!hasPython())("Python runs, whatever the code has in it (needs python3)", async () => {
  const { workspace, dispose } = await folderUnderTest({ sandbox: "none" });
  onTestFinished(dispose);
  const code = `import sys\nprint("it's \\"$HOME\\" ü")\nsys.stderr.write("e")\nsys.exit(4)`;
  const [said, late] = await coder(workspace).texts(
    ["execute_python_code", { code }],
    ["execute_python_code", { code: "import time\ntime.sleep(1000)", timeout: 0.3 }],
  );
  expect(said).toBe('<returncode>4</returncode><stdout>it\'s "$HOME" ü\n</stdout><stderr>e</stderr>');
  expect(late).toContain("TimeoutError: The code execution exceeded the timeout of 0.3 seconds.");
  await workspace.close();
});
