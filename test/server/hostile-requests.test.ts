// Hostile requests to every route.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { memoryMemory } from "agentchart/memory";
import { memoryStore } from "agentchart/store/memory";
import type { Json } from "agentchart";
import { createSession, openServer, TOKENS } from "./open-server.ts";
import { testHome, testHub } from "../support/hub-page.ts";

const isSoak = process.env["SOAK"] === "1";
/** How many requests are sent to each of the two servers. */
const COUNT = isSoak ? 5_000 : 400;
const SEED = Number(process.env["SEED"] ?? (isSoak ? Date.now() % 1e9 : 41));

type Random = () => number;

/** Random numbers from 0 to 1, the same for the same seed. */
function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}
const pick = <T>(random: Random, all: readonly T[]): T => all[Math.floor(random() * all.length)]!;

const TEXTS = [
  ..."__proto__ constructor toString hasOwnProperty null undefined NaN Infinity -1 0 1e309 0x10 9007199254740993".split(
    " ",
  ),
  ..."s s__proto__ s{} s[] n n-1 nNaN n1e9 n99999999999999999999 .. ../.. %00 %2e%2e%2f $ne * % _ ' \" ; --".split(
    " ",
  ),
  "",
  " ",
  "\0",
  "a\0b",
  "\uD800",
  "é\u0301",
  "\u202E",
  "\uFEFF",
  "a/b",
  "/",
  "\\",
  "'; DROP TABLE sessions; --",
  "<script>",
  "{{7*7}}",
  "x".repeat(300),
  "x".repeat(5_000),
  "2026-13-45T99:99:99Z",
  "[object Object]",
  '{"a":',
] as const;

function anyJson(random: Random, depth = 0): Json {
  const kind = Math.floor(random() * (depth > 3 ? 5 : 7));
  if (kind === 0) return null;
  if (kind === 1) return random() < 0.5;
  if (kind === 2) return pick(random, [0, -1, 1.5, 1e308, 2 ** 53, -0]);
  if (kind <= 4) return pick(random, TEXTS);
  const parts = Array.from({ length: Math.floor(random() * 4) }, () => anyJson(random, depth + 1));
  if (kind === 5) return parts;
  return Object.fromEntries(parts.map((part) => [pick(random, [...TEXTS, ...FIELDS]), part]));
}
const FIELDS =
  "agent input id meta tenant messages role content type text callId decision argsHash value revision trigger threadId runId state tools context resume message instructions cost tokens method params jsonrpc".split(
    " ",
  );

const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());

/** A path with its parameters replaced, and a query of known and unknown names. */
function anyUrl(random: Random, path: string, id: string, names: readonly string[]): string {
  const filled = path.replaceAll(/\{\w+\}|:\w+/gu, () =>
    random() < 0.4 ? id : encoded(pick(random, TEXTS)),
  );
  const query = Array.from({ length: Math.floor(random() * 4) }, () => {
    const name = random() < 0.8 && names.length > 0 ? pick(random, names) : encoded(pick(random, TEXTS));
    return `${name}=${encoded(pick(random, TEXTS))}`;
  });
  return query.length > 0 ? `${filled}?${query.join("&")}` : filled;
}

function anyBody(random: Random): string {
  const json = JSON.stringify(anyJson(random));
  const broken = ["", "{", "[".repeat(5_000), `${'{"a":'.repeat(2_000)}1`, "\0", json.slice(1)];
  return random() < 0.8 ? json : pick(random, broken);
}

type Route = { readonly method: string; readonly path: string; readonly names: readonly string[] };

