// Access to the hub: hosts, tokens, origins, and limits of wrong tokens.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { startHub, type StartedHub } from "agentchart/inspect";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { WebSocket } from "ws";
import { addressFilePath } from "../../../src/inspect/protocol/hub-address.ts";
import { tmpdir } from "node:os";
import { freePort } from "../../support/free-port.ts";
import { testHome, testHub } from "../../support/hub-page.ts";

let home: string;
let hub: StartedHub;
let port: number;
let worker: string;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "agentchart-security-"));
  hub = await startHub({ home });
  port = Number(new URL(hub.url).port);
  worker = new URLSearchParams(new URL(hub.workerUrl).hash.slice(1)).get("w")!;
});

afterAll(async () => {
  await hub.close();
  rmSync(home, { recursive: true, force: true });
});

/** Sends these lines to the hub's port and returns the response. */
function raw(...lines: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(`${lines.join("\r\n")}\r\n\r\n`));
    let answer = "";
    socket.on("data", (data) => (answer += String(data)));
    socket.on("close", () => resolve(answer));
    socket.on("error", reject);
  });
}

const own = (): string => `127.0.0.1:${port}`;
const get = (path: string, ...headers: readonly string[]): Promise<string> =>
  raw(`GET ${path} HTTP/1.1`, "Connection: close", ...headers);
const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
const bearer = (): string => `Authorization: Bearer ${hub.token}`;

const UPGRADE = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
];
const upgrade = (path: string, ...headers: readonly string[]): Promise<string> =>
  raw(`GET ${path} HTTP/1.1`, ...UPGRADE, ...headers);

describe("the hub's HTTP server", () => {
  test("answers 421 to other host names, with the right token and for every path", async () => {
    for (const host of [
      "evil.test",
      `evil.test:${port}`,
      `127.0.0.1:${port + 1}`,
      "127.0.0.1",
      `127.0.0.1.nip.io:${port}`,
    ])
      for (const path of ["/", "/api/runs", "/nothing"])
        expect(statusOf(await get(path, `Host: ${host}`, bearer())), `${host} ${path}`).toBe(421);
    expect([400, 421]).toContain(statusOf(await raw("GET / HTTP/1.0")));
  });

  test("answers 401 to every API request without the token", async () => {
    const paths = [
      "/api/runs",
      "/api/runs/x",
      "/api/runs/x/export",
      "/api/runs/x/blob/y",
      "/api/charts/z",
      "/api/nothing",
    ];
    const wrong = [
      [],
      ["Authorization: Bearer "],
      ["Authorization: Bearer x"],
      [`Authorization: Bearer ${worker}`],
      [`Authorization: ${hub.token}`],
      [`Cookie: t=${hub.token}`],
    ];
    for (const path of paths)
      for (const headers of wrong)
        expect(statusOf(await get(path, `Host: ${own()}`, ...headers)), `${path} ${headers.join()}`).toBe(
          401,
        );
    expect(statusOf(await get(`/api/runs?t=${hub.token}&token=${hub.token}`, `Host: ${own()}`))).toBe(401);
    expect(statusOf(await get("/api/runs", `Host: ${own()}`, bearer()))).toBe(200);
  });

  test("answers 403 to other origins, even with the token", async () => {
    for (const origin of [
      "http://evil.test",
      "null",
      `https://${own()}`,
      `http://127.0.0.1:${port + 1}`,
      `http://evil.test#http://${own()}`,
    ])
      expect(statusOf(await get("/api/runs", `Host: ${own()}`, bearer(), `Origin: ${origin}`)), origin).toBe(
        403,
      );
    expect(statusOf(await get("/api/runs", `Host: ${own()}`, bearer(), `Origin: http://${own()}`))).toBe(200);
  });

  test("sends security headers with every response, also with refusals", async () => {
    for (const answer of [
      await get("/", `Host: ${own()}`),
      await get("/api/runs", `Host: ${own()}`),
      await get("/api/runs", `Host: ${own()}`, bearer()),
      await get("/", "Host: evil.test"),
    ]) {
      expect(answer).toMatch(
        /content-security-policy: default-src 'none'; script-src 'self'; .*frame-ancestors 'none'; require-trusted-types-for 'script'/i,
      );
      expect(answer).toMatch(new RegExp(`connect-src 'self' [^;]*ws://127\\.0\\.0\\.1:${port}`));
      for (const header of [
        "x-content-type-options: nosniff",
        "referrer-policy: no-referrer",
        "cross-origin-resource-policy: same-origin",
        "cross-origin-opener-policy: same-origin",
      ])
        expect(answer.toLowerCase()).toContain(header);
      // The page is revalidated, and nothing else is kept.
      const isPage = answer.includes("<!doctype html>");
      expect(answer.toLowerCase()).toContain(`cache-control: ${isPage ? "no-cache" : "no-store"}`);
      expect(answer.toLowerCase()).not.toContain("access-control-allow");
      expect(answer.toLowerCase()).not.toContain("set-cookie");
    }
  });

  test("serves no file outside the folder of the page", async () => {
    const out = [
      "/../package.json",
      "/..%2fpackage.json",
      "/%2e%2e/%2e%2e/package.json",
      "/assets/..%2f..%2f..%2fpackage.json",
      "/assets/",
      "/assets",
      "//etc/passwd",
      "/%00index.html",
      "/.%5c..%5cpackage.json",
      "/%ff",
    ];
    for (const path of out) {
      const answer = await get(path, `Host: ${own()}`);
      expect([400, 404], `${path}: ${answer.slice(0, 40)}`).toContain(statusOf(answer));
      expect(answer).not.toContain('"agentchart"');
    }
  });
});

