import { statSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { configError, messageOf } from "../core/base/error.ts";

/** The exports of a file of a user; `what` says of what, such as "tools". Rejects with `config/invalid` and one line that says why the file
 *  cannot be loaded. */
export async function importFile(file: string, what: string): Promise<{ readonly [name: string]: unknown }> {
  const path = resolve(file);
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw configError(`The ${what} file ${path} does not exist.`);
  const loaded = import(pathToFileURL(path).href).catch((thrown: unknown) => {
    throw configError(importErrorMessage(thrown, file), { cause: thrown });
  });
  const { promise: stuck, reject } = Promise.withResolvers<never>();
  const onIdle = (): void =>
    reject(configError(`${file} cannot be loaded: a top-level await of it never ends.`));
  process.once("beforeExit", onIdle);
  try {
    return (await Promise.race([loaded, stuck])) as { readonly [name: string]: unknown };
  } finally {
    process.off("beforeExit", onIdle);
  }
}

/** The default export of a file of a user, or else its export of the name that says what it is, such as "agents". Rejects as
 *  {@link importFile}. */
export async function importMain(file: string, what: string): Promise<unknown> {
  const module = await importFile(file, what);
  return module["default"] ?? module[what];
}

function importErrorMessage(thrown: unknown, file: string): string {
  const { code } = (thrown ?? {}) as { readonly code?: unknown };
  const message = messageOf(thrown).replace(/\.$/, "");
  const missing = /Cannot find package '([^']+)'/.exec(message)?.[1];
  if (missing)
    return `${file} imports the package "${missing}", which is not installed: run "npm install ${missing}".`;
  if (code === "ERR_MODULE_NOT_FOUND") return `${file} imports a file that does not exist: ${message}.`;
  if (code === "ERR_UNKNOWN_FILE_EXTENSION") return `${file} is not a .ts or .js file.`;
  if (thrown instanceof SyntaxError) return `${locationOf(thrown) ?? file} does not compile: ${message}.`;
  return `${throwerOf(thrown) ?? file} failed while it was loaded: ${message}.`;
}

/** "file:line" of the first file of the user in the stack of an error. */
function throwerOf(thrown: unknown): string | undefined {
  const stack = thrown instanceof Error ? (thrown.stack ?? "") : "";
  for (const [, url = "", line] of stack.matchAll(/(file:\/\/\S+?):(\d+):\d+\)?$/gm)) {
    const path = fileURLToPath(url);
    if (!path.includes(`${sep}node_modules${sep}`)) return `${relative(".", path)}:${line}`;
  }
  return undefined;
}

/** "file:line", which Node prints above the message of a syntax error. */
function locationOf({ stack = "" }: Error): string | undefined {
  const [, path, line] =
    /^(?:file:\/\/)?(\/\S.*|[A-Za-z]:\\.*):(\d+)$/m.exec(stack.split("\n", 1)[0] ?? "") ?? [];
  return path && `${relative(".", path) || path}:${line}`;
}
