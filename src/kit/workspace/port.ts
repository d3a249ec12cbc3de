/** The entry to which a path in a workspace leads, links within it followed. */
export type FileStat = {
  /** `other` is a FIFO, a socket or a device: it is never opened. */
  readonly type: "file" | "directory" | "other";
  /** In bytes. */
  readonly size: number;
  /** The time at which it was written last, in epoch ms. */
  readonly modifiedAt: number;
};

/** One name in a directory. */
export type DirectoryEntry = {
  readonly name: string;
  /** `link` is a symbolic link, whatever it leads to. */
  readonly type: FileStat["type"] | "link";
};

/** Options of {@link Workspace.read}. */
export type ReadOptions = {
  /** The most bytes; a larger file is refused with `workspace/bad-path`. Default 64 MiB. */
  readonly maxBytes?: number | undefined;
};

/** Options of {@link Workspace.write}. */
export type WriteOptions = {
  /** The {@link contentHash} that the file must have for the write to happen; null: it must not be there. Absent: whatever is there is
   *  replaced. Another content is refused with `workspace/changed`. */
  readonly expected?: string | null | undefined;
};

/** Options of {@link Workspace.exec}. */
export type ExecOptions = {
  /** The directory in which it runs, a path in the workspace; default its root. */
  readonly cwd?: string | undefined;
  /** Stops the command with all of its processes. */
  readonly signal?: AbortSignal | undefined;
  /** After so many ms the command is stopped; default 120,000. */
  readonly timeoutMs?: number | undefined;
  /** More environment variables. Those of this process are never passed on. */
  readonly env?: { readonly [name: string]: string } | undefined;
};

/** The reports of a command: its output as it comes, and at last, once, the way in which it ended. */
export type CommandEvent =
  | { readonly type: "output"; readonly stream: "stdout" | "stderr"; readonly data: Uint8Array }
  | {
      readonly type: "exit";
      /** Null if it was ended by a signal. */
      readonly exitCode: number | null;
      /** The signal that ended it, such as `SIGSEGV`. */
      readonly signal?: string | undefined;
      /** The reason for which it was stopped: its time was over, `signal` was aborted, the workspace was closed, or it had too many
       *  processes. */
      readonly stopped?: "timeout" | "aborted" | "closed" | "processes" | undefined;
    };

/**
 * The place of the files on which an agent works, and of the execution of its commands. Paths are POSIX paths relative to the root, or
 * absolute ones inside of it. A path that leads out of the root, also by a symbolic link, is refused with `workspace/bad-path`, one that is
 * protected is not written (`workspace/protected`), one that is not there rejects `workspace/not-found`, and every method rejects
 * `workspace/gone` once the workspace itself is not there any more. `workspaceContract` of `agentchart/testing` tests all of it.
 */
export interface Workspace {
  /** The path of the root, as commands see it. */
  readonly root: string;
  /** True if commands run in a sandbox, which holds no more than the workspace and what it needs to run them. */
  readonly sandboxed?: boolean | undefined;
  /** Resolves with the content of a file. */
  read(path: string, options?: ReadOptions): Promise<Uint8Array>;
  /** Writes a whole file, and the directories that lead to it. A reader sees the old content or the new one, never a part. */
  write(path: string, content: Uint8Array, options?: WriteOptions): Promise<void>;
  /** Resolves with what a directory holds, sorted by name. */
  list(path: string): Promise<readonly DirectoryEntry[]>;
  /** Resolves with what is at a path; undefined if nothing is. */
  stat(path: string): Promise<FileStat | undefined>;
  /** Removes a file, a link, or an empty directory. */
  remove(path: string): Promise<void>;
  /** True if files at this path may not be written or removed. */
  isProtected(path: string): boolean;
  /** Runs a line of shell when it is iterated, without a standard input. Leaving the loop stops the command. When it has ended, none of its processes is
   *  left. Absent: the workspace runs no commands. */
  exec?(command: string, options?: ExecOptions): AsyncIterable<CommandEvent>;
  /** Stops the commands that run. The workspace cannot be used any more. */
  close(): Promise<void>;
}