describe("the hub's WebSockets", () => {
  test("accept a page from the hub's own origin and host name only", async () => {
    const ours = [`Host: ${own()}`, `Origin: http://${own()}`];
    for (const headers of [
      [`Host: ${own()}`],
      [`Host: ${own()}`, "Origin: http://evil.test"],
      [`Host: ${own()}`, "Origin: null"],
    ])
      expect(statusOf(await upgrade("/ws", ...headers)), headers.join()).toBe(403);
    expect(
      statusOf(await upgrade("/ws", `Host: evil.test:${port}`, `Origin: http://evil.test:${port}`)),
    ).toBe(421);
    expect(statusOf(await upgrade("/other", ...ours))).toBe(404);
    expect(statusOf(await upgrade("/worker", ...ours))).toBe(403);
    expect(statusOf(await upgrade("/worker", `Host: evil.test:${port}`))).toBe(421);
  });

  const opened = (path: string, origin?: string): WebSocket => {
    const socket = new WebSocket(`ws://${own()}${path}`, origin === undefined ? {} : { origin });
    onTestFinished(() => socket.terminate());
    return socket;
  };
  const closedWith = (socket: WebSocket): Promise<number> =>
    new Promise((resolve, reject) => socket.on("close", resolve).on("error", reject));

  test.each([
    ["a wrong token", { type: "hello", token: "x", proto: 1 }, 4401],
    ["no token", { type: "hello", proto: 1 }, 4401],
    ["no hello", { type: "sub", runId: "x", after: 0 }, 4401],
    ["another version", { type: "hello", token: "TOKEN", proto: 99 }, 4406],
    ["a number", 7, 4400],
  ])("close a page with %s", async (_what, message, code) => {
    const socket = opened("/ws", hub.url);
    const closed = closedWith(socket);
    socket.on("open", () => socket.send(JSON.stringify(message).replace("TOKEN", hub.token)));
    expect(await closed).toBe(code);
  });

  test("do not accept the page's token from an agent or the agent's token from a page", async () => {
    const [page, agent] = [opened("/ws", hub.url), opened("/worker")];
    const closed = [closedWith(page), closedWith(agent)];
    page.on("open", () => page.send(JSON.stringify({ type: "hello", token: worker, proto: 1 })));
    agent.on("open", () =>
      agent.send(
        JSON.stringify({ type: "hello", token: hub.token, proto: 1, worker: "w", pid: 1, charts: [] }),
      ),
    );
    expect(await Promise.all(closed)).toEqual([4401, 4401]);
  });

  test("close a client that sends no hello", async () => {
    expect(await closedWith(opened("/ws", hub.url))).toBe(4401);
  });

  test("close a connection that sends more than 1 MB, while the hub keeps running", async () => {
    const socket = opened("/ws", hub.url);
    const closed = closedWith(socket);
    socket.on("open", () => {
      socket.send(JSON.stringify({ type: "hello", token: hub.token, proto: 1 }));
      socket.send("x".repeat(1_100_000));
    });
    expect(await closed).toBe(1009);
    expect(statusOf(await get("/api/runs", `Host: ${own()}`, bearer()))).toBe(200);
  });
});

