import * as s from "../../core/base/option-schema.ts";
import { check } from "../../core/base/options.ts";
import type { Tool } from "../../core/tool/types.ts";
import { commandTools } from "./command-tools.ts";
import { fileTools } from "./file-tools.ts";
import type { Workspace } from "./port.ts";
import { searchTools } from "./search-tools.ts";

/** Options of {@link codingTools} and {@link agentScopeTools}. */
export type CodingToolsOptions = {
  /** The workspace in which the tools work. It is closed by who opened it, which stops its commands. */
  readonly workspace: Workspace;
};

/** The schema of {@link CodingToolsOptions}. */
export const codingToolsSchema = s.lazily(() =>
  s.options<CodingToolsOptions>(
    { workspace: s.having("list", "a workspace, such as folderWorkspace() opens") },
    { what: "an object with `workspace`" },
  ),
);

/**
 * Returns the tools of a coding agent: `read_file`, `write_file`, `edit_file`, `list_files`, `glob_files`, `grep_files`, and, if the
 * workspace runs commands, `run_command`, `command_output` and `command_stop`. A file is changed only if the session has read what it
 * holds ({@link filesSlot}). Results of changes have a {@link FileDiff} as `metadata.diff`. After a crash reads and whole writes are
 * repeated; of an edit and of a command nobody knows whether it took effect, and the session asks. By themselves the tools ask for no
 * permission: give the agent {@link codingPermissions}.
 *
 * @example
 * ```ts
 * import { createAgent } from "agentchart";
 * import { scriptedModel } from "agentchart/testing";
 * import { codingTools, memoryWorkspace } from "agentchart/workspace";
 *
 * const workspace = memoryWorkspace({ files: { "a.txt": "Hello" } });
 * const model = scriptedModel([{ calls: [{ name: "read_file", input: { path: "a.txt" } }] }, "It says Hello."]);
 * const agent = createAgent({ name: "coder", model, tools: codingTools({ workspace }) });
 * console.log((await agent.call("What does a.txt say?")).text);
 * ```
 */
export function codingTools(options: CodingToolsOptions): readonly Tool[] {
  check(codingToolsSchema(), options, "codingTools");
  const { workspace } = options;
  return [...fileTools(workspace), ...searchTools(workspace), ...commandTools(workspace)];
}
