// Authentication and scopes of the server.
import { createHash } from "node:crypto";
import { request } from "node:http";
import { describe, expect, test } from "vitest";
import { AgentError } from "agentchart";
import { createServer, serve } from "agentchart/server";
import { createDispatcher } from "agentchart/worker";
import { createSession, NEW_SESSION, openServer, TOKENS } from "./open-server.ts";

describe("A request without a valid token gets status 401 and no information", () => {
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

  test("a token in the URL is ignored", async () => {
    const { app } = openServer();
    const { status } = await app.request(`/v1/sessions?access_token=${TOKENS.acme}&token=${TOKENS.acme}`);
    expect(status).toBe(401);
  });
});

describe("The scopes of a token", () => {
  test.for([
    ["reader", "POST", "/v1/sessions", "write"],
    ["reader", "POST", "/v1/sessions/ID/messages", "write"],
    ["reader", "POST", "/v1/sessions/ID/interrupt", "write"],
    ["reader", "POST", "/v1/sessions/ID/steer", "write"],
    ["reader", "POST", "/v1/sessions/ID/cancel", "write"],
    ["reader", "POST", "/v1/sessions/ID/compact", "write"],
    ["reader", "DELETE", "/v1/sessions/ID", "write"],
    ["reader", "POST", "/v1/sessions/ID/decisions", "decide"],
    ["writer", "POST", "/v1/sessions/ID/decisions", "decide"],
    ["writer", "POST", "/v1/sessions/ID/budget", "decide"],
    ["reader", "PUT", "/v1/sessions/ID/slots/plan", "write"],
    ["writer", "GET", "/v1/sessions/ID/slots", "read"],
    ["writer", "GET", "/v1/sessions", "read"],
    ["writer", "GET", "/v1/sessions/ID", "read"],
    ["writer", "GET", "/v1/sessions/ID/messages", "read"],
    ["writer", "GET", "/v1/sessions/ID/events", "read"],
  ] as const)("do not allow the %s to %s %s", async ([as, method, path, scope]) => {
    const server = openServer();
    const id = await createSession(server);
    const response = await server.request(method, path.replace("ID", id), {
      as,
      ...((method === "POST" || method === "PUT") && { body: {} }),
    });
    expect(response.status).toBe(403);
    expect(response.headers.get("WWW-Authenticate")).toContain(`scope="${scope}"`);
    expect(await response.json()).toMatchObject({ code: "request/forbidden" });
  });

  test("let only those who may decide set breakpoints", async () => {
    const server = openServer();
    const path = `/v1/sessions/${await createSession(server)}/slots/tools.breakpoints`;
    const body = { value: [{ tool: "refund" }] };
    const refused = await server.request("PUT", path, { as: "writer", body });
    expect(refused.status).toBe(403);
    expect(refused.headers.get("WWW-Authenticate")).toContain('scope="decide"');
    expect((await server.request("PUT", path, { body })).status).toBe(202);
  });

  test("allow the writer to create and the reader to read a session", async () => {
    const server = openServer();
    const id = await createSession(server, { as: "writer" });
    const response = await server.request("GET", `/v1/sessions/${id}`, { as: "reader" });
    expect(await response.json()).toMatchObject({ id, agent: "desk", inputs: 1, seq: 0, phase: "stopped" });
  });
});

describe("createServer()", () => {
  const create = (tokens: unknown) => () => createServer({ ...parts(), tokens: tokens as never });
  const parts = () => {
    const { store, queue } = openServer();
    return { store, dispatcher: createDispatcher({ queue, store }) };
  };
  const good = { tenant: "acme", scopes: ["read"], token: "x".repeat(20) };

  test("accepts the SHA-256 of a token", async () => {
    const sha256 = createHash("sha256").update(TOKENS.acme).digest("hex");
    const { app } = openServer({ tokens: [{ tenant: "acme", scopes: ["read"], sha256 }] });
    const list = (token: string) =>
      app.request("/v1/sessions", { headers: { Authorization: `Bearer ${token}` } });
    expect((await list(TOKENS.acme)).status).toBe(200);
    expect((await list(sha256)).status).toBe(401);
  });

  test.for([
    [[], "at least one token"],
    [{}, "`tokens` is an object; expected an array of tokens"],
    [[{ ...good, token: "short" }], "`[0].token` is a string; expected at least 20 visible ASCII characters"],
    [[{ ...good, sha256: "ab" }], "`[0].sha256` is a string; expected 64 hexadecimal digits"],
    [[{ ...good, sha256: "a".repeat(64) }], "`[0]` is an object; expected either `token` or `sha256`"],
    [[{ tenant: "acme", scopes: ["read"] }], "`[0]` is an object; expected either `token` or `sha256`"],
    [[{ ...good, tenant: "a/b" }], '`[0].tenant` is "a/b"; expected 1 to 64 letters'],
    [[{ ...good, tenant: "" }], "`[0].tenant`"],
    [[{ ...good, tenant: "agentchart" }], "and not agentchart"],
    [[{ ...good, scopes: ["root"] }], '`[0].scopes[0]` is "root"; expected "read", "write" or "decide"'],
    [[{ ...good, scopes: [] }], "`[0].scopes`"],
    [[{ ...good, admin: true }], "`[0].admin` is not an option; there are tenant, scopes"],
    [[good, { ...good, tenant: "globex" }], "a token occurs twice"],
  ] as const)("throws config/invalid for the tokens %j", ([tokens, problem]) => {
    const error = (() => {
      try {
        return create(tokens)();
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toBeInstanceOf(AgentError);
    expect(error).toMatchObject({ code: "config/invalid", message: expect.stringContaining(problem) });
    expect((error as Error).message).not.toContain(good.token);
  });
});

describe("A server without tokens", () => {
  test("allows every request from this machine, as the tenant local", async () => {
    const { app } = openServer({ tokens: "none" });
    const { url, close } = await serve(app);
    const created = await fetch(`${url}/v1/sessions`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(NEW_SESSION),
    });
    expect(created.status).toBe(202);
    const { id } = (await created.json()) as { id: string };
    const found = await fetch(`${url}/v1/sessions/${id}`);
    expect(await found.json()).toMatchObject({ id, meta: { tenant: "local" } });
    const otherHost = await new Promise((resolve, reject) => {
      const clientRequest = request(`${url}/v1/sessions`, { headers: { Host: "evil.example" } });
      clientRequest.on("response", ({ statusCode }) => resolve(statusCode)).on("error", reject);
      clientRequest.end();
    });
    expect(otherHost).toBe(403);
    await close();
  });

  test.for([
    ["a host name that resolves to this machine", { Host: "evil.example" }],
    ["a page of another origin", { Origin: "https://evil.example" }],
    ["a page without an origin", { Origin: "null" }],
  ] as const)("refuses a request from %s", async ([, headers]) => {
    const { app } = openServer({ tokens: "none" });
    const host = (headers as { Host?: string }).Host ?? "127.0.0.1";
    const response = await app.request(`http://${host}/v1/sessions`, { headers });
    expect(response.status).toBe(403);
  });
});
