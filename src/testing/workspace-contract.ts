import { registerContract, type TestFramework } from "./contract.ts";
import { commandTests } from "./workspace-contract-commands.ts";
import { boundaryTests, expectedTests, fileTests, vanishTests } from "./workspace-contract-files.ts";
import type { WorkspaceTests, WorkspaceUnderTest } from "./workspace-contract-kit.ts";
import { fifoTests, linkTests } from "./workspace-contract-links.ts";

export type { WorkspaceUnderTest };

/** Options of {@link workspaceContract}. */
export type WorkspaceContractOptions = TestFramework & {
  /** True if it runs commands; default false. */
  readonly commands?: boolean | undefined;
  /** True if it has symbolic links: then `link` and `outside` are there. Default false. */
  readonly links?: boolean | undefined;
  /** True if it may have special files: then `fifo` is there. Default false. */
  readonly fifos?: boolean | undefined;
  /** True if its storage can be taken away: then `vanish` is there. Default false. */
  readonly vanishes?: boolean | undefined;
};

/**
 * Registers the tests that every {@link Workspace} must pass, in a group called `name`, with the test functions of the caller's
 * framework. `make` is called once per test and must return an empty workspace.
 *
 * @example
 * ```ts
 * import { describe, test } from "node:test";
 * import { workspaceContract } from "agentchart/testing";
 * import { memoryWorkspace } from "agentchart/workspace";
 *
 * workspaceContract("my workspace", () => ({ workspace: memoryWorkspace() }), { describe, test });
 * ```
 */
export function workspaceContract(
  name: string,
  make: () => WorkspaceUnderTest | Promise<WorkspaceUnderTest>,
  {
    commands = false,
    links = false,
    fifos = false,
    vanishes = false,
    ...framework
  }: WorkspaceContractOptions,
): void {
  const groups: { readonly [group: string]: WorkspaceTests } = {
    files: fileTests,
    expected: expectedTests,
    boundary: boundaryTests,
    ...(links && { links: linkTests }),
    ...(fifos && { fifos: fifoTests }),
    ...(vanishes && { vanished: vanishTests }),
    ...(commands && { commands: commandTests }),
  };
  const run = async (body: WorkspaceTests[string]): Promise<void> => {
    const under = await make();
    try {
      await body(under);
    } finally {
      await under.workspace.close();
      await under.dispose?.();
    }
  };
  registerContract(name, groups, run, framework);
}
