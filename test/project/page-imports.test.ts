// The page loads no zod: its policy forbids the functions that zod makes of texts.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./source-files.ts";

const IMPORT =
  /^(?:import|export)\b(?!\s+type\b)[^"';]*?\bfrom\s*"([^"]+)"|\bimport\("([^"]+)"\)|^import "([^"]+)"/gm;

/** The files that a file loads, at once or later, each with the one that imports it. Packages are loaded too. */
function loadedBy(entry: string): ReadonlyMap<string, string> {
  const found = new Map([[entry, ""]]);
  for (const file of found.keys()) {
    if (!/\.(?:[cm]?js|tsx?)$/.test(file)) continue;
    for (const [, from, later, plain] of readFileSync(join(ROOT, file), "utf8").matchAll(IMPORT)) {
      const name = (from ?? later ?? plain)!;
      const path = name.startsWith(".") ? join(dirname(file), name) : name;
      if (name.startsWith(".") && !name.includes("?") && !found.has(path)) found.set(path, file);
      if (name === "zod") found.set(name, file);
    }
  }
  return found;
}

test("the page loads neither zod nor the file that loads it", () => {
  const loaded = loadedBy("visualizer/src/main.tsx");
  expect(loaded.size).toBeGreaterThan(200);
  const ways = ["zod", "src/core/tool/load-zod.cjs"].flatMap((path) => {
    const way = [path];
    for (let at = loaded.get(path); at; at = loaded.get(at)) way.push(at);
    return loaded.has(path) ? [way.join(" < ")] : [];
  });
  expect(ways).toEqual([]);
});
