// src/kit/workspace lets an agent work on files and run commands: in a folder, in memory, and in a sandbox.
export { agentScopeTools } from "./agentscope-tools.ts";
export { codingPermissions } from "./coding-permissions.ts";
export type { CodingMode, CodingPermissionsOptions } from "./coding-permissions.ts";
export { codingTools } from "./coding-tools.ts";
export type { CodingToolsOptions } from "./coding-tools.ts";
export { contentHash } from "./content-hash.ts";
export type { DiffHunk, FileDiff } from "./file-diff.ts";
export { folderWorkspace } from "./folder-workspace.ts";
export type { FolderWorkspaceOptions } from "./folder-workspace.ts";
export { judgeCommand } from "./judge-command.ts";
export type { CommandRules, CommandVerdict } from "./judge-command.ts";
export { memoryWorkspace } from "./memory-workspace.ts";
export type { MemoryWorkspaceOptions } from "./memory-workspace.ts";
export { PROTECTED_PATHS } from "./paths.ts";
export type {
  CommandEvent,
  DirectoryEntry,
  ExecOptions,
  FileStat,
  ReadOptions,
  Workspace,
  WriteOptions,
} from "./port.ts";
export { filesSlot } from "./seen-files.ts";
export type { SeenFiles } from "./seen-files.ts";
export type { CommandDoubt } from "./shell-command.ts";
