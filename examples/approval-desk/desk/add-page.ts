import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { HttpApp } from "agentchart/server";

const FILES = [
  ["/", "index.html", "text/html; charset=utf-8"],
  ["/desk.js", "desk.js", "text/javascript; charset=utf-8"],
  ["/api.js", "api.js", "text/javascript; charset=utf-8"],
  ["/desk.css", "desk.css", "text/css; charset=utf-8"],
] as const;

/** Allows only files of this page, and forbids framing. */
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

/** Adds the page on which refunds are approved. The token is in the link, not in the page. */
export function addPage(app: HttpApp): Pick<HttpApp, "fetch"> {
  const pages = new Map(
    FILES.map(([path, file, type]) => {
      const body = readFileSync(join(import.meta.dirname, "../page", file), "utf8");
      const headers = {
        "Content-Type": type,
        "Content-Security-Policy": POLICY,
        "Referrer-Policy": "no-referrer",
      };
      return [path as string, { body, headers }];
    }),
  );
  return {
    fetch(request, env) {
      const page = pages.get(new URL(request.url).pathname);
      if (!page || !["GET", "HEAD"].includes(request.method)) return app.fetch(request, env);
      return new Response(page.body, { headers: page.headers });
    },
  };
}
