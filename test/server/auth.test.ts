import { createHash } from "node:crypto";
import { request } from "node:http";
import { describe, expect, test } from "vitest";
import { AgentError } from "agentchart";
import { createServer, serve } from "agentchart/server";
import { begin, BEGIN, openServer, TOKENS } from "./open-server.ts";

describe("Who has no valid token gets 401 and learns nothing", () => {
  test.for([
    [{}, "Bearer"],
    [{ Authorization: "Bearer" }, "Bearer"],
    [{ Authorization: `Basic ${btoa(`me:${TOKENS.acme}`)}` }, "Bearer"],
    [{ Authorization: TOKENS.acme }, "Bearer"],
    [{ Authorization: `Bearer ${TOKENS.acme} ${TOKENS.acme}` }, "Bearer"],
    [{ Authorization: `Bearer ${TOKENS.acme}x` }, 'Bearer error="invalid_token"'],
    [{ Authorization: `Bearer ${TOKENS.acme.slice(0, -1)}` }, 'Bearer error="invalid_token"'],
    [{ Authorization: `Bearer ${TOKENS.acme.toUpperCase()}` }, 'Bearer error="invalid_token"'],
    [{ Authorization: "Bearer __proto__" }, 'Bearer error="invalid_token"'],
  ] as const)("%j", async ([headers, challenge]) => {
    const { app, records } = openServer();
    for (const path of ["/v1/sessions", "/v1/sessions/any/events", "/v1/nowhere"]) {
      const response = await app.request(path, { headers });
      expect([response.status, response.headers.get("WWW-Authenticate")]).toEqual([401, challenge]);
      expect(response.headers.get("Content-Type")).toBe("application/problem+json");
      expect(await response.json()).toMatchObject({ status: 401, code: "request/unauthorized" });
    }
    expect(JSON.stringify(records)).not.toContain(TOKENS.acme.slice(0, -1));
  });

  test("a token in the address is none", async () => {
    const { app } = openServer();
    const { status } = await app.request(`/v1/sessions?access_token=${TOKENS.acme}&token=${TOKENS.acme}`);
    expect(status).toBe(401);
  });
});

describe("A token does what its scopes say", () => {
  test.for([
    ["reader", "POST", "/v1/sessions", "write"],
    ["reader", "POST", "/v1/sessions/ID/messages", "write"],
    ["reader", "POST", "/v1/sessions/ID/interrupt", "write"],
    ["reader", "POST", "/v1/sessions/ID/steer", "write"],
    ["reader", "POST", "/v1/sessions/ID/cancel", "write"],
    ["reader", "DELETE", "/v1/sessions/ID", "write"],
    ["reader", "POST", "/v1/sessions/ID/decisions", "decide"],
    ["writer", "POST", "/v1/sessions/ID/decisions", "decide"],
    ["writer", "POST", "/v1/sessions/ID/budget", "decide"],
    ["writer", "GET", "/v1/sessions", "read"],
    ["writer", "GET", "/v1/sessions/ID", "read"],
    ["writer", "GET", "/v1/sessions/ID/messages", "read"],
    ["writer", "GET", "/v1/sessions/ID/events", "read"],
  ] as const)("%s may not %s %s", async ([as, method, path, scope]) => {
    const server = openServer();
    const id = await begin(server);
    const response = await server.ask(method, path.replace("ID", id), {
      as,
      ...(method === "POST" && { body: {} }),
    });
    expect(response.status).toBe(403);
    expect(response.headers.get("WWW-Authenticate")).toContain(`scope="${scope}"`);
    expect(await response.json()).toMatchObject({ code: "request/forbidden" });
  });

  test("a writer begins, a reader looks", async () => {
    const server = openServer();
    const id = await begin(server, { as: "writer" });
    const response = await server.ask("GET", `/v1/sessions/${id}`, { as: "reader" });
    expect(await response.json()).toMatchObject({ id, agent: "desk", inputs: 1, seq: 0, phase: "stopped" });
  });
});

describe("Tokens are configured", () => {
  const make = (tokens: unknown) => () => createServer({ ...parts(), tokens: tokens as never });
  const parts = () => {
    const { store } = openServer();
    return { store, dispatcher: {} as never };
  };
  const good = { tenant: "acme", scopes: ["read"], token: "x".repeat(20) };

  test("as the hash of one", async () => {
    const sha256 = createHash("sha256").update(TOKENS.acme).digest("hex");
    const { app } = openServer({ tokens: [{ tenant: "acme", scopes: ["read"], sha256 }] });
    const of = (token: string) =>
      app.request("/v1/sessions", { headers: { Authorization: `Bearer ${token}` } });
    expect((await of(TOKENS.acme)).status).toBe(200);
    expect((await of(sha256)).status).toBe(401);
  });

  test.for([
    [[], "Too small"],
    [{}, "expected array"],
    [[{ ...good, token: "short" }], "at 0.token: at least 20 characters"],
    [[{ ...good, sha256: "ab" }], "at 0.sha256: 64 hexadecimal digits"],
    [[{ ...good, sha256: "a".repeat(64) }], "at 0: one of `token` and `sha256`"],
    [[{ tenant: "acme", scopes: ["read"] }], "at 0: one of `token` and `sha256`"],
    [[{ ...good, tenant: "a/b" }], "at 0.tenant: 1 to 64 letters"],
    [[{ ...good, tenant: "" }], "at 0.tenant"],
    [[{ ...good, scopes: ["root"] }], "at 0.scopes.0"],
    [[{ ...good, scopes: [] }], "at 0.scopes"],
    [[{ ...good, admin: true }], "at 0"],
    [[good, { ...good, tenant: "globex" }], "a token is given twice"],
  ] as const)("and refused where they are wrong: %j", ([tokens, problem]) => {
    const error = (() => {
      try {
        return make(tokens)();
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toBeInstanceOf(AgentError);
    expect(error).toMatchObject({ code: "config/invalid", message: expect.stringContaining(problem) });
    expect((error as Error).message).not.toContain(good.token);
  });
});

describe("Without tokens", () => {
  test("this machine may do everything, as the tenant local", async () => {
    const { app } = openServer({ tokens: "none" });
    const { url, close } = await serve(app);
    const made = await fetch(`${url}/v1/sessions`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(BEGIN),
    });
    expect(made.status).toBe(202);
    const { id } = (await made.json()) as { id: string };
    const found = await fetch(`${url}/v1/sessions/${id}`);
    expect(await found.json()).toMatchObject({ id, meta: { tenant: "local" } });
    const rebound = await new Promise((resolve, reject) => {
      const asked = request(`${url}/v1/sessions`, { headers: { Host: "evil.example" } });
      asked.on("response", ({ statusCode }) => resolve(statusCode)).on("error", reject);
      asked.end();
    });
    expect(rebound).toBe(403);
    await close();
  });

  test.for([
    ["a name of another site that points here", { Host: "evil.example" }],
    ["a page of another site", { Origin: "https://evil.example" }],
    ["a page without a site", { Origin: "null" }],
  ] as const)("%s is refused", async ([, headers]) => {
    const { app } = openServer({ tokens: "none" });
    const host = (headers as { Host?: string }).Host ?? "127.0.0.1";
    const response = await app.request(`http://${host}/v1/sessions`, { headers });
    expect(response.status).toBe(403);
  });
});
