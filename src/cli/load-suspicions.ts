import { configError } from "../core/base/error.ts";
import { problemOf } from "../core/base/options.ts";
import type { SuspicionCheck } from "../inspect/suspicions/suspicion.ts";
import { suspicionSchema } from "../inspect/suspicions/suspicion-schema.ts";
import { importFile } from "./import-file.ts";

/** The checks that a file exports: its default export, which is one or an array of them, or otherwise every named export that is one. None
 *  without a file. Rejects with `config/invalid` and one line that names the file and what is wrong. */
export async function loadSuspicions(file: string | undefined): Promise<readonly SuspicionCheck[]> {
  if (file === undefined) return [];
  const { default: main, ...named } = await importFile(file, "suspicions");
  const listed = main === undefined ? Object.values(named).filter(isLikeCheck) : [main].flat();
  if (listed.length === 0)
    throw configError(`${file} exports no checks: export objects with \`name\`, \`title\` and \`find\`.`);
  for (const [place, each] of listed.entries()) {
    const problem = problemOf(suspicionSchema(), each);
    if (problem !== undefined) throw configError(`Check ${place + 1} of ${file}: ${problem}`);
  }
  return listed as readonly SuspicionCheck[];
}

/** True for what is meant as a check, rather than a helper that the file exports beside it. */
const isLikeCheck = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "find" in value && "name" in value;
