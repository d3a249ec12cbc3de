// The modes of permissions of a coding agent.
import { expect, test } from "vitest";
import { createAgent, type JsonObject } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import {
  agentScopeTools,
  codingPermissions,
  codingTools,
  memoryWorkspace,
  type CodingMode,
  type CodingPermissionsOptions,
  type CommandEvent,
} from "agentchart/workspace";

type Options = Omit<CodingPermissionsOptions, "workspace">;

/** What becomes of one call: `ran`, `asks: why` or `denied: why`. */
async function fate(name: string, input: JsonObject, options: Options): Promise<string> {
  const ran: string[] = [];
  const workspace = memoryWorkspace({
    files: { "src/a.ts": "1" },
    exec: async function* (command): AsyncGenerator<CommandEvent> {
      ran.push(command);
      yield { type: "exit", exitCode: 0 };
    },
  });
  const tools = [...codingTools({ workspace }), ...agentScopeTools({ workspace })];
  const model = scriptedModel([{ calls: [{ name, input }] }, "end"]);
  const permissions = codingPermissions({ workspace, ...options });
  const agent = createAgent({ name: "coder", model, tools, permissions });
  const reply = await agent.call("go");
  if (reply.pending[0]) {
    expect(ran).toEqual([]);
    return `asks: ${reply.pending[0].reason}`;
  }
  const messages = await agent.messages();
  const result = messages.flatMap(({ content }) => content).find(({ type }) => type === "tool_result");
  if (result?.type !== "tool_result" || result.state !== "denied") return "ran";
  expect(ran).toEqual([]);
  const [text] = result.output;
  return text?.type === "text" ? text.text : "";
}

const CHANGE = "asks: The agent wants to change a file.";
const UNLISTED =
  "asks: The command, a part of it, or a file that it writes is not one of those that are allowed.";
const PLAN = "Permission denied by rules: the agent is in plan mode, in which it only reads";
const write = (path: string): [string, JsonObject] => ["write_file", { path, content: "x" }];
const run = (command: string): [string, JsonObject] => ["run_command", { command }];

test.each<[[string, JsonObject], Options, string]>([
  [["read_file", { path: "src/a.ts" }], {}, "ran"],
  [["grep_files", { pattern: "x" }], { mode: "plan" }, "ran"],
  [write("src/b.ts"), {}, CHANGE],
  [write("src/b.ts"), { mode: "acceptEdits" }, "ran"],
  [write("src/b.ts"), { edits: ["src/**"] }, "ran"],
  [write("other/b.ts"), { edits: ["src/**"] }, CHANGE],
  [write("src/../other/b.ts"), { edits: ["src/**"] }, CHANGE],
  [write("src/b.ts"), { mode: "plan", edits: ["src/**"] }, PLAN],
  [write(".git/config"), { mode: "acceptEdits" }, CHANGE],
  [["edit_file", { path: "src/a.ts", old_string: "1", new_string: "2" }], {}, CHANGE],
  [["write_text_file", { file_path: "src/b.ts", content: "x" }], {}, CHANGE],
  [["write_text_file", { file_path: "src/b.ts", content: "x" }], { mode: "acceptEdits" }, "ran"],
  [["insert_text_file", { file_path: "src/a.ts", content: "x", line_number: 1 }], { mode: "plan" }, PLAN],
  [run("npm test"), {}, UNLISTED],
  [run("npm test"), { mode: "acceptEdits" }, UNLISTED],
  [run("npm test"), { allow: ["npm test*"] }, "ran"],
  [run("npm test && make"), { allow: ["npm test*"] }, UNLISTED],
  [run("npm test > out.txt"), { allow: ["npm test*"] }, UNLISTED],
  [run("npm test > out.txt"), { allow: ["npm test*"], mode: "acceptEdits" }, "ran"],
  [
    run("npm test $(id)"),
    { allow: ["npm test*"] },
    "asks: The command inserts the output of another one, or a variable.",
  ],
  [
    run("sudo npm test"),
    { allow: ["*"] },
    "asks: The command runs another one by a wrapper such as sudo, env or sh, or sets variables.",
  ],
  [
    run("npm test > /tmp/x"),
    { allow: ["*"], mode: "acceptEdits" },
    "asks: The command redirects to or from a place outside of the workspace.",
  ],
  [
    run("ls; rm x"),
    { allow: ["*"], deny: ["rm *"] },
    "Permission denied by rules: the command, or a part of it, is one of those that never run",
  ],
  [run("npm test"), { allow: ["npm test*"], mode: "plan" }, PLAN],
  [["execute_shell_command", { command: "npm test" }], { allow: ["npm test*"] }, "ran"],
  [["execute_shell_command", { command: "make" }], { allow: ["npm test*"] }, UNLISTED],
  [["execute_python_code", { code: "1" }], { allow: ["*"] }, "asks: The agent wants to run a program."],
  [["execute_python_code", { code: "1" }], { mode: "plan" }, PLAN],
])("%j with %j: %s", async ([name, input], options, expected) => {
  expect(await fate(name, input, options)).toBe(expected);
});

test("a mode that is a function is asked for each call, and other tools have their own rules", async () => {
  const workspace = memoryWorkspace();
  let mode: CodingMode = "plan";
  const permissions = codingPermissions({
    workspace,
    mode: () => mode,
    rules: [{ tool: "list_files", action: "ask", reason: "asked" }],
  });
  const calls = [
    { calls: [{ name: "write_file", input: { path: "a", content: "1" } }] },
    "planned",
    { calls: [{ name: "write_file", input: { path: "a", content: "1" } }] },
    { calls: [{ name: "list_files" }] },
  ];
  const agent = createAgent({
    name: "coder",
    model: scriptedModel(calls),
    tools: codingTools({ workspace }),
    permissions,
  });
  await agent.call("plan");
  expect(await workspace.stat("a")).toBeUndefined();
  mode = "acceptEdits";
  const reply = await agent.call("do it");
  expect(await workspace.stat("a")).toBeDefined();
  expect(reply.pending.map(({ reason }) => reason)).toEqual(["asked"]);
});