describe("the address file", () => {
  test("is readable for its owner only and contains tokens of 24 bytes", () => {
    const file = addressFilePath(home);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { token, workerToken, url } = JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;
    expect([url, token, workerToken]).toEqual([hub.url, hub.token, worker]);
    expect([hub.token, worker].map((text) => Buffer.from(text, "base64url").length)).toEqual([24, 24]);
    expect(hub.link).toBe(`${hub.url}/#t=${hub.token}`);
  });

  test("contains the newest hub, and each hub removes only its own address", async () => {
    const otherHome = testHome();
    const first = await testHub({ home: otherHome });
    const second = await startHub({ home: otherHome });
    const read = (): string => readFileSync(addressFilePath(otherHome), "utf8");
    expect(read()).toContain(second.url);
    await first.close();
    expect(read()).toContain(second.url);
    await second.close();
    expect(read).toThrow(/ENOENT/);
  });
});

test("a hub that is bound to all addresses accepts IP addresses and no other host names", async () => {
  const open = await testHub({ home: testHome(), host: "0.0.0.0" });
  const at = Number(new URL(open.url).port);
  const status = async (host: string): Promise<number> => {
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(at, "127.0.0.1", () =>
        socket.write(
          `GET /api/runs HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nAuthorization: Bearer ${open.token}\r\n\r\n`,
        ),
      );
      let text = "";
      socket.on("data", (data) => (text += String(data)));
      socket.on("close", () => resolve(text)).on("error", reject);
    });
    return statusOf(answer);
  };
  expect(await status(`192.168.1.7:${at}`)).toBe(200);
  expect(await status(`[fe80::1]:${at}`)).toBe(200);
  expect(await status(`evil.test:${at}`)).toBe(421);
});

test("startHub listens no more if it cannot write its address", async () => {
  const home = testHome();
  const port = await freePort();
  writeFileSync(join(home, ".agentchart"), "in the way");
  const message = expect.stringMatching(/^The hub cannot write its address to .*inspect\.json: E/);
  await expect(startHub({ port, home })).rejects.toMatchObject({ code: "config/invalid", message });
  await testHub({ port, home: testHome() });
});

test("startHub rejects a port that is in use with a clear message", async () => {
  await expect(startHub({ home: testHome(), port })).rejects.toThrow(
    /cannot listen on 127\.0\.0\.1:\d+.*EADDRINUSE/,
  );
});

describe("an address that sends wrong tokens", () => {
  test("gets status 429 with Retry-After and the close code 4429, while the right token is never slowed", async () => {
    const limited = await testHub({ home: testHome() });
    vi.useFakeTimers({ toFake: ["performance"] }); // meanwhile the limit does not recover
    onTestFinished(() => void vi.useRealTimers());
    const request = (token: string): Promise<Response> =>
      fetch(`${limited.url}/api/runs`, { headers: { authorization: `Bearer ${token}` } });
    for (let count = 0; count < 100; count++) expect((await request("wrong")).status).toBe(401);
    const refused = await request("wrong");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
    for (let count = 0; count < 30; count++) expect((await request(limited.token)).status).toBe(200);
    const closedBy = (token: string): Promise<number | "welcome"> => {
      const socket = new WebSocket(`${limited.url.replace("http", "ws")}/ws`, { origin: limited.url });
      onTestFinished(() => socket.terminate());
      socket.on("open", () => socket.send(JSON.stringify({ type: "hello", token, proto: 1 })));
      return new Promise((resolve) => socket.on("close", resolve).on("message", () => resolve("welcome")));
    };
    expect(await closedBy("wrong")).toBe(4429);
    expect(await closedBy(limited.token)).toBe("welcome");
  });
});

test("a chart that is nested 50,000 levels deep gets status 400", async () => {
  const nested = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
  const response = await fetch(`${hub.url}/api/layouts`, {
    method: "POST",
    headers: { authorization: `Bearer ${hub.token}` },
    body: `{"nodes":[${nested}],"edges":[]}`,
  });
  expect(response.status).toBe(400);
});
