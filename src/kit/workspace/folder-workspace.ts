import * as s from "../../core/base/option-schema.ts";
import { realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname } from "node:path";
import { configError } from "../../core/base/error.ts";
import { check } from "../../core/base/options.ts";
import {
  canForbidNested,
  checkSandbox,
  findBubblewrap,
  protectedArgs,
  sandboxArgs,
  type SandboxSpec,
} from "./bubblewrap.ts";
import { badPath, isClosed, isGone } from "./failures.ts";
import { FolderFiles } from "./folder-files.ts";
import { PROTECTED_PATHS } from "./paths.ts";
import type { CommandEvent, ExecOptions, Workspace } from "./port.ts";
import { runProcess } from "./run-process.ts";
import { walk, type Root } from "./walk.ts";
import { readdir, readFile, readlink } from "node:fs/promises";

/** Options of {@link folderWorkspace}. */
export type FolderWorkspaceOptions = {
  /** The folder; it must be there. */
  readonly root: string;
  /** False: the workspace runs no commands, and needs no sandbox. Default true. */
  readonly commands?: boolean | undefined;
  /** The environment in which commands run. `bubblewrap`, the default, is for Linux. `none`: they run as this user, and may do what this
   *  user may. */
  readonly sandbox?: "bubblewrap" | "none" | undefined;
  /** The path of `bwrap`; default: where systems install it. */
  readonly bubblewrap?: string | undefined;
  /** True: commands in the sandbox reach the network. Default false. */
  readonly network?: boolean | undefined;
  /** Other folders that commands in the sandbox may read, such as that of a tool chain; absolute paths. */
  readonly readable?: readonly string[] | undefined;
  /** The paths that are not written. A name or a glob such as `.env*` protects wherever it occurs in a path, one with a slash is a path
   *  from the root. Letters of another case count as the same. Default {@link PROTECTED_PATHS}; a list replaces it. Commands in the sandbox
   *  cannot write what of it lies in the root itself when the workspace is opened; of `.git` they cannot write what says which programs git
   *  runs. */
  readonly protectedPaths?: readonly string[] | undefined;
  /** Environment variables of commands, beside `PATH`, `HOME`, `LANG` and `TERM`. Those of this process are never passed on. */
  readonly env?: { readonly [name: string]: string } | undefined;
  /** The most processes of one command in the sandbox; default 512. */
  readonly maxProcesses?: number | undefined;
};

/** The schema of {@link FolderWorkspaceOptions}. */
export const folderWorkspaceSchema = s.lazily(() =>
  s.options<FolderWorkspaceOptions>(
    {
      root: s.nonEmpty("the path of a folder"),
      commands: s.optional(s.boolean()),
      sandbox: s.optional(s.oneOf("bubblewrap", "none")),
      bubblewrap: s.optional(s.nonEmpty("the path of bwrap")),
      network: s.optional(s.boolean()),
      readable: s.optional(s.listOf(s.matching(/^\/./u, "the absolute path of a folder"))),
      protectedPaths: s.optional(s.listOf(s.nonEmpty("a path or a glob"))),
      env: s.optional(s.recordOf(s.string())),
      maxProcesses: s.optional(s.integer(8)),
    },
    { what: "an object with `root`" },
  ),
);

const TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
const SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

function rootOf(given: string): Root {
  let path: string;
  try {
    path = realpathSync(given);
  } catch {
    throw configError(`folderWorkspace: \`root\` '${given}' is not there.`);
  }
  const found = statSync(path, { bigint: true });
  if (!found.isDirectory())
    throw configError(`folderWorkspace: \`root\` '${given}' is a file, and not a folder.`);
  if (path === "/")
    throw configError("folderWorkspace: `root` is the whole file system; expected a folder in it.");
  return { path, dev: found.dev, ino: found.ino };
}

function bwrapOf({ bubblewrap }: FolderWorkspaceOptions): string {
  const found = process.platform === "linux" ? findBubblewrap(bubblewrap) : undefined;
  if (found !== undefined) return found;
  const reason =
    process.platform === "linux"
      ? `bubblewrap is not at ${bubblewrap ?? "one of its usual places"}; install it (apt-get install bubblewrap)`
      : `bubblewrap is for Linux, and this is ${process.platform}`;
  throw configError(
    `folderWorkspace: there is no sandbox for commands: ${reason}. Say \`commands: false\` for a workspace without commands, or \`sandbox: "none"\` to run commands as this user, without any protection.`,
  );
}

async function sandboxOf(
  options: FolderWorkspaceOptions,
  root: Root,
  protectedPaths: readonly string[],
): Promise<SandboxSpec> {
  const bwrap = bwrapOf(options);
  return {
    bwrap,
    root: root.path,
    network: options.network ?? false,
    readable: options.readable ?? [],
    protectedArgs: protectedArgs(root.path, protectedPaths),
    forbidsNested: await canForbidNested(bwrap),
    maxProcesses: options.maxProcesses ?? 512,
  };
}

