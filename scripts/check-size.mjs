/** Checks how much a program loads of each entry of the package: the compressed bytes of the entry and all files that it imports,
 *  without what is loaded on demand; and what a first visit of the inspector's page loads, and each part that comes later. Run with
 *  `--write` after a change that is meant, it writes the table anew. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { pageSize } from "./page-size.ts";

const root = join(import.meta.dirname, "..");
const TABLE = join(root, "scripts/size-budgets.json");
/** How much an entry may grow before its budget is raised by hand. */
const SLACK = 1.03;
/** The most that a first visit of the page may ever load, compressed, without fonts. */
const FIRST_VISIT = 200_000;

const STATIC_IMPORT = /^(?:import|export)\b(?:[^"';]*?\bfrom)?\s*["'](\.{1,2}\/[^"']+)["']/gm;

/** The files of an entry that are loaded with it. */
function closureOf(entry) {
  const found = new Set([entry]);
  for (const file of found)
    for (const [, path] of readFileSync(file, "utf8").matchAll(STATIC_IMPORT))
      found.add(join(dirname(file), path));
  return found;
}

/** The compressed bytes of an entry, each file by itself. */
function bytesOf(entry) {
  let sum = 0;
  for (const file of closureOf(entry)) sum += gzipSync(readFileSync(file)).length;
  return sum;
}

const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const entries = Object.entries(exports).flatMap(([name, target]) => {
  const path = target.node ?? target.default;
  return path ? [[name, path]] : [];
});
const missing = entries.find(([, path]) => !existsSync(join(root, path)));
if (missing) throw new Error(`There is no ${missing[1]}: run "npm run build" first.`);
const { first, lazy } = pageSize();
const sizes = {
  ...Object.fromEntries(entries.map(([name, path]) => [name, bytesOf(join(root, path))])),
  "page, first visit": first,
  ...Object.fromEntries(Object.entries(lazy).map(([part, bytes]) => [`page, ${part}`, bytes])),
};
if (first > FIRST_VISIT)
  throw new Error(`A first visit of the page loads ${first} bytes; the most is ${FIRST_VISIT}.`);

if (process.argv.includes("--write")) {
  const budgets = Object.fromEntries(
    Object.entries(sizes).map(([name, bytes]) => [
      name,
      Math.max(1_000, Math.ceil((bytes * SLACK) / 100) * 100),
    ]),
  );
  writeFileSync(TABLE, `${JSON.stringify(budgets, null, 2)}\n`);
}
const budgets = JSON.parse(readFileSync(TABLE, "utf8"));
const problems = [...new Set([...Object.keys(budgets), ...Object.keys(sizes)])].flatMap((name) => {
  const [budget, bytes] = [budgets[name], sizes[name]];
  if (budget === undefined) return [`${name} has no budget`];
  if (bytes === undefined) return [`${name} is not an entry of the package, and no part of the page`];
  return bytes > budget ? [`${name} has ${bytes} compressed bytes, and its budget is ${budget}`] : [];
});
for (const [name, bytes] of Object.entries(sizes))
  console.log(`${String(bytes).padStart(8)} of ${budgets[name]} ${name}`);
if (problems.length > 0) {
  console.error(
    `${problems.join("\n")}\nImport less, or load it on demand. If it is meant: node scripts/check-size.mjs --write`,
  );
  process.exitCode = 1;
}
