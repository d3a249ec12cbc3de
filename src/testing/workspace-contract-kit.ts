import assert from "node:assert/strict";
import type { CommandEvent, ExecOptions, Workspace } from "../kit/workspace/port.ts";
import type { ContractTests } from "./contract.ts";

/** The subject that {@link workspaceContract} tests. */
export type WorkspaceUnderTest = {
  /** An empty workspace, in which `.git` and `.env*` are protected. */
  readonly workspace: Workspace;
  /** Makes a symbolic link at a path of the workspace. Absent: the workspace has no links. */
  readonly link?: (target: string, path: string) => Promise<void>;
  /** Makes a FIFO at a path of the workspace. Absent: the workspace has only files. */
  readonly fifo?: (path: string) => Promise<void>;
  /** A folder outside of the workspace that holds a file `secret`; for workspaces with links. */
  readonly outside?: string;
  /** Takes the storage of the workspace away, as if somebody removed its folder. Absent: that cannot be. */
  readonly vanish?: () => Promise<void>;
  /** Removes what the test has left; called when the workspace is closed. */
  readonly dispose?: () => Promise<void>;
};

export type WorkspaceTests = ContractTests<WorkspaceUnderTest>;

type Exit = Extract<CommandEvent, { type: "exit" }>;

const encoder = new TextEncoder();

export const bytes = (text: string): Uint8Array => encoder.encode(text);

/** The text of a file. */
export async function textAt({ workspace }: WorkspaceUnderTest, path: string): Promise<string> {
  return Buffer.from(await workspace.read(path)).toString();
}

/** Runs a command to its end. */
export async function outcome(
  { workspace }: WorkspaceUnderTest,
  command: string,
  options?: ExecOptions,
): Promise<Exit & { readonly stdout: string; readonly stderr: string }> {
  const output = { stdout: "", stderr: "" };
  const exits: Exit[] = [];
  for await (const event of workspace.exec!(command, options)) {
    assert.equal(exits.length, 0, "there is output after the end of the command");
    if (event.type === "output") output[event.stream] += Buffer.from(event.data).toString();
    else exits.push(event);
  }
  assert.equal(exits.length, 1, "the command has not said once how it ended");
  return { ...exits[0]!, ...output };
}
