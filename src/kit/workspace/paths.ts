import { matchesGlob } from "./glob.ts";
import { badPath } from "./failures.ts";

const MAX_PATH = 4_096;
const MAX_NAME_BYTES = 255;

/** The paths that are not written unless a workspace is told otherwise: the history of git, secrets of the environment, and sessions. */
export const PROTECTED_PATHS: readonly string[] = [".git", ".env*", ".agentchart*"];

/** Returns the names that lead from the root to a path; none for the root itself. `path` is relative, or absolute and inside of the root.
 *  Throws `workspace/bad-path` for one that leads out of it, and for one that no file can have. */
export function namesOf(root: string, path: string): readonly string[] {
  if (path.includes("\0")) throw badPath(path, "holds a zero character");
  if (path.length > MAX_PATH) throw badPath(path, `is longer than ${MAX_PATH} characters`);
  let relative = path;
  if (path.startsWith("/")) {
    const base = root.endsWith("/") ? root : `${root}/`;
    if (path !== root && !path.startsWith(base)) throw badPath(path, `is outside of the workspace '${root}'`);
    relative = path.slice(base.length);
  }
  const names: string[] = [];
  for (const name of relative.split("/")) {
    if (name === "" || name === ".") continue;
    if (name !== "..") names.push(name);
    else if (names.pop() === undefined) throw badPath(path, "is outside of the workspace");
    if (Buffer.byteLength(name) > MAX_NAME_BYTES)
      throw badPath(path, `has a name of more than ${MAX_NAME_BYTES} bytes`);
  }
  return names;
}

/** A name as a file system may take it for another one: case, compatible characters and what some of them ignore are folded. */
function folded(name: string): string {
  const visible = name.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "");
  return visible
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[ .]+$/u, "");
}

/** Returns whether a path, given as its names, is protected by one of the patterns. A pattern without a slash is about every name of the
 *  path, one with a slash about the path from the root and what is below it; letters of another case count as the same. */
export function protection(patterns: readonly string[]): (names: readonly string[]) => boolean {
  const rules = patterns.map((pattern) => pattern.toLowerCase().replace(/^\/|\/$/gu, ""));
  return (names) => {
    const plain = names.map(folded);
    return rules.some((rule) =>
      rule.includes("/")
        ? plain.some((_, at) => matchesGlob(rule, plain.slice(0, at + 1).join("/")))
        : plain.some((name) => matchesGlob(rule, name)),
    );
  };
}
