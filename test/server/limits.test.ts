// Limits of requests: sizes and rates.
import { request } from "node:http";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { AgentError } from "agentchart";
import { createServer, serve } from "agentchart/server";
import { memoryStore } from "agentchart/store/memory";
import { RateLimiter } from "../../src/core/base/rate-limiter.ts";
import { createDispatcher } from "agentchart/worker";
import { createSession, NEW_SESSION, openServer, TOKENS } from "./open-server.ts";

describe("A request", () => {
  const long = { ...NEW_SESSION, input: "x".repeat(2_000) };

  test("with a body above the limit gets status 413, with and without a Content-Length", async () => {
    const server = openServer({ maxBodyBytes: 1_000 });
    const response = await server.request("POST", "/v1/sessions", { body: long });
    expect([response.status, await response.json()]).toMatchObject([413, { code: "request/too-large" }]);

    const { url, close } = await serve(server.app);
    onTestFinished(close);
    const status = await new Promise((resolve, reject) => {
      const headers = { Authorization: `Bearer ${TOKENS.acme}`, "Content-Type": "application/json" };
      const clientRequest = request(`${url}/v1/sessions`, { method: "POST", headers }, ({ statusCode }) =>
        resolve(statusCode),
      );
      clientRequest.on("error", reject);
      clientRequest.write(JSON.stringify(long).slice(0, 1_500)); // chunked, without a Content-Length
      clientRequest.end(JSON.stringify(long).slice(1_500));
    });
    expect(status).toBe(413);
    expect((await server.request("POST", "/v1/sessions", { body: NEW_SESSION })).status).toBe(202);
  });

  test.for([
    [{}, "json.agent: Invalid input: expected string, received undefined"],
    [
      { agent: "desk" },
      "json.input: Invalid input: expected string, received undefined; or Invalid input: expected array, received undefined",
    ],
    [{ agent: "desk", input: ["hi"] }, "json.input.0: Invalid input: expected object, received string"],
    [
      { agent: "desk", input: [{ type: "text", text: 5 }] },
      "json.input.0.text: Invalid input: expected string",
    ],
    [
      { agent: "desk", input: [{ role: "user" }] },
      "json.input.0.type: Invalid discriminator value. Expected 'text'",
    ],
    [{ agent: "desk", input: "" }, "json.input: Too small"],
    [{ agent: "desk", input: [] }, "json.input: Too small"],
    [{ ...NEW_SESSION, input: [{ type: "tool_result", id: "c", name: "t", output: [] }] }, "json.input"],
    [
      { ...NEW_SESSION, input: [{ type: "image", source: { type: "url", url: "file:///etc/passwd" } }] },
      "json.input",
    ],
    [{ ...NEW_SESSION, sessionId: "mine" }, 'json: Unrecognized key: "sessionId"'],
    [{ ...NEW_SESSION, meta: { note: "x".repeat(101) } }, "json.meta.note"],
    [{ ...NEW_SESSION, meta: { a: "x".repeat(99), b: "y".repeat(99), c: "z" } }, "at most 200 characters"],
    [{ ...NEW_SESSION, priority: -1 }, "json.priority"],
    [{ ...NEW_SESSION, delayMs: 1.5 }, "json.delayMs"],
  ] as const)(
    "with the invalid body %j gets status 400 and the path of the mistake",
    async ([body, detail]) => {
      const server = openServer();
      const response = await server.request("POST", "/v1/sessions", { body });
      const problem = (await response.json()) as { readonly detail: string };
      expect([response.status, problem]).toMatchObject([
        400,
        { code: "request/invalid", title: "Bad Request" },
      ]);
      expect(problem.detail).toContain(detail);
    },
  );

  test("gets status 400 for a body that is not JSON, and 415 for another content type", async () => {
    const { app } = openServer();
    const post = (type: string, body: string) =>
      app.request("/v1/sessions", {
        method: "POST",
        headers: { Authorization: `Bearer ${TOKENS.acme}`, "Content-Type": type },
        body,
      });
    expect((await post("application/json", "{")).status).toBe(400);
    expect((await post("text/plain", JSON.stringify(NEW_SESSION))).status).toBe(415);
  });

  test.for([
    ["GET", "/v1/sessions?limit=0", "query.limit"],
    ["GET", "/v1/sessions?limit=501", "query.limit"],
    ["GET", "/v1/sessions?phase=gone", "query.phase"],
    ["GET", "/v1/sessions?meta=customer", "query.meta"],
    ["GET", "/v1/sessions/s/messages?after=-1", "query.after"],
    ["GET", `/v1/sessions/${"x".repeat(201)}`, "param.id"],
    ["GET", "/v1/sessions/a%00b", "param.id"],
  ] as const)("%s %s gets status 400 and the name of the parameter", async ([method, path, where]) => {
    const response = await openServer().request(method, path);
    const problem = (await response.json()) as { readonly detail: string };
    expect([response.status, problem.detail.split(":")[0]]).toEqual([400, where]);
  });

  test("with an idempotency key that is too long or has invisible characters gets status 400", async () => {
    for (const key of ["x".repeat(129), "a b", "ä"]) {
      const headers = { "Idempotency-Key": key };
      const response = await openServer().request("POST", "/v1/sessions", { body: NEW_SESSION, headers });
      expect([key, response.status]).toEqual([key, 400]);
    }
  });
});

