import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const FOLDER = join(import.meta.dirname, "../../../dist/visualizer/assets");

/**
 * Returns the size of the built page in bytes: scripts and styles compressed with gzip, and the Latin fonts.
 */
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
