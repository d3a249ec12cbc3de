import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const FOLDER = join(import.meta.dirname, "../dist/visualizer");

/** The size of the built page in bytes: scripts and styles compressed with gzip, and the Latin fonts. */
export type PageSize = {
  /** What every visit loads: all that index.html names. */
  readonly first: number;
  /** What is loaded when it is asked for, by the name of its module. */
  readonly lazy: { readonly [module: string]: number };
  readonly fonts: number;
};

export function pageSize(): PageSize {
  const html = readFileSync(join(FOLDER, "index.html"), "utf8");
  const names = readdirSync(join(FOLDER, "assets"));
  const code = names.filter((name) => /\.(js|css)$/.test(name));
  const read = (name: string): Buffer => readFileSync(join(FOLDER, "assets", name));
  const compressed = (name: string): number => gzipSync(read(name)).length;
  const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0);
  const first = code.filter((name) => html.includes(name));
  const lazy = code.filter((name) => !html.includes(name));
  return {
    first: sum(first.map(compressed)),
    lazy: Object.fromEntries(lazy.map((name) => [name.replace(/-[\w-]{8}\.\w+$/, ""), compressed(name)])),
    fonts: sum(names.filter((name) => /-latin-wght.*woff2$/.test(name)).map((name) => read(name).length)),
  };
}
