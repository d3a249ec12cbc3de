import { request } from "node:http";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { AgentError } from "agentchart";
import { createServer, serve } from "agentchart/server";
import { memoryStore } from "agentchart/store/memory";
import { RateLimiter } from "../../src/server/rate-limit.ts";
import { begin, BEGIN, openServer, TOKENS } from "./open-server.ts";

describe("A body", () => {
  const long = { ...BEGIN, input: "x".repeat(2_000) };

  test("of more than the limit is 413, whether its length is said or not", async () => {
    const server = openServer({ maxBodyBytes: 1_000 });
    const response = await server.ask("POST", "/v1/sessions", { body: long });
    expect([response.status, await response.json()]).toMatchObject([413, { code: "request/too-large" }]);

    const { url, close } = await serve(server.app);
    onTestFinished(close);
    const status = await new Promise((resolve, reject) => {
      const headers = { Authorization: `Bearer ${TOKENS.acme}`, "Content-Type": "application/json" };
      const asked = request(`${url}/v1/sessions`, { method: "POST", headers }, ({ statusCode }) =>
        resolve(statusCode),
      );
      asked.on("error", reject);
      asked.write(JSON.stringify(long).slice(0, 1_500)); // chunked: no length is said
      asked.end(JSON.stringify(long).slice(1_500));
    });
    expect(status).toBe(413);
    expect((await server.ask("POST", "/v1/sessions", { body: BEGIN })).status).toBe(202);
  });

  test.for([
    [{}, "json.agent: Invalid input: expected string, received undefined"],
    [{ agent: "desk" }, "json.input: Invalid input"],
    [{ agent: "desk", input: "" }, "json.input: Too small"],
    [{ agent: "desk", input: [] }, "json.input: Too small"],
    [{ ...BEGIN, input: [{ type: "tool_result", id: "c", name: "t", output: [] }] }, "json.input"],
    [
      { ...BEGIN, input: [{ type: "image", source: { type: "url", url: "file:///etc/passwd" } }] },
      "json.input",
    ],
    [{ ...BEGIN, sessionId: "mine" }, 'json: Unrecognized key: "sessionId"'],
    [{ ...BEGIN, meta: { note: "x".repeat(101) } }, "json.meta.note"],
    [{ ...BEGIN, meta: { a: "x".repeat(99), b: "y".repeat(99), c: "z" } }, "at most 200 characters"],
    [{ ...BEGIN, priority: -1 }, "json.priority"],
    [{ ...BEGIN, delayMs: 1.5 }, "json.delayMs"],
  ] as const)("that is wrong is 400 and says where: %j", async ([body, detail]) => {
    const server = openServer();
    const response = await server.ask("POST", "/v1/sessions", { body });
    const problem = (await response.json()) as { readonly detail: string };
    expect([response.status, problem]).toMatchObject([
      400,
      { code: "request/invalid", title: "Bad Request" },
    ]);
    expect(problem.detail).toContain(detail);
  });

  test("that is no JSON is 400, and one of another type is 415", async () => {
    const { app } = openServer();
    const post = (type: string, body: string) =>
      app.request("/v1/sessions", {
        method: "POST",
        headers: { Authorization: `Bearer ${TOKENS.acme}`, "Content-Type": type },
        body,
      });
    expect((await post("application/json", "{")).status).toBe(400);
    expect((await post("text/plain", JSON.stringify(BEGIN))).status).toBe(415);
  });

  test.for([
    ["GET", "/v1/sessions?limit=0", "query.limit"],
    ["GET", "/v1/sessions?limit=501", "query.limit"],
    ["GET", "/v1/sessions?phase=gone", "query.phase"],
    ["GET", "/v1/sessions?meta=customer", "query.meta"],
    ["GET", "/v1/sessions/s/messages?after=-1", "query.after"],
    ["GET", `/v1/sessions/${"x".repeat(201)}`, "param.id"],
    ["GET", "/v1/sessions/a%00b", "param.id"],
  ] as const)("%s %s is refused", async ([method, path, where]) => {
    const response = await openServer().ask(method, path);
    const problem = (await response.json()) as { readonly detail: string };
    expect([response.status, problem.detail.split(":")[0]]).toEqual([400, where]);
  });

  test("with a key that is too long, or not visible, is refused", async () => {
    for (const key of ["x".repeat(129), "a b", "ä"]) {
      const headers = { "Idempotency-Key": key };
      const response = await openServer().ask("POST", "/v1/sessions", { body: BEGIN, headers });
      expect([key, response.status]).toEqual([key, 400]);
    }
  });
});

describe("Requests", () => {
  test("beyond the rate of a token are 429 and say when to come back; other tokens are not held up", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const server = openServer({ rateLimit: { perSecond: 0.5, burst: 3 } });
    const statuses: number[] = [];
    for (let asked = 0; asked < 4; asked++) statuses.push((await server.ask("GET", "/v1/sessions")).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    const refused = await server.ask("GET", "/v1/sessions");
    expect(refused.headers.get("Retry-After")).toBe("2");
    expect(await refused.json()).toMatchObject({ code: "request/too-many" });
    expect((await server.ask("GET", "/v1/sessions", { as: "reader" })).status).toBe(200);
    expect((await server.ask("GET", "/v1/sessions", { as: "globex" })).status).toBe(200);
  });

  test("have room again as time goes by, and never more than the burst", () => {
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

describe("What fails inside", () => {
  const secret = "postgres://me:hunter2@db/prod";

  test("is told by its code and not in its words", async () => {
    const store = memoryStore();
    const failing = Object.assign(Object.create(store) as typeof store, {
      list: () => Promise.reject(new AgentError("store/failed", `Cannot reach ${secret}`)),
      load: () => Promise.reject(new TypeError(`Broken at ${secret}`)),
    });
    const server = openServer({ store: failing });
    const listed = await server.ask("GET", "/v1/sessions");
    expect([listed.status, listed.headers.get("Retry-After")]).toEqual([503, "1"]);
    const found = await server.ask("GET", "/v1/sessions/any");
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

  test("a queue that is away makes the server unready, and inputs are kept all the same", async () => {
    const store = memoryStore();
    const server = openServer({ store });
    await server.queue.close();
    const response = await server.ask("POST", "/v1/sessions", { body: BEGIN });
    expect([response.status, await response.json()]).toMatchObject([
      202,
      { state: "accepted", woken: false },
    ]);
    const app = createServer({
      store,
      dispatcher: {} as never,
      tokens: "none",
      ready: () => server.queue.stats(),
    });
    expect((await app.request("/readyz")).status).toBe(503);
    expect((await app.request("/healthz")).status).toBe(200);
  });
});

test("Deleting takes a session and its inputs, but not from under a worker", async () => {
  const server = openServer();
  const id = await begin(server);
  const lease = await server.store.acquire(`acme/${id}`, { owner: "worker", ttlMs: 60_000 });
  const busy = await server.ask("DELETE", `/v1/sessions/${id}`);
  expect([busy.status, await busy.json()]).toMatchObject([409, { code: "session/conflict" }]);
  await server.store.release(lease!);
  expect((await server.ask("DELETE", `/v1/sessions/${id}`)).status).toBe(204);
  expect((await server.ask("GET", `/v1/sessions/${id}`)).status).toBe(404);
  expect(await server.store.takeInputs(`acme/${id}`, 10)).toEqual([]);
});