/**
 * Opens a folder as a workspace. Its commands run in a bubblewrap sandbox: they see the folder, the programs of the system and an empty
 * `/tmp`, write nothing else, and reach no network unless `network` is true. Rejects `config/invalid` for a root that is not a folder,
 * and if commands are wanted and no sandbox can be made: they are never run without one unless `sandbox: "none"` is said.
 *
 * @example
 * ```ts
 * import { createAgent, type ChatModel } from "agentchart";
 * import { codingPermissions, codingTools, folderWorkspace } from "agentchart/workspace";
 *
 * export async function coder(model: ChatModel) {
 *   const workspace = await folderWorkspace({ root: "/srv/project" });
 *   return createAgent({
 *     name: "coder",
 *     model,
 *     tools: codingTools({ workspace }),
 *     permissions: codingPermissions({ workspace, mode: "acceptEdits", allow: ["npm test*"] }),
 *   });
 * }
 * ```
 */
export async function folderWorkspace(options: FolderWorkspaceOptions): Promise<Workspace> {
  check(folderWorkspaceSchema(), options, "folderWorkspace");
  const { commands = true, sandbox = "bubblewrap", protectedPaths = PROTECTED_PATHS } = options;
  const root = rootOf(options.root);
  const files = new FolderFiles(root, protectedPaths);
  const closing = new AbortController();
  const open = (): void => {
    if (closing.signal.aborted) throw isClosed(root.path);
  };
  const workspace: Workspace = {
    root: root.path,
    sandboxed: sandbox === "bubblewrap",
    read: async (path, how) => (open(), files.read(path, how)),
    write: async (path, content, how) => (open(), files.write(path, content, how)),
    list: async (path) => (open(), files.list(path)),
    stat: async (path) => (open(), files.stat(path)),
    remove: async (path) => (open(), files.remove(path)),
    isProtected: (path) => files.isProtected(path),
    close: async () => closing.abort(),
  };
  if (!commands) return workspace;
  const isSandboxed = sandbox === "bubblewrap";
  const env = {
    PATH: `${dirname(realpathSync(process.execPath))}:${SYSTEM_PATH}`,
    HOME: isSandboxed ? "/tmp/home" : homedir(),
    LANG: "C.UTF-8",
    TERM: "dumb",
    ...options.env,
  };
  const box = isSandboxed ? await sandboxOf(options, root, protectedPaths) : undefined;
  if (box) await checkSandbox(box, env);
  return {
    ...workspace,
    exec: (command, how) => runCommand({ root, env, box, closing: closing.signal }, command, how),
  };
}

type Commands = {
  readonly root: Root;
  readonly env: { readonly [name: string]: string };
  readonly box: SandboxSpec | undefined;
  readonly closing: AbortSignal;
};

async function* runCommand(
  { root, env, box, closing }: Commands,
  command: string,
  { cwd = "", signal, timeoutMs = TIMEOUT_MS, env: more }: ExecOptions = {},
): AsyncGenerator<CommandEvent, void> {
  if (closing.aborted) throw isClosed(root.path);
  if (command.includes("\0")) throw badPath("", "cannot run a command with a zero character in it");
  const at = await directoryOf(root, cwd);
  const spec = {
    cwd: box ? "/" : at,
    env: { ...env, ...more },
    timeoutMs: Math.min(timeoutMs, MAX_TIMEOUT_MS),
    signals: [
      [signal, "aborted"],
      [closing, "closed"],
    ],
  } as const;
  if (!box) return yield* runProcess({ ...spec, file: "/bin/sh", args: ["-c", command] });
  const isRoot = process.getuid?.() === 0;
  yield* runProcess({
    ...spec,
    file: box.bwrap,
    args: sandboxArgs(box, at, command),
    ...(isRoot && { watch: (pid: number, stop: () => void) => watchProcesses(pid, box.maxProcesses, stop) }),
  });
}

/** The real path of a directory of the workspace. */
async function directoryOf(root: Root, path: string): Promise<string> {
  const { handle, names } = await walk(root, path);
  await handle.close();
  const real = [root.path, ...names].join("/");
  try {
    if (statSync(real).isDirectory()) return real;
  } catch {
    if (names.length === 0) throw isGone(root.path);
  }
  throw badPath(path, "is not a directory");
}

const EVERY_MS = 100;

async function firstChild(pid: number): Promise<string | undefined> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "latin1").catch(() => "");
  return /\d+/u.exec(children)?.[0];
}

/** Returns the number of processes in the same namespace as this one; 0 if it has ended. */
async function inNamespaceOf(pid: string): Promise<number> {
  const space = await readlink(`/proc/${pid}/ns/pid`).catch(() => undefined);
  if (space === undefined || space === (await readlink("/proc/self/ns/pid"))) return 0;
  const names = await readdir("/proc").catch(() => []);
  const found = await Promise.all(
    names
      .filter((name) => /^\d+$/u.test(name))
      .map((name) => readlink(`/proc/${name}/ns/pid`).catch(() => "")),
  );
  return found.filter((each) => each === space).length;
}

/**
 * Counts the processes of a sandbox ten times a second, and calls `stop` if they are more than `max`. The limit of the system does not
 * hold for root: without this a command of root could take all processes of the machine. Returns what ends the watch.
 */
function watchProcesses(pid: number, max: number, stop: () => void): () => void {
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const look = async (): Promise<void> => {
    const init = await firstChild(pid);
    if (init !== undefined && (await inNamespaceOf(init)) > max) return stop();
    if (isOver) return;
    timer = setTimeout(() => void look(), EVERY_MS);
    timer.unref();
  };
  void look();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
