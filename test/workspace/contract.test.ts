// The contract of workspaces, on each kind.
import { describe, test } from "vitest";
import { workspaceContract } from "../../src/testing/workspace-contract.ts";
import { memoryWorkspace } from "../../src/kit/workspace/memory-workspace.ts";
import { NO_BUBBLEWRAP } from "../support/bubblewrap.ts";
import { folderUnderTest } from "./folder.ts";

const FOLDER = { describe, test, links: true, fifos: true, vanishes: true } as const;

workspaceContract("memory", () => ({ workspace: memoryWorkspace() }), { describe, test });
workspaceContract("a folder without a sandbox", () => folderUnderTest({ sandbox: "none" }), {
  ...FOLDER,
  commands: true,
});

describe.skipIf(NO_BUBBLEWRAP)(`bubblewrap${NO_BUBBLEWRAP ? ` (${NO_BUBBLEWRAP})` : ""}`, () => {
  workspaceContract("a folder in a sandbox", () => folderUnderTest(), { ...FOLDER, commands: true });
});
