import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/** Who may talk to the hub: by the name it is called with, and by the page that calls. */
export type Doors = {
  isOurHost(host: string | undefined): boolean;
  isOurOrigin(origin: string | undefined): boolean;
  /** The headers of every answer. */
  readonly headers: Readonly<Record<string, string>>;
};

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d+){3}$/.test(host);
}

/** The doors of a hub that is bound to `host` and `port`. Bound to all addresses, it answers to any address but to no other
 *  name, so that no page can reach it through a name of its own. */
export function doorsOf(host: string, port: number): Doors {
  const bare = host.includes(":") ? `[${host}]` : host;
  const names = new Set([...LOOPBACK, bare].map((name) => `${name}:${port}`));
  const isAll = host === "0.0.0.0" || host === "::";
  const isOurHost = (given: string | undefined): boolean => {
    if (given === undefined) return false;
    const name = given.toLowerCase();
    if (names.has(name)) return true;
    const place = name.lastIndexOf(":");
    return (
      isAll &&
      name.slice(place + 1) === String(port) &&
      isIP(name.slice(0, place).replace(/^\[|\]$/g, "")) > 0
    );
  };
  // a source of a policy cannot be an IPv6 address; where the page comes from there, `self` covers it
  const sockets = [...names]
    .filter((name) => !name.startsWith("["))
    .map((name) => `ws://${name}`)
    .join(" ");
  return {
    isOurHost,
    isOurOrigin: (origin) =>
      origin !== undefined && origin.startsWith("http://") && isOurHost(origin.slice(7)),
    headers: {
      "content-security-policy": [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        `connect-src 'self' ${isAll ? "ws:" : sockets}`,
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
      ].join("; "),
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-resource-policy": "same-origin",
      "cross-origin-opener-policy": "same-origin",
      "x-frame-options": "DENY",
      "cache-control": "no-store",
    },
  };
}

/** True if the two are the same; the time it takes says nothing about how much of them is. */
export function isSameToken(given: unknown, token: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(typeof given === "string" ? given : ""), digest(token)) && given !== "";
}

/** The token of an `Authorization: Bearer` header. */
export function bearerOf(header: string | undefined): string {
  return /^Bearer (.+)$/.exec(header ?? "")?.[1] ?? "";
}

/** The status that refuses a WebSocket: pages come to `/ws` from our origin, agents to `/worker` from none. */
export function refusalOf({ url = "", headers }: IncomingMessage, doors: Doors): number | undefined {
  const { pathname } = new URL(url, "http://hub");
  if (!doors.isOurHost(headers.host)) return 421;
  if (pathname === "/ws") return doors.isOurOrigin(headers.origin) ? undefined : 403;
  if (pathname === "/worker") return headers.origin === undefined ? undefined : 403;
  return 404;
}
