import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../project/source-files.ts";

/** A block whose info string names an example: "```ts examples/guide/tools.ts#define", "```text examples/guide/tools.ts". */
const BLOCK = /^```(ts|text) (examples\/[\w/.-]+)(?:#([\w-]+))?\n[^]*?^```$/gm;

/** The examples that a page embeds, each once, in order. */
export const examplesOf = (page: string): readonly string[] => [
  ...new Set([...page.matchAll(BLOCK)].map(([, , file]) => file!)),
];

/** The pages whose code is that of examples: all of the guide, and those that embed one. */
export const pagesWithExamples: readonly string[] = globSync(["README.md", "docs/*.md", "docs/guide/*.md"], {
  cwd: ROOT,
})
  .filter(
    (path) => path.startsWith("docs/guide/") || examplesOf(readFileSync(join(ROOT, path), "utf8")).length > 0,
  )
  .toSorted();

/** The lines between `// #region name` and `// #endregion` of an example, or all of it without such lines. */
export function regionOf(file: string, name: string | undefined): string {
  const lines = readFileSync(join(ROOT, file), "utf8").trimEnd().split("\n");
  if (name === undefined) return lines.filter((line) => !/^\s*\/\/ #(end)?region\b/.test(line)).join("\n");
  const from = lines.indexOf(`// #region ${name}`);
  const to = lines.indexOf("// #endregion", from);
  if (from < 0 || to < 0) throw new Error(`${file} has no region "${name}".`);
  return lines.slice(from + 1, to).join("\n");
}

/** The page with its blocks filled: code from the examples, and what they print if `outputs` has it. */
export function withBlocks(page: string, outputs: ReadonlyMap<string, string> = new Map()): string {
  return page.replaceAll(BLOCK, (block, language: string, file: string, name: string | undefined) => {
    const text = language === "ts" ? regionOf(file, name) : outputs.get(file)?.trimEnd();
    return text === undefined
      ? block
      : `\`\`\`${language} ${file}${name === undefined ? "" : `#${name}`}\n${text}\n\`\`\``;
  });
}
