import { relative } from "node:path";
import { pathToFileURL } from "node:url";
import { AgentError, messageOf } from "../base/error.ts";

/** What a user's file exports. Throws `config/invalid` with a line that says why it cannot be loaded. */
export async function importFile(file: string, path: string): Promise<{ readonly [name: string]: unknown }> {
  try {
    return (await import(pathToFileURL(path).href)) as { readonly [name: string]: unknown };
  } catch (thrown) {
    throw new AgentError("config/invalid", sentenceOf(thrown, file), { cause: thrown });
  }
}

function sentenceOf(thrown: unknown, file: string): string {
  const { code } = thrown as { readonly code?: unknown };
  const said = messageOf(thrown).replace(/\.$/, "");
  const missing = /Cannot find package '([^']+)'/.exec(said)?.[1];
  if (missing)
    return `${file} imports the package "${missing}", which is not there: run "npm install ${missing}".`;
  if (code === "ERR_MODULE_NOT_FOUND") return `${file} imports a file that is not there: ${said}.`;
  if (code === "ERR_UNKNOWN_FILE_EXTENSION") return `${file} is no .ts or .js file.`;
  if (thrown instanceof SyntaxError) return `${placeOf(thrown) ?? file} does not compile: ${said}.`;
  return `${file} failed while it was loaded: ${said}.`;
}

/** "file:line" as Node puts it above the message of a syntax error. */
function placeOf({ stack = "" }: Error): string | undefined {
  const [, path, line] =
    /^(?:file:\/\/)?(\/\S.*|[A-Za-z]:\\.*):(\d+)$/m.exec(stack.split("\n", 1)[0] ?? "") ?? [];
  return path && `${relative(".", path) || path}:${line}`;
}
