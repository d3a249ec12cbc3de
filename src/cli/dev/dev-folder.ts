import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The location of the sessions and the token of a project that `agentchart dev` stores, below the current folder. */
export const DEV_FOLDER = ".agentchart";

/** Creates the folder if it is missing. What is in it does not belong into version control. */
export async function openDevFolder(): Promise<void> {
  await mkdir(DEV_FOLDER, { recursive: true, mode: 0o700 });
  await writeNew(join(DEV_FOLDER, ".gitignore"), "*\n");
}

/** The token of the project: made once, so that a page that is open works on after the command was started again. */
export async function devToken(): Promise<string> {
  const file = join(DEV_FOLDER, "token");
  await writeNew(file, `${randomBytes(24).toString("base64url")}\n`);
  return (await readFile(file, "utf8")).trim();
}

/** Writes a file that only this user can read, unless it exists. */
async function writeNew(file: string, text: string): Promise<void> {
  await writeFile(file, text, { flag: "wx", mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
}
