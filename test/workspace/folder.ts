import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { folderWorkspace, type FolderWorkspaceOptions } from "../../src/kit/workspace/folder-workspace.ts";
import type { WorkspaceUnderTest } from "../../src/testing/workspace-contract.ts";

/** A new folder in that for temporary files, and beside it one with a file `secret`. */
export function scratchFolder(): { root: string; outside: string; remove: () => void } {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "agentchart-workspace-")));
  const [root, outside] = [join(dir, "root"), join(dir, "outside")];
  for (const each of [root, outside]) mkdirSync(each);
  writeFileSync(join(outside, "secret"), "theirs");
  return { root, outside, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

/** A folder workspace for the contract; `prepare` fills the folder before it is opened. */
export async function folderUnderTest(
  options: Omit<FolderWorkspaceOptions, "root"> = {},
  prepare: (root: string) => void = () => {},
): Promise<Required<WorkspaceUnderTest> & { readonly root: string }> {
  const { root, outside, remove } = scratchFolder();
  prepare(root);
  return {
    workspace: await folderWorkspace({ ...options, root }),
    root,
    outside,
    link: async (target, path) => symlinkSync(target, join(root, path)),
    fifo: async (path) => void execFileSync("mkfifo", [join(root, path)]),
    vanish: async () => renameSync(root, `${root}-before`),
    dispose: async () => remove(),
  };
}
