import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const FOLDER = join(ROOT, "build/bundled");
const PACKAGE = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

/** A plugin of Rolldown and Vite that writes the folders of the packages that a bundle holds parts of to build/bundled/NAME.json,
 *  from which scripts/third-party-notices.mjs makes the notices. */
export function recordBundled(name) {
  let root = join(ROOT, "visualizer");
  return {
    name: "record-bundled",
    configResolved(config) {
      root = config.root; // the names of assets are relative to it
    },
    generateBundle(_options, bundle) {
      const files = Object.values(bundle).flatMap((output) =>
        output.type === "asset"
          ? (output.originalFileNames ?? []).map((file) => join(root, file))
          : Object.entries(output.modules)
              .filter(([, { renderedLength }]) => renderedLength > 0)
              .map(([id]) => id),
      );
      const folders = files
        .flatMap((file) => PACKAGE.exec(file)?.[0] ?? [])
        .map((path) => relative(ROOT, path));
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(join(FOLDER, `${name}.json`), JSON.stringify([...new Set(folders)].toSorted(), null, 2));
    },
  };
}
