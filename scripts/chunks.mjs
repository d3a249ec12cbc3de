/** Plans the chunks of the build: a process starts faster with fewer files, but no entry may load what it does not need. */
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

const IMPORTS = /^(?:import|export)(?! type\b)[^;"]*"(\.[^"]+)";/gm;

/** The files that an entry loads when it is imported. */
function loadedBy(entry) {
  const files = new Set();
  const visit = (file) => {
    if (files.has(file)) return;
    files.add(file);
    if (!/\.tsx?$/.test(file)) return;
    for (const [, path] of readFileSync(file, "utf8").matchAll(IMPORTS)) visit(resolve(dirname(file), path));
  };
  visit(resolve(entry));
  return files;
}

/**
 * Returns groups of chunks for the build: of what the main entry loads, files that the same `others` load too are one chunk.
 *
 * @param {string} main
 * @param {readonly string[]} others
 */
export function chunksOf(main, others) {
  const parts = others.map(loadedBy);
  const sharedBy = new Map(
    [...loadedBy(main)].map((file) => [
      file,
      parts.flatMap((files, index) => (files.has(file) ? [index] : [])),
    ]),
  );
  const names = [...new Set([...sharedBy.values()].map(String))].toSorted();
  const counts = new Set([...sharedBy.values()].map(({ length }) => length));
  return [...counts].map((count) => ({
    // a group takes what its files import along, unless a group before it has it: what more entries load comes first
    priority: 1 + count,
    test: (id) => sharedBy.get(id)?.length === count,
    name: (id) => `c${names.indexOf(String(sharedBy.get(id)))}`,
  }));
}
