import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { DEV_FOLDER } from "../dev/dev-folder.ts";
import { shellQuote } from "../shell-quote.ts";
import { ok, wrong, type Check, type Finding } from "./check.ts";

/** The rights of group and others: to read a file, and to change what is in a folder. */
const [READ_FILE, WRITE_FOLDER] = [0o066, 0o022];

/** The paths with tokens: those of the inspector and of MCP, and that of `dev` in a project. */
const TOKENS = (home: string, project: string): readonly string[] => [
  join(home, ".agentchart", "inspect.json"),
  join(home, ".agentchart", "mcp-key"),
  join(project, DEV_FOLDER, "token"),
];

/** Finds the files with tokens that other users of this machine can read, and their folders if they can change them. */
export async function tokenFindings(home: string, project: string): Promise<readonly Finding[]> {
  const modeOf = async (path: string): Promise<number> =>
    (await stat(path).catch(() => undefined))?.mode ?? 0;
  const files = TOKENS(home, project);
  const folders = [join(home, ".agentchart"), join(project, DEV_FOLDER)];
  const open = [
    ...(await Promise.all(
      files.map(async (path) => ((await modeOf(path)) & READ_FILE ? [`600 ${shellQuote(path)}`] : [])),
    )),
    ...(await Promise.all(
      folders.map(async (path) => ((await modeOf(path)) & WRITE_FOLDER ? [`700 ${shellQuote(path)}`] : [])),
    )),
  ].flat();
  if (open.length === 0) return [ok("tokens", "no other user of this machine can read them")];
  return open.map((chmod) =>
    wrong("tokens", `other users can reach a token, and answer for you: chmod ${chmod}`),
  );
}

export const tokenCheck: Check = {
  name: "tokens",
  run: async () => (process.platform === "win32" ? [] : tokenFindings(homedir(), process.cwd())),
};