/** Sends requests to routes in turn, and returns what was answered with a failure of the server. */
async function attacked(
  routes: readonly Route[],
  id: string,
  send: (method: string, url: string, body?: string) => Promise<Response>,
): Promise<readonly unknown[]> {
  const random = seeded(SEED);
  const failures: unknown[] = [];
  const seen = new Set<string>();
  for (let nr = 0; nr < COUNT; nr++) {
    const { method, path, names } = routes[nr % routes.length]!;
    const url = anyUrl(random, path, id, names);
    const body = method === "GET" || method === "HEAD" ? undefined : anyBody(random);
    const response = await send(method, url, body);
    await response.body?.cancel().catch(() => {});
    seen.add(`${method} ${path}`);
    const isUnbuilt = response.status === 503 && new URL(url, "http://hub").pathname === "/"; // its page
    if (response.status >= 500 && !isUnbuilt)
      failures.push([response.status, method, url, body?.slice(0, 300)]);
  }
  expect(seen.size).toBe(routes.length);
  return failures;
}

type Documented = {
  readonly paths: {
    readonly [path: string]: {
      readonly [method: string]: {
        readonly parameters?: readonly { readonly in: string; readonly name: string }[];
      };
    };
  };
};

test(`no hostile request to a route of the server is answered with a failure of it, nor waited for (seed ${SEED})`, async () => {
  const server = openServer({
    store: memoryStore(),
    memory: memoryMemory(),
    rateLimit: { perSecond: 1_000_000, burst: 1_000_000 },
    origins: ["https://page.example"],
  });
  const id = await createSession(server);
  const { paths } = (await (await server.app.request("/openapi.json")).json()) as Documented;
  const routes: Route[] = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [] }]) => ({
      method: method.toUpperCase(),
      path,
      names: parameters.flatMap((each) => (each.in === "query" ? [each.name] : [])),
    })),
  );
  expect(routes.length).toBeGreaterThan(20);
  routes.push({ method: "POST", path: "/mcp", names: [] });
  const random = seeded(SEED + 1);
  const failures = await attacked(routes, id, async (method, url, body) => {
    const waits = /\/(?:chat|agui)\b/u.test(url) || url.includes("/events"); // streams, for which no worker does anything here
    const signal = waits ? AbortSignal.timeout(50) : undefined;
    const headers = new Headers({ Authorization: `Bearer ${TOKENS.acme}` });
    if (body !== undefined)
      headers.set("Content-Type", pick(random, ["application/json", "application/json", "text/plain"]));
    for (const name of ["Idempotency-Key", "Last-Event-ID", "Origin", "Accept", "If-Match"])
      if (random() < 0.3) headers.set(name, encoded(pick(random, TEXTS)));
    const asked = Promise.resolve(
      server.app.request(url, {
        method,
        headers,
        ...(body !== undefined && { body }),
        ...(signal && { signal }),
      }),
    );
    if (!waits) return asked;
    const none = new Promise<Response>((resolve) =>
      setTimeout(resolve, 100, new Response(null, { status: 204 })),
    );
    return Promise.race([asked, none]);
  });
  expect(failures).toEqual([]);
});

test(`no hostile request to a route of the hub is answered with a failure of it, nor waited for (seed ${SEED})`, async () => {
  const hub = await testHub({ home: testHome(), store: memoryStore() });
  const code = readFileSync("src/inspect/hub/http-app.ts", "utf8");
  const routes: Route[] = [...code.matchAll(/app\.(get|post|put|delete)\(\s*"([^"]+)"/gu)].map(
    ([, method, path]) => ({
      method: method!.toUpperCase(),
      path: path!.replace("*", "/:any"),
      names: [
        "q",
        "agent",
        "tool",
        "worker",
        "cursor",
        "group",
        "outcome",
        "limit",
        "since",
        "minCost",
        "from",
        "to",
        "seq",
        "step",
      ],
    }),
  );
  expect(routes.length).toBeGreaterThan(8);
  const failures = await attacked(routes, "none", (method, url, body) =>
    fetch(`${hub.url}${url}`, {
      method,
      headers: {
        authorization: `Bearer ${hub.token}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(60_000),
    }),
  );
  expect(failures).toEqual([]);
});
