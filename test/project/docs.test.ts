// The pages of the documentation: links, lengths, and what they name.
import { existsSync, globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { describe, expect, test } from "vitest";
import { ERROR_CODES } from "../../src/core/base/error.ts";
import { ROOT, sourceFiles } from "./source-files.ts";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const exists = (path: string): boolean => existsSync(join(ROOT, path));
const pages = globSync(["*.md", "docs/**/*.md", "visualizer/README.md", "test/**/README.md"], {
  cwd: ROOT,
  exclude: ["**/node_modules/**"],
}).toSorted();
const { scripts } = JSON.parse(read("package.json")) as {
  readonly scripts: { readonly [name: string]: string };
};

/** The text of a page without its blocks of code. */
const proseOf = (path: string): string => read(path).replace(/^```[^]*?^```$/gm, "");
/** The anchors that GitHub makes of headings. */
const anchorsOf = (path: string): readonly string[] =>
  [...proseOf(path).matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );

describe("the pages of the documentation", () => {
  test("link only to files and headings that exist", () => {
    expect(pages.length).toBeGreaterThan(20);
    const broken = pages.flatMap((path) =>
      [...proseOf(path).matchAll(/(?:\]\(|(?:src|srcset)=")(?!https?:)([^)#"]*)(?:#([^)"]*))?/g)]
        .filter(([, file = "", anchor]) => {
          const target = file === "" ? path : posix.join(posix.dirname(path), file);
          return !exists(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
        })
        .map(([link]) => `${path}: ${link}`),
    );
    expect(broken).toEqual([]);
  });

  test("can all be reached by links from the README, and have at most 150 lines unless they are generated or measured", () => {
    const reached = new Set(["README.md"]);
    for (const path of reached)
      for (const [, file] of proseOf(path).matchAll(/\]\((?!https?:)([^)#]+\.md)(?:#[^)]*)?\)/g))
        reached.add(posix.join(posix.dirname(path), file!));
    const docs = pages.filter((path) => path.startsWith("docs/") && !path.startsWith("docs/api/"));
    expect(docs.filter((path) => !reached.has(path))).toEqual([]);
    const lines = (path: string): number => read(path).trimEnd().split("\n").length;
    const isList = (path: string): boolean =>
      /^docs\/(?:bench|state-table|invariants|reference\/)/.test(path);
    expect(docs.filter((path) => !isList(path) && lines(path) > 150)).toEqual([]);
  });

  test("name only files and folders that exist", () => {
    const named = pages
      .filter((path) => path !== "CHANGELOG.md" && path !== "docs/reference/cli.md") // with files of users
      .flatMap((path) =>
        [
          ...read(path).matchAll(
            /(?<=[`\s(]|^)((?:src|machines|test|examples|docs|scripts|bench|visualizer)\/[\w./-]*\w\/?)(?=[`\s),:;#]|$)/gm,
          ),
        ].map(([, name]) => ({ path, name: name! })),
      );
    expect(named.length).toBeGreaterThan(100);
    const isThere = (path: string, name: string): boolean =>
      exists(name) || exists(posix.join(posix.dirname(path), name)) || /\/[A-Z]{4}/.test(name); // a placeholder
    expect(named.filter(({ path, name }) => !isThere(path, name))).toEqual([]);
  });

  test.each([
    ["docs/guarantees.md", 20],
    ["SECURITY.md", 8],
  ])("%s names for each promise a test that exists", (path, least) => {
    const promises = read(path)
      .split("\n")
      .filter(
        (line) => line.startsWith("| ") && !/^\| -+ /.test(line) && !/^\| (?:promise|what) +\|/.test(line),
      );
    expect(promises.length).toBeGreaterThanOrEqual(least);
    const testsOf = (line: string): readonly string[] =>
      [...line.matchAll(/`([\w./-]+)`/g)].flatMap(([, name]) =>
        /\.test\.ts$|-contract-\w+\.ts$/.test(name!) ? [name!] : [],
      );
    expect(promises.filter((line) => testsOf(line).length === 0)).toEqual([]);
    expect(promises.flatMap(testsOf).filter((name) => !exists(name))).toEqual([]);
  });

  test("name only error codes that exist", () => {
    const kinds = new Set(ERROR_CODES.map((code) => code.split("/")[0]));
    const named = pages.flatMap((path) =>
      [...proseOf(path).matchAll(/`([a-z]+)\/([a-z]+(?:-[a-z]+)*)`/g)]
        .filter(([, kind]) => kinds.has(kind))
        .map(([, kind, name]) => ({ path, code: `${kind!}/${name!}` })),
    );
    expect(named.length).toBeGreaterThan(100);
    const isThere = (code: string): boolean =>
      ERROR_CODES.some((known) => known === code) ||
      exists(code) ||
      exists(`src/${code}`) ||
      exists(`docs/${code}`);
    expect(named.filter(({ code }) => !isThere(code))).toEqual([]);
  });

  test("name only metrics, spans and attributes of telemetry that the code has", () => {
    const known = read("docs/reference/telemetry.md");
    const isOther = (name: string): boolean => ["agentchart.labels", "agentchart_queue"].includes(name); // a session and a schema
    const named = pages.flatMap((path) =>
      [...read(path).matchAll(/`(agentchart_\w+|(?:gen_ai|agentchart)\.[a-z_.]+[a-z])(?=[`{])/g)].map(
        ([, name]) => ({ path, name: name! }),
      ),
    );
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter(({ name }) => !isOther(name) && !known.includes(`\`${name}\``))).toEqual([]);
  });

  test("name only scripts that package.json has", () => {
    const unknown = pages.flatMap((path) =>
      [...read(path).matchAll(/npm run (?:--silent )?([\w:-]+)/g)]
        .filter(([, name]) => !Object.hasOwn(scripts, name!))
        .map(([command]) => `${path}: ${command}`),
    );
    expect(unknown).toEqual([]);
  });
});

describe("ARCHITECTURE.md", () => {
  const page = read("ARCHITECTURE.md");
  const files = sourceFiles("src/**/*.ts", "machines/**/*.ts");
  const [, drawing = ""] = /^```mermaid\n([^]*?)^```/m.exec(page) ?? [];

  test("is at most 165 lines long", () => {
    expect(page.trimEnd().split("\n").length).toBeLessThanOrEqual(165);
  });

  test("says of each folder of src and machines what the head of one of its files says", () => {
    const folders = new Set(
      files.map(({ path }) => posix.dirname(path)).filter((folder) => folder !== "src"),
    );
    const heads = files.flatMap(({ path, text }) => {
      const [, head = ""] = /^(?:#!.*\n)?((?:\/\/ .*\n)+)/.exec(text) ?? [];
      const sentence = head
        .replaceAll(/^\/\/ /gm, "")
        .trim()
        .replaceAll("\n", " ");
      const folder = posix.dirname(path);
      return sentence.startsWith(`${folder} `) ? [[`${folder}/`, sentence.slice(folder.length + 1)]] : [];
    });
    const said = heads.map(([folder, rest]) => `${folder!}: ${rest![0]!.toUpperCase()}${rest!.slice(1)}`);
    expect([...folders].filter((folder) => !heads.some(([said]) => said === `${folder}/`))).toEqual([]);
    const rows = [
      ...read("docs/folders.md").matchAll(/^\| `((?:src|machines)\/[\w/-]*)` +\| (\S.*?) +\|$/gm),
    ].map(([, folder, sentence]) => `${folder!}: ${sentence!}`);
    expect(rows.toSorted()).toEqual(said.toSorted());
  });

  test("lists each box with its parts", () => {
    const boxes = [...page.matchAll(/^\| `((?:src|machines)\/[\w/]*)` +\| \S.*? \| (.*?) *\|$/gm)];
    const folders = files.map(({ path }) => `${posix.dirname(path)}/`);
    const boxOf = (folder: string): string => /^(?:src\/\w+|machines)\//.exec(folder)?.[0] ?? folder;
    const all = [...new Set(folders.map(boxOf).filter((box) => box !== "src/"))];
    expect(boxes.map(([, box]) => box).toSorted()).toEqual(all.toSorted());
    expect(boxes.length).toBeLessThanOrEqual(12);
    for (const [, box, parts] of boxes) {
      const inside = folders.filter((folder) => folder.startsWith(box!) && folder !== box);
      const names = new Set(inside.map((folder) => folder.slice(box!.length).split("/")[0]!));
      expect([...parts!.matchAll(/`([\w-]+)`/g)].map(([, name]) => name)).toEqual([...names].toSorted());
    }
  });

  test("says of 40 things in which file one changes them, and each file contains the name", () => {
    const table = page.slice(page.indexOf("## I want to change"), page.indexOf("## Reading order"));
    const rows = [...table.matchAll(/^\| \S.*? \| `([\w/.-]+)` +\| `([^`]+)` +\|$/gm)];
    expect(rows.length).toBeGreaterThanOrEqual(40);
    expect(rows.filter(([, file, name]) => !exists(file!) || !read(file!).includes(name!))).toEqual([]);
  });

  test("draws the direction of imports between rooms as the files have it", () => {
    const names = new Map(
      [...drawing.matchAll(/(\w+)\["([\w/-]+)"\]/g)].map(([, id, name]) => [id!, name!] as const),
    );
    const ends = (side: string) => side.split(" & ").map((end) => names.get(/^\w+/.exec(end)![0]) ?? end);
    const arrows = [...drawing.matchAll(/^ {2}(\S.*) --> (.*)$/gm)].flatMap(([, from, to]) =>
      ends(from!).flatMap((one) => ends(to!).map((other) => [one, other] as const)),
    );
    const rooms = new Set(arrows.flat());
    const roomOf = (path: string): string | undefined => {
      const parts = path.replace(/^src\//, "").split("/");
      return [parts.slice(0, 2).join("/"), parts[0]!].find((name) => rooms.has(name));
    };
    const below = (room: string): Set<string> => {
      const next = arrows.flatMap(([from, to]) => (from === room ? [to] : []));
      return new Set([...next, ...next.flatMap((each) => [...below(each)])]);
    };
    const imports = new Set(
      files.flatMap(({ path, imports }) => {
        const from = roomOf(path);
        return imports.flatMap(({ to }) => {
          const room = to.startsWith("src/") || to.startsWith("machines/") ? roomOf(to) : undefined;
          return from && room && from !== room ? [`${from} → ${room}`] : [];
        });
      }),
    );
    const drawn = arrows.map(([from, to]) => `${from} → ${to}`);
    expect(drawn.filter((arrow) => !imports.has(arrow))).toEqual([]);
    const implied = new Set([...rooms].flatMap((room) => [...below(room)].map((to) => `${room} → ${to}`)));
    expect([...imports].filter((arrow) => !implied.has(arrow))).toEqual([]);
  });
});
