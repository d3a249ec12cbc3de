import { execFile } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync } from "node:fs";
import { basename, dirname } from "node:path";
import { promisify } from "node:util";
import { configError } from "../../core/base/error.ts";
import { protection } from "./paths.ts";

const run = promisify(execFile);
const PLACES = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap", "/run/current-system/sw/bin/bwrap"];
const PRLIMIT = ["/usr/bin/prlimit", "/bin/prlimit"];

/** The paths of the system that programs need. Of `/etc` only what names users, hosts, libraries and certificates: nothing that is secret. */
const SYSTEM = ["/usr", "/opt", "/nix/store", "/run/current-system/sw"];
const MERGED = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
const ETC = [
  "alternatives",
  "ca-certificates",
  "ca-certificates.conf",
  "fonts",
  "group",
  "hosts",
  "java-*",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "localtime",
  "magic",
  "mime.types",
  "nsswitch.conf",
  "passwd",
  "pki",
  "protocols",
  "python3*",
  "services",
  "ssl",
];
const NETWORK = ["resolv.conf", "gai.conf", "host.conf"];
/** Parts of those that are secret. */
const HIDDEN = ["/etc/ssl/private", "/etc/pki/tls/private", "/etc/pki/nssdb"];

/** The parts of which a sandbox is made. */
export type SandboxSpec = {
  readonly bwrap: string;
  readonly root: string;
  readonly network: boolean;
  /** Other folders that commands may read. */
  readonly readable: readonly string[];
  /** See {@link protectedArgs}. */
  readonly protectedArgs: readonly string[];
  /** Whether this bubblewrap can forbid sandboxes in the sandbox. */
  readonly forbidsNested: boolean;
  /** The most processes of one command. */
  readonly maxProcesses: number;
};

/** Returns where bubblewrap is installed: `given`, or one of the usual places; undefined if it is not there. */
export function findBubblewrap(given?: string): string | undefined {
  return (given === undefined ? PLACES : [given]).find((path) => existsSync(path));
}

/** Returns whether a bubblewrap can forbid sandboxes in its sandboxes: it can from version 0.8 on. */
export async function canForbidNested(bwrap: string): Promise<boolean> {
  const { stdout } = await run(bwrap, ["--version"], { env: {}, timeout: 20_000 }).catch(() => ({
    stdout: "",
  }));
  const [, major = "0", minor = "0"] = /(\d+)\.(\d+)/u.exec(stdout) ?? [];
  return Number(major) > 0 || Number(minor) >= 8;
}

const bindIf = (path: string): readonly string[] => (existsSync(path) ? ["--ro-bind", path, path] : []);

/** The folder that holds this Node.js, and with it npm; the file alone if it lies elsewhere. */
function nodeFolder(): string {
  const file = realpathSync(process.execPath);
  const bin = dirname(file);
  const folder = dirname(bin);
  return basename(bin) === "bin" && folder !== "/" ? folder : file;
}

/** Returns the arguments that show what programs need of `/etc`, which `folder` holds. Links to what a small image has left out, such as
 *  `localtime`, are passed over. */
export function etcArgs(network: boolean, folder = "/etc"): readonly string[] {
  const matches = protection(network ? [...ETC, ...NETWORK] : ETC);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.flatMap((name) => {
    const path = `${folder}/${name}`;
    return matches([name]) && existsSync(path) ? ["--ro-bind", realpathSync(path), `/etc/${name}`] : [];
  });
}

function systemArgs(network: boolean): readonly string[] {
  return [
    ...SYSTEM.flatMap(bindIf),
    ...MERGED.flatMap((path) => {
      if (!existsSync(path)) return [];
      const real = realpathSync(path);
      return real === path ? ["--ro-bind", path, path] : ["--symlink", real.slice(1), path];
    }),
    ...etcArgs(network),
    ...HIDDEN.flatMap((path) => (existsSync(path) ? ["--tmpfs", path] : [])),
    ...bindIf(nodeFolder()),
  ];
}

/** The parts of a git folder that say which programs git runs. Commits write to the rest. */
const GIT_SETTINGS = ["config", "config.worktree", "hooks", "modules"];

const isReal = (path: string): boolean => {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isSymbolicLink();
};

/**
 * Returns the arguments that keep commands from what is protected in a root. It is looked up once, when no command runs: in each sandbox
 * these paths are mounts, which cannot be moved or replaced, so that none of them is ever a link that a command has put there.
 */
export function protectedArgs(root: string, protectedPaths: readonly string[]): readonly string[] {
  const isProtected = protection(protectedPaths);
  const inRoot = readdirSync(root).filter((name) => isProtected([name]) && isReal(`${root}/${name}`));
  return inRoot.flatMap((name) => {
    const path = `${root}/${name}`;
    if (name !== ".git" || !lstatSync(path).isDirectory()) return ["--ro-bind-try", path, path];
    if (!lstatSync(`${path}/hooks`, { throwIfNoEntry: false })) mkdirSync(`${path}/hooks`);
    const settings = GIT_SETTINGS.map((each) => `${path}/${each}`).filter(isReal);
    return ["--bind-try", path, path, ...settings.flatMap((each) => ["--ro-bind-try", each, each])];
  });
}

/** Returns the arguments with which bubblewrap runs a line of shell. */
export function sandboxArgs(spec: SandboxSpec, cwd: string, command: string): readonly string[] {
  const prlimit = PRLIMIT.find((path) => existsSync(path));
  return [
    "--unshare-all",
    "--unshare-user",
    ...(spec.forbidsNested ? ["--disable-userns"] : []),
    ...(spec.network ? ["--share-net"] : []),
    "--die-with-parent",
    "--cap-drop",
    "ALL",
    ...systemArgs(spec.network),
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    "--tmpfs",
    "/tmp",
    "--dir",
    "/tmp/home",
    ...spec.readable.flatMap((path) => ["--ro-bind", path, path]),
    "--bind",
    spec.root,
    spec.root,
    ...spec.protectedArgs,
    "--chdir",
    cwd,
    "--",
    ...(prlimit === undefined ? [] : [prlimit, `--nproc=${spec.maxProcesses}`, "--"]),
    "/bin/sh",
    "-c",
    command,
  ];
}

/** Tries a sandbox with this root. Throws `config/invalid` that says why there is none, and what helps. */
export async function checkSandbox(
  spec: SandboxSpec,
  env: { readonly [name: string]: string },
): Promise<void> {
  try {
    await run(spec.bwrap, [...sandboxArgs(spec, spec.root, "exit 0")], { env, timeout: 20_000 });
  } catch (error) {
    const { stderr = "" } = error as { stderr?: string };
    const said = stderr.trim() === "" ? (error as Error).message : stderr.trim();
    throw configError(
      `folderWorkspace: bubblewrap (${spec.bwrap}) cannot make a sandbox here: ${said.slice(0, 300)}. It needs user namespaces: a container must permit them, and \`sysctl kernel.unprivileged_userns_clone\` or AppArmor may switch them off. Say \`commands: false\` for a workspace without commands, or \`sandbox: "none"\` to run commands as this user, without any protection.`,
      { cause: error },
    );
  }
}
