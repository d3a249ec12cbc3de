import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/** Decides which requests the hub accepts: by the host name of the request, and by the origin of the page. */
export type AccessPolicy = {
  /** Returns whether the value of a `Host` header names this hub. */
  isOurHost(host: string | undefined): boolean;
  /** Returns whether the value of an `Origin` header is the origin of the hub's page. */
  isOurOrigin(origin: string | undefined): boolean;
  /** The headers of every response. */
  readonly headers: Readonly<Record<string, string>>;
};

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

/** True for a host name or address of this machine. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d+){3}$/.test(host);
}

/**
 * The policy of a hub that is bound to `host` and `port`. Bound to all addresses, it accepts any IP address but
 * no other host name, which prevents DNS rebinding.
 */
export function accessPolicy(host: string, port: number): AccessPolicy {
  const ownName = host.includes(":") ? `[${host}]` : host;
  const names = new Set([...LOOPBACK, ownName].map((name) => `${name}:${port}`));
  const isAnyAddress = host === "0.0.0.0" || host === "::";
  const isOurHost = (hostHeader: string | undefined): boolean => {
    if (hostHeader === undefined) return false;
    const name = hostHeader.toLowerCase();
    if (names.has(name)) return true;
    const colon = name.lastIndexOf(":");
    return (
      isAnyAddress &&
      name.slice(colon + 1) === String(port) &&
      isIP(name.slice(0, colon).replace(/^\[|\]$/g, "")) > 0
    );
  };
  // a CSP source cannot be an IPv6 address; a page from such an address is covered by `self`
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
        `connect-src 'self' ${isAnyAddress ? "ws:" : sockets}`,
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

/** Compares a token in constant time. */
export function isSameToken(value: unknown, token: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(typeof value === "string" ? value : ""), digest(token)) && value !== "";
}

/** The token of an `Authorization: Bearer` header; "" without one. */
export function bearerOf(header: string | undefined): string {
  return /^Bearer (.+)$/.exec(header ?? "")?.[1] ?? "";
}

/**
 * The status that refuses a WebSocket request, or undefined. Our page connects to `/ws` from our origin, agents to `/worker` without an
 * origin, observed pages to `/browser` and programs that report with `@statelyai/inspect` to `/stately` from anywhere.
 */
export function refusalOf({ url = "", headers }: IncomingMessage, policy: AccessPolicy): number | undefined {
  const { pathname } = new URL(url, "http://hub");
  if (!policy.isOurHost(headers.host)) return 421;
  if (pathname === "/ws") return policy.isOurOrigin(headers.origin) ? undefined : 403;
  if (pathname === "/stately" || pathname === "/browser") return undefined; // pages of any origin: the address has a token
  if (pathname === "/worker") return headers.origin === undefined ? undefined : 403;
  return 404;
}
