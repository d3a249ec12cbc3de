/** Writes the reference of the API from the docstrings of the sources: a page for each entry of the package, by TypeDoc. It has a TypeScript of
 *  its own, since TypeDoc cannot read with that of the repository. */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Application, LogLevel } from "typedoc";

const root = join(import.meta.dirname, "..");
const { name, exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** The entries of the package with their sources: `agentchart/rules` is `src/kit/rules/index.ts`. */
const ENTRIES = Object.entries(exports).flatMap(([subpath, target]) =>
  typeof target === "object"
    ? [{ entry: `${name}${subpath.slice(1)}`, source: target["agentchart-source"] }]
    : [],
);

/** The contents of the reference. */
export const referencePages = ENTRIES.map(({ entry }) => ({ text: entry, link: `/api/${entry}` }));

/** What stands in tables: with a heading for each field a page is twice as long. */
const IN_TABLES = [
  "parameters",
  "interfaceProperties",
  "classProperties",
  "typeAliasProperties",
  "propertyMembers",
  "typeDeclaration",
];

export async function writeReference(folder) {
  const tsconfig = join(folder, "../tsconfig.json");
  const compilerOptions = {
    lib: ["es2024", "dom"],
    types: ["node"],
    typeRoots: [join(root, "node_modules/@types")],
  };
  const include = [join(root, "src"), join(root, "machines")];
  writeFileSync(
    tsconfig,
    JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions, include, exclude: [] }),
  );
  const app = await Application.bootstrapWithPlugins({
    entryPoints: ENTRIES.map(({ source }) => join(root, source)),
    tsconfig,
    basePath: root,
    name: "API",
    plugin: [fileURLToPath(import.meta.resolve("typedoc-plugin-markdown"))],
    router: "module",
    entryFileName: "index",
    out: join(folder, "api"),
    readme: "none",
    skipErrorChecking: true, // `npm run typecheck` checks
    disableSources: true,
    excludeInternal: true,
    excludePrivate: true,
    groupOrder: ["Functions", "Classes", "Interfaces", "Type Aliases", "Variables"],
    logLevel: LogLevel.Error,
    validation: false,
    hidePageHeader: true,
    hideBreadcrumbs: true,
    hideGroupHeadings: true,
    tableColumnSettings: { hideModifiers: true },
    sortEntryPoints: false,
    ...Object.fromEntries(IN_TABLES.map((part) => [`${part}Format`, "table"])),
  });
  const project = await app.convert();
  if (!project) throw new Error("TypeDoc could not read the sources.");
  for (const { entry, source } of ENTRIES) {
    const path = source.replace(/^\.\//, "").replace(/(?:\/index)?\.ts$/, "");
    project.children.find((module) => module.name === path).name = entry;
  }
  await app.generateOutputs(project);
  mendPages(join(folder, "api"));
}

/** Lists the names of a page beside it, without their parts. TypeDoc numbers the anchors of a page with those of members that have no heading:
 *  such a link leads to the only heading of the name. */
function mendPages(folder) {
  const pages = globSync("**/*.md", { cwd: folder }).map((path) => join(folder, path));
  const headings = new Map(
    pages.map((path) => [
      path,
      readFileSync(path, "utf8")
        .match(/^#+ .*$/gm)
        .map((line) => line.replaceAll(/\W/g, "").toLowerCase()),
    ]),
  );
  for (const path of pages) {
    const mended = readFileSync(path, "utf8").replaceAll(
      /\]\(([^)#]*)#(\w+)-(\d+)\)/g,
      (link, page, name, number) => {
        const target = headings.get(page === "" ? path : join(dirname(path), page));
        return target.filter((heading) => heading === name).length > Number(number)
          ? link
          : `](${page}#${name})`;
      },
    );
    writeFileSync(path, `---\noutline: 2\n---\n\n${mended}`);
  }
}
