import { z } from "zod";
import { AgentError } from "../../core/base/error.ts";
import { defineTool } from "../../core/tool/define.ts";
import type { Tool } from "../../core/tool/types.ts";
import { matchesGlob } from "./glob.ts";
import { LineSearch, MAX_SEARCHED } from "./line-search.ts";
import type { DirectoryEntry, Workspace } from "./port.ts";
import { textOf } from "./text-file.ts";
import { told, keyOf } from "./tool-context.ts";

const MAX_NAMES = 1_000;
const MAX_MATCHES = 500;
const MAX_CHARACTERS = 50_000;
const REGEXP_MS = 5_000;

const directory = z.string().optional().describe("A directory; default the root of the workspace.");

const shownEntry = ({ name, type }: DirectoryEntry): string =>
  type === "directory" ? `${name}/` : type === "link" ? `${name}@` : name;

/** Names as lines, and how many are left out. */
function bounded(names: readonly string[], total: number | undefined, { isCut }: Walk = whole()): string {
  const found = names.length === 0 && !isCut ? ["[Nothing was found.]"] : names;
  const rest =
    total === undefined ? [] : [`[${total === 0 ? "There are more" : `${total} more`}; look for fewer.]`];
  const unseen = isCut ? ["[Not all was searched: it is too much; look in a smaller directory.]"] : [];
  return [...found, ...rest, ...unseen].join("\n");
}

function listTool(workspace: Workspace): Tool {
  return defineTool({
    name: "list_files",
    description: "Lists a directory. Directories end with /, links with @.",
    input: z.object({ path: directory }),
    idempotent: true,
    execute: ({ path = "" }) =>
      told(async () => {
        const entries = (await workspace.list(path)).map(shownEntry);
        if (entries.length === 0) return "[The directory is empty.]";
        const more = entries.length - MAX_NAMES;
        return bounded(entries.slice(0, MAX_NAMES), more > 0 ? more : undefined);
      }),
  });
}

/** A glob without a slash is about names anywhere, as it is for git. */
const globOf = (pattern: string): string =>
  pattern.includes("/") ? pattern.replace(/^\.?\//u, "") : `**/${pattern}`;

function globTool(workspace: Workspace): Tool {
  return defineTool({
    name: "glob_files",
    description:
      "Finds files by a glob such as src/**/*.ts, at most 1,000. .git and node_modules are left out, and links are not followed.",
    input: z.object({ pattern: z.string().min(1), path: directory }),
    idempotent: true,
    execute: ({ pattern, path = "" }, { signal }) =>
      told(async () => {
        const from = keyOf(workspace, path);
        const glob = globOf(pattern);
        const found: string[] = [];
        const walk = whole();
        for await (const file of filesBelow(workspace, from, signal, walk)) {
          if (!matchesGlob(glob, from === "" ? file : file.slice(from.length + 1))) continue;
          if (found.length === MAX_NAMES) return bounded(found, 0);
          found.push(file);
        }
        return bounded(found, undefined, walk);
      }),
  });
}

type Grep = {
  readonly pattern: string;
  readonly path?: string | undefined;
  readonly glob?: string | undefined;
  readonly context?: number | undefined;
  readonly ignore_case?: boolean | undefined;
};

/** The file alone if the path is one, else the files below it. */
async function* searched(workspace: Workspace, path: string, signal: AbortSignal, walk: Walk) {
  const found = await workspace.stat(path);
  if (found?.type === "file") yield keyOf(workspace, path);
  else yield* filesBelow(workspace, keyOf(workspace, path), signal, walk);
}

async function searchableText(workspace: Workspace, file: string): Promise<string | undefined> {
  try {
    return textOf(await workspace.read(file, { maxBytes: MAX_SEARCHED }))?.text;
  } catch (error) {
    if (AgentError.is(error) && error.code === "workspace/gone") throw error;
    return undefined; // too large, special, or gone meanwhile
  }
}

async function grep(
  workspace: Workspace,
  { pattern, path = "", glob, context = 0, ignore_case: ignoreCase = false }: Grep,
  signal: AbortSignal,
): Promise<string> {
  const search = new LineSearch(pattern, { ignoreCase, limitMs: REGEXP_MS });
  const lines: string[] = [];
  const walk = whole();
  let matches = 0;
  let size = 0;
  try {
    for await (const file of searched(workspace, path, signal, walk)) {
      if (glob !== undefined && !matchesGlob(globOf(glob), file)) continue;
      const text = await searchableText(workspace, file);
      if (text === undefined || text === "") continue;
      for (const { line, text: found, isMatch } of await search.search(
        text,
        context,
        MAX_MATCHES - matches,
      )) {
        if (isMatch) matches++;
        const shown = isMatch ? `${file}:${line}:${found}` : `${file}-${line}-${found}`;
        size += shown.length + 1;
        if (size > MAX_CHARACTERS) return bounded(lines, 0);
        lines.push(shown);
      }
      if (matches >= MAX_MATCHES) return bounded(lines, 0);
    }
  } finally {
    await search.close();
  }
  return bounded(lines, undefined, walk);
}

function grepTool(workspace: Workspace): Tool {
  return defineTool({
    name: "grep_files",
    description:
      "Searches the lines of text files for a regular expression of JavaScript. Prints path:line:text, at most 500 matches. .git, node_modules and files over 2 MB are left out.",
    input: z.object({
      pattern: z.string().min(1),
      path: z.string().optional().describe("A directory or a file; default the root of the workspace."),
      glob: z.string().optional().describe("Only files that match, such as *.ts."),
      context: z
        .number()
        .int()
        .min(0)
        .max(20)
        .optional()
        .describe("Lines before and after each match. Default 0."),
      ignore_case: z.boolean().optional(),
    }),
    idempotent: true,
    execute: (input, { signal }) => told(() => grep(workspace, input, signal)),
  });
}

/** Returns the tools that find files and what is in them. */
export function searchTools(workspace: Workspace): readonly Tool[] {
  return [listTool(workspace), globTool(workspace), grepTool(workspace)];
}

/** The directories that are never gone into: they are large, and not written by people. */
const SKIPPED = new Set([".git", "node_modules"]);
const MAX_ENTRIES = 100_000;
const MAX_DEPTH = 64;

/** A walk through directories; `isCut` when it has met its bounds. */
type Walk = { isCut: boolean };
const whole = (): Walk => ({ isCut: false });

/** Yields the files below a directory by their paths from the root, in the order of their names. Links are not followed; `.git` and
 *  `node_modules` are not gone into, nor is what cannot be opened. At most 100,000 entries are looked at, in 64 directories below each other. */
async function* filesBelow(workspace: Workspace, from: string, signal: AbortSignal, walk: Walk) {
  let left = MAX_ENTRIES;
  const below = async function* (dir: string, depth: number): AsyncGenerator<string> {
    for (const { name, type } of await entriesOf(workspace, dir, depth === 0)) {
      signal.throwIfAborted();
      if (left-- <= 0) return void (walk.isCut = true);
      const path = dir === "" ? name : `${dir}/${name}`;
      if (type === "file") yield path;
      if (type !== "directory" || SKIPPED.has(name)) continue;
      if (depth < MAX_DEPTH) yield* below(path, depth + 1);
      else walk.isCut = true;
    }
  };
  yield* below(from, 0);
}

async function entriesOf(workspace: Workspace, dir: string, isFirst: boolean) {
  try {
    return await workspace.list(dir);
  } catch (error) {
    if (isFirst || (AgentError.is(error) && error.code === "workspace/gone")) throw error;
    return [];
  }
}
