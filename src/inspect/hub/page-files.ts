import { createHash } from "node:crypto";
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
  ".ndjson": "application/x-ndjson",
  ".webmanifest": "application/manifest+json",
};

/** A file of the page and its content type. */
type PageFile = {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly type: string;
  /** True if its name contains a hash of its content. */
  readonly isVersioned: boolean;
};

/** The names that the build of the page gives: "assets/index-DIJXcEvC.js". */
const VERSIONED = /^\/assets\/.*-[\w-]{8}\.\w+$/;

/** For files whose names change with their content. */
const FOR_EVER = "public, max-age=31536000, immutable";

/** The folder of a built page inside the installed package. */
export function pageFolder(name: "visualizer" | "chat" = "visualizer"): string {
  const packageFile = createRequire(import.meta.url).resolve("agentchart/package.json");
  return join(dirname(packageFile), "dist", name);
}

/** The response to a request for a file of the page; undefined for an unknown file. A browser keeps a file whose name has a hash, and
 *  asks each time whether it still has the newest of the others. */
export async function pageResponse(folder: string, request: Request): Promise<Response | undefined> {
  const { pathname } = new URL(request.url);
  const file = await pageFile(folder, pathname);
  if (!file && pathname !== "/") return undefined;
  if (!file)
    return new Response("The page is not built: run `npm run build:page`, then reload.\n", { status: 503 });
  const { body, type, isVersioned } = file;
  if (isVersioned)
    return new Response(body, { headers: { "content-type": type, "cache-control": FOR_EVER } });
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  const known = request.headers.get("if-none-match")?.split(/\s*,\s*/u) ?? [];
  const headers = { etag, "cache-control": "no-cache" };
  // A response that was compressed on its way has a weak one.
  if (known.some((each) => each.replace(/^W\//u, "") === etag))
    return new Response(null, { status: 304, headers });
  return new Response(body, { headers: { ...headers, "content-type": type } });
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
