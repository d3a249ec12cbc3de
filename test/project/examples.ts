import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { ROOT } from "./source-files.ts";

/** A function or a class that the package exports. */
export type ExportedFunction = {
  /** The entry and the name, such as "agentchart/openai openaiModel". */
  readonly name: string;
  /** The code of its `@example`; undefined if it has none. */
  readonly example: string | undefined;
};

type Entries = { readonly [subpath: string]: { readonly "agentchart-source": string } | string };

const read = (path: string): string => readFileSync(posix.join(ROOT, path), "utf8");

/** The docstring above the declaration of `name` in a file, or in the file from which that one exports it. */
function docstringOf(path: string, name: string): string {
  const text = read(path);
  const declared = new RegExp(`^export (?:async )?(?:function\\*?|class|const) ${name}\\b`, "m").exec(text);
  if (declared) {
    const above = text.slice(0, declared.index);
    return above.endsWith("*/\n") ? above.slice(above.lastIndexOf("/**")) : "";
  }
  const from = new RegExp(`^export \\{[^}]*\\b${name}\\b[^}]*\\} from "(\\.[^"]+)";$`, "m").exec(text)?.[1];
  if (from === undefined) throw new Error(`${path} does not say where ${name} is.`);
  return docstringOf(posix.join(posix.dirname(path), from), name);
}

/** Every function and every class of every entry of the package. */
export async function exportedFunctions(): Promise<readonly ExportedFunction[]> {
  const { exports } = JSON.parse(read("package.json")) as { readonly exports: Entries };
  const found: ExportedFunction[] = [];
  for (const [subpath, target] of Object.entries(exports)) {
    if (typeof target === "string") continue;
    const entry = subpath.replace(".", "agentchart");
    const names = Object.entries((await import(entry)) as object)
      .filter(([, value]) => typeof value === "function")
      .map(([name]) => name);
    for (const name of names) {
      const docstring = docstringOf(target["agentchart-source"], name).replaceAll(/^ \* ?/gm, "");
      const [, example] = /@example\n```ts\n([^]*?)```/.exec(docstring) ?? [];
      found.push({ name: `${entry} ${name}`, example });
    }
  }
  return found;
}
