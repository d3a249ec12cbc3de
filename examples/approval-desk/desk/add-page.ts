import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { HttpApp } from "agentchart/server";
import type { BuiltPage } from "./build-page.ts";

/** Allows only files of this page, and forbids framing. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "font-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Adds the page on which refunds are approved. The token is in the link, not in the page. */
export function addPage(app: HttpApp, { script, styles, fonts }: BuiltPage): Pick<HttpApp, "fetch"> {
  const html = readFileSync(join(import.meta.dirname, "../page/index.html"), "utf8");
  const files = new Map<string, readonly [body: string | Uint8Array<ArrayBuffer>, type: string]>([
    ["/", [html, "text/html; charset=utf-8"]],
    ["/desk.js", [script, "text/javascript; charset=utf-8"]],
    ["/desk.css", [styles, "text/css; charset=utf-8"]],
    ...[...fonts].map(([path, font]) => [path, [font, "font/woff2"]] as const),
  ]);
  return {
    fetch(request, env) {
      const file = files.get(new URL(request.url).pathname);
      if (!file || !["GET", "HEAD"].includes(request.method)) return app.fetch(request, env);
      const [body, type] = file;
      const headers = {
        "Content-Type": type,
        "Content-Security-Policy": POLICY,
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-cache",
        "X-Content-Type-Options": "nosniff",
      };
      return new Response(body, { headers });
    },
  };
}
