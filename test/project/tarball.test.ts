// The tarball of the package holds what its documents link to.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { ROOT } from "./source-files.ts";

type File = { readonly path: string; readonly size: number };

const LINKS = [/\]\(([^)\s]+)\)/g, /^\[[^\]]+\]: (\S+)/gm, /\b(?:src|srcset|href)="([^"]+)"/g];

/** The paths, from the root, of what a document links to in this repository. */
function linksOf(document: string): readonly string[] {
  const text = readFileSync(join(ROOT, document), "utf8").replaceAll(/^```[^]*?^```/gm, "");
  return LINKS.flatMap((pattern) => [...text.matchAll(pattern)])
    .map(([, link]) => link!.replace(/[#?].*/, ""))
    .filter((link) => link !== "" && !/^[a-z]+:/.test(link))
    .map((link) => posix.join(posix.dirname(document), link));
}

describe("the tarball of the package", () => {
  let files: readonly File[];

  beforeAll(() => {
    const args = ["pack", "--dry-run", "--json", "--ignore-scripts", "--silent"];
    const listed = execFileSync("npm", args, { cwd: ROOT, encoding: "utf8" });
    const report = JSON.parse(listed) as readonly { readonly files: readonly File[] }[];
    files = report[0]!.files;
  });

  test("holds every file that a document in it links to", () => {
    const packed = new Set(files.map(({ path }) => path));
    const documents = [...packed].filter((path) => path.endsWith(".md"));
    const holds = (link: string): boolean =>
      packed.has(link) || [...packed].some((path) => path.startsWith(`${link.replace(/\/$/, "")}/`));
    const missing = documents.flatMap((document) =>
      linksOf(document)
        .filter((link) => !holds(link))
        .map((link) => `${document} links to ${link}`),
    );
    expect(missing).toEqual([]);
    expect(documents.length).toBeGreaterThan(5);
    expect(linksOf("README.md").length).toBeGreaterThan(5);
  });

  test("holds the examples, and neither sources, tests nor large files besides the build", () => {
    const paths = files.map(({ path }) => path);
    expect(paths).toContain("examples/hello.ts");
    expect(paths).toContain("examples/data-analyst/main.ts");
    expect(
      paths.filter((path) => /^(src|machines|test|bench)\/|\.test\.ts$|node_modules/.test(path)),
    ).toEqual([]);
    const besides = files.filter(({ path }) => !path.startsWith("dist/"));
    expect(besides.filter(({ size }) => size > 200_000).map(({ path }) => path)).toEqual([]);
    expect(besides.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(2_100_000);
  });
});
