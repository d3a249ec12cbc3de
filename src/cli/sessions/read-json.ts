import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { configError, messageOf } from "../../core/base/error.ts";
import { checkChanges } from "../../session/fork-changes.ts";
import type { ForkChanges } from "../../../machines/agent/prompt/edits.ts";

/** Reads the JSON of a file, or of stdin for "-". Throws `config/invalid`; `what` names it, such as "The plan of --set". */
export async function readJson(file: string, what: string): Promise<unknown> {
  try {
    return JSON.parse(file === "-" ? await text(process.stdin) : readFileSync(file, "utf8")) as unknown;
  } catch (error) {
    const problem = messageOf(error).replace(/\.$/, "");
    throw configError(`${what} cannot be read: ${problem}.`);
  }
}

/** Reads the changes of `--edit`. */
export async function readChanges(file: string): Promise<ForkChanges> {
  const changes = (await readJson(file, "The file of --edit")) as ForkChanges;
  checkChanges(changes, "The file of --edit");
  return changes;
}
