import { globSync, readFileSync } from "node:fs";
import { posix } from "node:path";

/** The root of the repository. */
export const ROOT = posix.join(import.meta.dirname, "../..");

export type Import = {
  /** A path from the root for our own files, else the name of a package. */
  readonly to: string;
  readonly isType: boolean;
};

export type SourceFile = {
  /** From the root: "src/core/event/emitter.ts". */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
};

const STATIC = /^(?:import|export)\s+(?:(type)\s)?(?:[^"';]*?\sfrom\s+)?"([^"]+)";/gm;
const DYNAMIC = /\b(?:import|require)\("([^"]+)"\)/g;

function importsOf(path: string, text: string): readonly Import[] {
  const resolve = (to: string): string => (to.startsWith(".") ? posix.join(posix.dirname(path), to) : to);
  const statics = [...text.matchAll(STATIC)].map(([, type, to]) => ({
    to: resolve(to!),
    isType: type !== undefined,
  }));
  // In a type position `import("…")` is a type; a dynamic import is awaited.
  const dynamics = [...text.matchAll(DYNAMIC)].map((match) => ({
    to: resolve(match[1]!),
    isType: !text.slice(0, match.index).endsWith("await "),
  }));
  return [...statics, ...dynamics];
}

/** The TypeScript files that match, with what they import. */
export function sourceFiles(...patterns: readonly string[]): readonly SourceFile[] {
  return patterns
    .flatMap((pattern) => globSync(pattern, { cwd: ROOT }))
    .filter((path) => !path.includes("node_modules"))
    .toSorted()
    .map((path) => {
      const text = readFileSync(posix.join(ROOT, path), "utf8");
      return { path, text, imports: importsOf(path, text) };
    });
}
