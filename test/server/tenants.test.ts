// Tenants are apart on every route.
import { describe, expect, test } from "vitest";
import { addLabel, labelsOf } from "agentchart/evals";
import { memoryStore } from "agentchart/store/memory";
import { scripted } from "../support/agents.ts";
import { createSession, openServer, TOKENS, type TestServer } from "./open-server.ts";

type Page = { readonly sessions: readonly { readonly id: string }[]; readonly cursor?: string };

/** Stores a session with one complete turn. */
async function storeSession(server: TestServer, sessionId: string, meta: { readonly [key: string]: string }) {
  const { agent } = scripted(["Hi"], { store: server.store, sessionId, meta });
  await agent.call("Hello");
  await agent.close();
}

const ROUTES = [
  ["GET", ""],
  ["GET", "/messages"],
  ["GET", "/events"],
  ["POST", "/messages", { input: "Me too" }],
  ["POST", "/decisions", { callId: "c", decision: "approve", argsHash: "h" }],
  ["POST", "/interrupt", {}],
  ["POST", "/steer", { input: "Left" }],
  ["POST", "/cancel"],
  ["POST", "/budget", { modelCalls: 1 }],
  ["POST", "/compact", {}],
  ["DELETE", ""],
] as const;

describe("A session of another tenant", () => {
  test.for(ROUTES)("does not exist for %s %s", async ([method, path, body]) => {
    const server = openServer();
    const id = await createSession(server);
    await storeSession(server, "acme/done", { tenant: "acme" });
    const inbox = await server.store.takeInputs(`acme/${id}`, 10);
    for (const name of [id, "done", `../acme/${id}`, "../acme/done", "acme/done", "%2e%2e%2facme%2fdone"]) {
      const requestAs = (as: "globex" | "acme") =>
        server.request(method, `/v1/sessions/${encodeURIComponent(name)}${path}`, {
          as,
          ...(body !== undefined && { body }),
        });
      const response = await requestAs("globex");
      expect([name, response.status]).toEqual([name, 404]);
      const { requestId: _, ...problem } = (await response.json()) as { requestId: string };
      const missing = await server.request(method, `/v1/sessions/never-there${path}`, {
        as: "globex",
        ...(body !== undefined && { body }),
      });
      const { requestId: __, ...other } = (await missing.json()) as { requestId: string };
      expect(JSON.stringify(problem).replaceAll(name, "ID")).toBe(
        JSON.stringify(other).replaceAll("never-there", "ID"),
      );
    }
    expect(await server.store.takeInputs(`acme/${id}`, 10)).toEqual(inbox);
    expect(await server.store.takeInputs(`globex/${id}`, 10)).toEqual([]);
    expect((await server.store.load("acme/done"))?.seq).toBeGreaterThan(0);
  });

  test("does not exist under the id of the tenant if its meta has another tenant", async () => {
    const server = openServer();
    await storeSession(server, "globex/smuggled", { tenant: "acme" });
    await storeSession(server, "globex/bare", {});
    for (const id of ["smuggled", "bare"]) {
      expect((await server.request("GET", `/v1/sessions/${id}`, { as: "globex" })).status).toBe(404);
    }
    const page = (await (await server.request("GET", "/v1/sessions", { as: "globex" })).json()) as Page;
    expect(page.sessions).toEqual([]);
  });
});

describe("GET /v1/sessions", () => {
  test("lists the sessions of the tenant in pages", async () => {
    const server = openServer();
    for (const [id, tenant] of [
      ["acme/a", "acme"],
      ["acme/b", "acme"],
      ["acme/c", "acme"],
      ["acmee/d", "acme"],
      ["globex/e", "globex"],
      ["plain", "acme"],
    ] as const) {
      await storeSession(server, id, { tenant, kind: id.at(-1)! });
    }
    const list = async (query: string, as: "acme" | "globex" = "acme") =>
      (await (await server.request("GET", `/v1/sessions${query}`, { as })).json()) as Page;
    const idsOf = ({ sessions }: Page) => sessions.map(({ id }) => id);
    expect(idsOf(await list(""))).toEqual(["a", "b", "c"]);
    expect(idsOf(await list("", "globex"))).toEqual(["e"]);
    expect(idsOf(await list("?prefix=b"))).toEqual(["b"]);
    expect(idsOf(await list("?meta=kind:c"))).toEqual(["c"]);
    expect(idsOf(await list("?meta=tenant:globex"))).toEqual(["a", "b", "c"]);
    expect(idsOf(await list("?phase=suspended"))).toEqual([]);

    const first = await list("?limit=2");
    expect(idsOf(first)).toEqual(["a", "b"]);
    expect(idsOf(await list(`?limit=2&cursor=${encodeURIComponent(first.cursor!)}`))).toEqual(["c"]);
    const stolen = await list(`?limit=2&cursor=${encodeURIComponent(first.cursor!)}`, "globex");
    expect(idsOf(stolen).every((id) => id === "e")).toBe(true);
  });

  test("cannot list sessions that were created with another tenant in their meta", async () => {
    const server = openServer();
    const body = { agent: "desk", input: "x", meta: { tenant: "globex" } };
    const response = await server.request("POST", "/v1/sessions", { body });
    expect(await response.json()).toMatchObject({
      status: 400,
      detail: "json.meta: `tenant` is set by the token",
    });
  });
});

test("the labels of a store are of no tenant, and what a tenant names like them is its own", async () => {
  const server = openServer();
  await storeSession(server, "acme/done", { tenant: "acme" });
  await addLabel(server.store, { sessionId: "acme/done", label: "wrong", by: "ada", note: "of acme" });
  for (const as of ["acme", "globex"] as const) {
    for (const name of ["agentchart.labels", "../agentchart.labels", "%2e%2e%2fagentchart.labels"])
      for (const [method, path, body] of ROUTES) {
        const to = `/v1/sessions/${encodeURIComponent(name)}${path}`;
        const { status } = await server.request(method, to, { as, ...(body !== undefined && { body }) });
        expect([as, method, to, status]).toEqual([as, method, to, 404]);
      }
    const list = await (await server.request("GET", "/v1/sessions", { as })).text();
    expect(list).not.toContain("labels");
  }
  expect(await server.store.takeInputs("agentchart.labels", 10)).toEqual([]);
  expect(await labelsOf(server.store)).toMatchObject([{ sessionId: "acme/done", note: "of acme" }]);
});

test("The same idempotency key is one session per tenant", async () => {
  const server = openServer({ store: memoryStore() });
  const headers = { "Idempotency-Key": "order-17" };
  const [one, again, other] = [
    await createSession(server, { headers }),
    await createSession(server, { headers }),
    await createSession(server, { headers, as: "globex" }),
  ];
  expect(again).toBe(one);
  expect(other).not.toBe(one);
  expect(await server.store.takeInputs(`acme/${one}`, 10)).toHaveLength(1);
  expect(await server.store.takeInputs(`globex/${other}`, 10)).toHaveLength(1);
  expect(JSON.stringify(server.records)).not.toContain(TOKENS.acme);
});
