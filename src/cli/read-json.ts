import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { configError, messageOf } from "../core/base/error.ts";

/** Parses JSON. Throws `config/invalid`, which says where the mistake is and quotes nothing of the text, since it may have secrets. `what`
 *  names the text. */
export function parseJson(content: string, what: string): unknown {
  try {
    return JSON.parse(content.replace(/^\uFEFF/u, "")) as unknown;
  } catch (error) {
    const problem = messageOf(error).replace(/, (?:\.{3})?"[^]*$/u, ""); // V8 quotes what is around an unexpected token
    throw configError(
      `${what} is not JSON: ${problem.replace(/\p{Cc}/gu, (mark) => JSON.stringify(mark).slice(1, -1))}.`,
    );
  }
}

/** Reads a file. Throws `config/invalid`; `what` names it. */
export async function readText(path: string, what: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw configError(`${what} cannot be read: ${messageOf(error)}.`);
  }
}

/** Reads the JSON of a file, or of stdin for "-". Throws `config/invalid`; `what` names it, such as "The plan of --set". */
export const readJson = async (file: string, what: string): Promise<unknown> =>
  parseJson(file === "-" ? await text(process.stdin) : await readText(file, what), what);
