import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { createServer } from "agentchart/server";

const FILES = [
  ["/", "index.html", "text/html; charset=utf-8"],
  ["/desk.js", "desk.js", "text/javascript; charset=utf-8"],
  ["/api.js", "api.js", "text/javascript; charset=utf-8"],
  ["/desk.css", "desk.css", "text/css; charset=utf-8"],
] as const;

/** Nothing but our own files, and nobody may frame them. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Adds the page on which refunds are approved. It holds no token: the link that opens it does. */
export function addPage(app: ReturnType<typeof createServer>): void {
  for (const [path, file, type] of FILES) {
    const body = readFileSync(join(import.meta.dirname, "../page", file), "utf8");
    app.get(path, (c) =>
      c.body(body, 200, {
        "Content-Type": type,
        "Content-Security-Policy": POLICY,
        "Referrer-Policy": "no-referrer",
      }),
    );
  }
}
