import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { configError } from "../core/base/error.ts";

/** Writes a file that only this user can read, unless it exists; in one go, as others may read it at the same time. */
export function writeNew(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(file, text, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Returns the secret in a file, which is made once, of this number of random bytes. Throws `config/invalid` for an empty file, which a full
 *  disk leaves: no text would be a secret that everyone knows. */
export function secretIn(file: string, bytes: number): string {
  writeNew(file, randomBytes(bytes).toString("base64url"));
  const secret = readFileSync(file, "utf8").trim();
  if (secret === "")
    throw configError(`Expected a secret in ${file}: delete the empty file to have one made.`);
  return secret;
}
