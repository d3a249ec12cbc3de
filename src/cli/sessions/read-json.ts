import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { configError, messageOf } from "../../core/base/error.ts";

/** Reads the JSON of a file, or of stdin for "-". Throws `config/invalid`; `what` names it, such as "The plan of --set". */
export async function readJson(file: string, what: string): Promise<unknown> {
  try {
    return JSON.parse(file === "-" ? await text(process.stdin) : readFileSync(file, "utf8")) as unknown;
  } catch (error) {
    const problem = messageOf(error).replace(/\.$/, "");
    throw configError(`${what} cannot be read: ${problem}.`);
  }
}
