import { constants } from "node:fs";
import { mkdir, open, readlink, realpath, type FileHandle } from "node:fs/promises";
import { posix } from "node:path";
import { badPath, failureOf, isGone } from "./failures.ts";
import { namesOf } from "./paths.ts";

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;
const MAX_LINKS = 20;

/** The directory of a path, held open, and the name of the path in it. */
export type Place = {
  /** The directory as a path that no change of the tree can lead elsewhere. */
  readonly dir: string;
  readonly handle: FileHandle;
  /** Empty for the root itself. */
  readonly name: string;
  /** The names from the root, after links were followed. */
  readonly names: readonly string[];
};

/** The root of a folder, by which it is known again. */
export type Root = { readonly path: string; readonly dev: bigint; readonly ino: bigint };

const isLinux = process.platform === "linux";

/** A path to an open directory. Linux opens names in the very directory that is held; elsewhere the path must still be the real one. */
export async function heldPath(handle: FileHandle, path: string): Promise<string> {
  if (isLinux) return `/proc/self/fd/${handle.fd}`;
  if ((await realpath(path)) !== path) throw badPath(path, "was replaced by a link");
  return path;
}

async function openRoot({ path, dev, ino }: Root): Promise<FileHandle> {
  let handle: FileHandle;
  try {
    handle = await open(path, O_RDONLY | O_DIRECTORY);
  } catch {
    throw isGone(path);
  }
  const found = await handle.stat({ bigint: true });
  if (found.dev === dev && found.ino === ino) return handle;
  await handle.close();
  throw isGone(path);
}

/** Opens a directory in a held one; undefined if it is a link or no directory. */
export async function openDirectory(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ELOOP" || code === "ENOTDIR" || code === "EMLINK") return undefined;
    throw error;
  }
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EINVAL" || code === "ENOENT") return undefined; // no link, or nothing
    throw error;
  }
}

/** The names of what a link in the directory `at` leads to, followed by the rest of the path. */
function followed(root: Root, path: string, at: readonly string[], target: string, rest: readonly string[]) {
  try {
    const absolute = target.startsWith("/") ? target : posix.join(root.path, ...at, target);
    return [...namesOf(root.path, absolute), ...rest];
  } catch {
    throw badPath(path, "leads out of the workspace by a link");
  }
}

export type WalkOptions = {
  /** Makes the directories that are not there. */
  readonly makesDirectories?: boolean;
  /** Called with the names of each place before anything is made there. */
  readonly before?: (names: readonly string[]) => void;
  /** False: a link at the end is what is meant. Default true. */
  readonly followsLast?: boolean;
};

/**
 * Goes from the root to a path, one name at a time, each opened in the directory that is held. No link that another process puts there
 * meanwhile is followed out of the workspace. The caller closes the handle.
 */
export async function walk(
  root: Root,
  path: string,
  { makesDirectories = false, before, followsLast = true }: WalkOptions = {},
): Promise<Place> {
  let names = namesOf(root.path, path);
  for (let links = 0; links <= MAX_LINKS; links++) {
    before?.(names);
    const step = await walkOnce(root, path, names, { makesDirectories, followsLast });
    if (!("names" in step)) names = step;
    else return step;
  }
  throw badPath(path, "goes through too many links");
}

async function walkOnce(
  root: Root,
  path: string,
  names: readonly string[],
  { makesDirectories, followsLast }: { makesDirectories: boolean; followsLast: boolean },
): Promise<Place | readonly string[]> {
  let handle = await openRoot(root);
  try {
    let dir = await heldPath(handle, root.path);
    for (const [at, name] of names.entries()) {
      const isLast = at === names.length - 1;
      const inside = `${dir}/${name}`;
      if (isLast && !followsLast) break;
      const next = isLast ? undefined : await enter(inside, makesDirectories);
      if (!next) {
        const target = await linkTarget(inside);
        if (target !== undefined) {
          await handle.close();
          return followed(root, path, names.slice(0, at), target, names.slice(at + 1));
        }
        if (isLast) break;
        throw badPath(path, "goes through something that is not a directory");
      }
      const former = handle;
      handle = next;
      await former.close();
      dir = await heldPath(handle, posix.join(root.path, ...names.slice(0, at + 1)));
    }
    return { dir, handle, name: names.at(-1) ?? "", names };
  } catch (error) {
    await handle.close().catch(() => {});
    throw failureOf(path, error);
  }
}

async function enter(path: string, makes: boolean): Promise<FileHandle | undefined> {
  try {
    return await openDirectory(path);
  } catch (error) {
    if (!makes || (error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    await mkdir(path).catch((failed: NodeJS.ErrnoException) => {
      if (failed.code !== "EEXIST") throw failed;
    });
    return openDirectory(path);
  }
}
