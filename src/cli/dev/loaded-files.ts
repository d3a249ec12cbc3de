import { statSync } from "node:fs";
import module from "node:module";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { LoadedFile } from "./thread-messages.ts";

/** The location of this package, and its own code in there. */
const ROOT = dirname(module.createRequire(import.meta.url).resolve("agentchart/package.json"));
const OWN = ["dist", "src", "machines"].map((folder) => join(ROOT, folder) + sep);

/** Returns the present version of a file: another text after each time that it is written, "" if it does not exist. */
export function versionOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? `${found.mtimeMs}:${found.size}` : "";
}

/** Calls `report` with each file of the user that this thread loads from now on, and with those that it cannot find; packages are
 *  none. */
export function reportLoadedFiles(report: (file: LoadedFile) => void): void {
  const note = (url: unknown): void => {
    if (typeof url !== "string" || !url.startsWith("file:")) return;
    const path = fileURLToPath(url);
    const isForeign = path.includes(`${sep}node_modules${sep}`) || OWN.some((own) => path.startsWith(own));
    if (!isForeign) report({ path, version: versionOf(path) });
  };
  module.registerHooks({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context);
      } catch (error) {
        note((error as { readonly url?: unknown }).url);
        throw error;
      }
    },
    load(url, context, next) {
      note(url);
      return next(url, context);
    },
  });
}
