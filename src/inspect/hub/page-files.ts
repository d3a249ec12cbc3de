import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, extname, join, resolve, sep } from "node:path";

const TYPES: { readonly [extension: string]: string } = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
};

/** A file of the page and its content type. */
export type PageFile = {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly type: string;
  /** True if its name contains a hash of its content. */
  readonly isVersioned: boolean;
};

/** The names that the build of the page gives: "assets/index-DIJXcEvC.js". */
const VERSIONED = /^\/assets\/.*-[\w-]{8}\.\w+$/;

/** The folder of the built page inside the installed package. */
export function pageFolder(): string {
  const packageFile = createRequire(import.meta.url).resolve("agentchart/package.json");
  return join(dirname(packageFile), "dist", "visualizer");
}

/**
 * Reads a file of the page by its URL path; undefined for unknown files and for paths that lead out of the
 * folder.
 */
export async function pageFile(folder: string, path: string): Promise<PageFile | undefined> {
  const name = decodePath(path === "/" ? "/index.html" : path);
  const type = TYPES[extname(name ?? "")];
  if (name === undefined || type === undefined || name.includes("\0")) return undefined;
  const file = resolve(folder, `.${name}`);
  if (!file.startsWith(folder + sep)) return undefined;
  try {
    return { body: new Uint8Array(await readFile(file)), type, isVersioned: VERSIONED.test(name) };
  } catch {
    return undefined;
  }
}

function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
