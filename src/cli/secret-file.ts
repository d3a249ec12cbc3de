import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** Writes a file that only this user can read, unless it exists. */
export async function writeNew(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, text, { flag: "wx", mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
}

/** Returns the secret in a file, which is made once, of this number of random bytes. */
export async function secretIn(file: string, bytes: number): Promise<string> {
  await writeNew(file, randomBytes(bytes).toString("base64url"));
  return (await readFile(file, "utf8")).trim();
}
