// The Chinese pages have the code of the English ones, and are translations of them as they are now.
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./source-files.ts";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const BLOCK = /^```\w[^]*?^```$/gm;
/** The end of a translation: what it translates, and the hash of its prose at that time. */
const MARK = /^<!-- of (\S+) ([0-9a-f]{12}) -->$/m;

const translations = globSync("docs/zh/*.md", { cwd: ROOT })
  .filter((path) => !path.endsWith("README.md"))
  .toSorted()
  .map((path) => {
    const [, source = "", hash = ""] = MARK.exec(read(path)) ?? [];
    return { path, source, hash };
  });

/** The hash of a page without its code, which a translation has as it is. */
const hashOf = (page: string): string =>
  createHash("sha256").update(page.replaceAll(BLOCK, "").replaceAll(/\s+/g, " ")).digest("hex").slice(0, 12);

test("seven pages are translated, and the contents list each", () => {
  const contents = read("docs/zh/README.md");
  expect(translations.map(({ path }) => path)).toHaveLength(7);
  for (const { path } of translations) expect(contents).toContain(`](${path.replace("docs/zh/", "")})`);
});

// `npx vitest run test/project/translations.test.ts -u` writes the code of the English pages into the Chinese ones.
test.for(translations)("$path has the code of $source", async ({ path, source }) => {
  const code = read(source).match(BLOCK) ?? [];
  let count = 0;
  const page = read(path).replaceAll(BLOCK, () => code[count++] ?? "");
  expect(count).toBe(code.length);
  await expect(page).toMatchFileSnapshot(join(ROOT, path));
});

test.for(translations)("$path translates $source as it is", ({ source, hash }) => {
  // Translate what has changed, and write the new hash into the last line of the translation.
  expect(hash).toBe(hashOf(read(source)));
});
