import { matchesName } from "../../core/tool/name-pattern.ts";
import { namesOf } from "./paths.ts";
import { readShellLine, type CommandDoubt } from "./shell-command.ts";

/** The rules by which commands are judged. */
export type CommandRules = {
  /** The commands that may run: patterns such as `git status*` or `npm test`, matched word by word. `*` stands for any characters of a
   *  word; where the last word ends with it, any more words may follow. */
  readonly allow: readonly string[];
  /** The list of commands that must not run, in the same form. It holds also where the command is a part of a line, behind a wrapper, or in
   *  a substitution. */
  readonly deny: readonly string[];
  /** The root of the workspace. */
  readonly root: string;
  /** Whether a file that the line writes may be written without asking. */
  readonly mayWrite: (path: string) => boolean;
};

/** The verdict of the rules on a line of shell. */
export type CommandVerdict =
  | { readonly action: "allow" }
  | { readonly action: "deny"; readonly pattern: string }
  | { readonly action: "ask"; readonly because: CommandDoubt | "outside" | "unlisted" };

const wordsOf = (pattern: string): readonly string[] => pattern.trim().split(/\s+/u);

/** True if the words of a command match a pattern. */
export function matchesCommand(pattern: string, words: readonly string[]): boolean {
  const wanted = wordsOf(pattern);
  const isOpen = wanted.at(-1)!.endsWith("*");
  if (
    isOpen ? words.length < wanted.length - (wanted.at(-1) === "*" ? 1 : 0) : words.length !== wanted.length
  )
    return false;
  return wanted.every((each, at) => (at < words.length ? matchesName(each, words[at]!) : each === "*"));
}

const withPlainName = ([first = "", ...rest]: readonly string[]): readonly string[] => [
  first.slice(first.lastIndexOf("/") + 1),
  ...rest,
];

const CHANGES_DIRECTORY = new Set(["cd", "pushd", "popd"]);
const DEVICES = new Set(["/dev/null", "/dev/stdout", "/dev/stderr"]);

function isInside(root: string, path: string): boolean {
  try {
    return namesOf(root, path).length > 0;
  } catch {
    return false;
  }
}

/**
 * Judges a line of shell by its parts: it is denied if one part is, allowed if each one is, and else a person is asked. A person is
 * also asked, whatever is allowed, about substitutions, about redirections that lead out of the root, about wrappers such as `sudo`,
 * and about what shells do not agree on. `cwd` is the directory in which it runs, relative to the root.
 *
 * @example
 * ```ts
 * import { judgeCommand } from "agentchart/workspace";
 *
 * const rules = { allow: ["git log*"], deny: ["rm *"], root: "/srv/project", mayWrite: () => false };
 * console.log(judgeCommand("git log | rm x", rules)); // { action: "deny", pattern: "rm *" }
 * ```
 */
export function judgeCommand(line: string, rules: CommandRules, cwd = ""): CommandVerdict {
  const { allow, deny, root, mayWrite } = rules;
  const { parts, files, doubt, mentioned } = readShellLine(line);
  const denied = deny.find((pattern) =>
    mentioned.some(
      (words) => matchesCommand(pattern, words) || matchesCommand(pattern, withPlainName(words)),
    ),
  );
  if (denied !== undefined) return { action: "deny", pattern: denied };
  if (doubt) return { action: "ask", because: doubt };
  const mayBeDenied = (name: string): boolean =>
    deny.some((pattern) => matchesName(wordsOf(pattern)[0]!, name));
  if (parts.some(({ words, hasGlob }) => hasGlob && mayBeDenied(withPlainName(words)[0]!)))
    return { action: "ask", because: "ambiguous" };
  const moves = parts.some(({ words }) => CHANGES_DIRECTORY.has(words[0] ?? ""));
  for (const { path, isWritten } of files) {
    if (DEVICES.has(path)) continue;
    const full = path.startsWith("/") || cwd === "" ? path : `${cwd}/${path}`;
    if (!isInside(root, full) || (moves && !path.startsWith("/")))
      return { action: "ask", because: "outside" };
    if (isWritten && !mayWrite(full)) return { action: "ask", because: "unlisted" };
  }
  const isAllowed = parts.every(({ words }) => allow.some((pattern) => matchesCommand(pattern, words)));
  return isAllowed ? { action: "allow" } : { action: "ask", because: "unlisted" };
}