describe("The rate limit", () => {
  test("gives status 429 and Retry-After to the requests of one token, and not of others", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const server = openServer({ rateLimit: { perSecond: 0.5, burst: 3 } });
    const statuses: number[] = [];
    for (let count = 0; count < 4; count++)
      statuses.push((await server.request("GET", "/v1/sessions")).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    const refused = await server.request("GET", "/v1/sessions");
    expect(refused.headers.get("Retry-After")).toBe("2");
    expect(await refused.json()).toMatchObject({ code: "request/too-many" });
    expect((await server.request("GET", "/v1/sessions", { as: "reader" })).status).toBe(200);
    expect((await server.request("GET", "/v1/sessions", { as: "globex" })).status).toBe(200);
  });

  test("gives status 429 and Retry-After to an address that sends wrong tokens, and never slows a right one", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const server = openServer();
    const wrong = (incoming?: object) => {
      const headers = { Authorization: `Bearer ${TOKENS.acme}x` };
      return server.app.fetch(
        new Request("http://localhost/v1/sessions", { headers }),
        incoming && { incoming },
      );
    };
    const statuses: number[] = [];
    for (let count = 0; count < 102; count++) statuses.push((await wrong()).status);
    expect(statuses).toEqual([...Array.from({ length: 100 }, () => 401), 429, 429]);
    const refused = await server.app.request("/v1/sessions");
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "1"]);
    expect(await refused.json()).toMatchObject({ code: "request/too-many" });
    for (let count = 0; count < 30; count++)
      expect((await server.request("GET", "/v1/sessions")).status).toBe(200);
    expect((await wrong({ socket: { remoteAddress: "192.0.2.1" } })).status).toBe(401);
    vi.advanceTimersByTime(1_000);
    expect([(await wrong()).status, (await wrong()).status]).toEqual([401, 429]);
  });

  test("counts a bounded number of keys: of more, the oldest are forgotten", () => {
    const limiter = new RateLimiter({ perSecond: 1, burst: 1 }, () => 0);
    expect([limiter.take("first"), limiter.take("first")]).toEqual([0, 1_000]);
    for (let n = 0; n < 10_000; n++) limiter.take(String(n));
    expect([limiter.take("9999"), limiter.take("first")]).toEqual([1_000, 0]);
  });

  test("refills with time, up to the burst", () => {
    let now = 0;
    const limiter = new RateLimiter({ perSecond: 2, burst: 2 }, () => now);
    const take = () => limiter.take("key");
    expect([take(), take(), take()]).toEqual([0, 0, 500]);
    now = 250;
    expect(take()).toBe(250);
    now = 500;
    expect([take(), take()]).toEqual([0, 500]);
    now = 1_000_000;
    expect([take(), take(), take()]).toEqual([0, 0, 500]);
  });
});

describe("An internal error", () => {
  const secret = "postgres://me:hunter2@db/prod";

  test("reaches the client as its code, without its message", async () => {
    const store = memoryStore();
    const failing = Object.assign(Object.create(store) as typeof store, {
      list: () => Promise.reject(new AgentError("store/failed", `Cannot reach ${secret}`)),
      load: () => Promise.reject(new TypeError(`Broken at ${secret}`)),
    });
    const server = openServer({ store: failing });
    const listed = await server.request("GET", "/v1/sessions");
    expect([listed.status, listed.headers.get("Retry-After")]).toEqual([503, "1"]);
    const found = await server.request("GET", "/v1/sessions/any");
    expect(found.status).toBe(500);
    const ready = await server.app.request("/readyz");
    expect(ready.status).toBe(503);
    for (const response of [listed, found, ready]) {
      const text = await response.text();
      expect(text).not.toContain("hunter2");
      expect(JSON.parse(text)).toMatchObject({ requestId: response.headers.get("X-Request-Id") });
    }
    expect(server.records.map(({ error }) => error?.code)).toEqual([
      "store/failed",
      "store/failed",
      "store/failed",
    ]);
  });

  test("of the queue makes the server unready, but inputs are still stored", async () => {
    const store = memoryStore();
    const server = openServer({ store });
    await server.queue.close();
    const response = await server.request("POST", "/v1/sessions", { body: NEW_SESSION });
    expect([response.status, await response.json()]).toMatchObject([
      202,
      { state: "accepted", woken: false },
    ]);
    const problems: unknown[] = [];
    const app = createServer({
      store,
      dispatcher: createDispatcher({ store, queue: server.queue }),
      tokens: "none",
      ready: () => server.queue.stats(),
      onRequest: ({ error }) => problems.push(error?.message),
    });
    expect((await app.request("/readyz")).status).toBe(503);
    expect(problems).toEqual(["Not ready: The queue is closed."]);
    expect((await app.request("/healthz")).status).toBe(200);
  });
});

test("DELETE removes a session and its inputs, unless a worker has it", async () => {
  const server = openServer();
  const id = await createSession(server);
  const lease = await server.store.acquire(`acme/${id}`, { owner: "worker", ttlMs: 60_000 });
  const busy = await server.request("DELETE", `/v1/sessions/${id}`);
  expect([busy.status, await busy.json()]).toMatchObject([409, { code: "session/conflict" }]);
  await server.store.release(lease!);
  expect((await server.request("DELETE", `/v1/sessions/${id}`)).status).toBe(204);
  expect((await server.request("GET", `/v1/sessions/${id}`)).status).toBe(404);
  expect(await server.store.takeInputs(`acme/${id}`, 10)).toEqual([]);
});
