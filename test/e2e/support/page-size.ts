import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const FOLDER = join(import.meta.dirname, "../../../dist/visualizer/assets");

/** Bytes of the built page: what is loaded before anything is seen, compressed, and the fonts. */
export function pageSize(): { readonly code: number; readonly fonts: number } {
  const sum = (ending: RegExp, sizeOf: (bytes: Buffer) => number): number =>
    readdirSync(FOLDER)
      .filter((name) => ending.test(name))
      .reduce((total, name) => total + sizeOf(readFileSync(join(FOLDER, name))), 0);
  return {
    code: sum(/\.(js|css)$/, (bytes) => gzipSync(bytes).length),
    fonts: sum(/-latin-wght.*woff2$/, (bytes) => bytes.length),
  };
}
