// The OpenAPI document has every route.
import { Validator, type Schema } from "@cfworker/json-schema";
import { describe, expect, test } from "vitest";
import { userMsg, type JsonObject } from "agentchart";
import { scripted, toolOf } from "../support/agents.ts";
import { createSession, NEW_SESSION, openServer } from "./open-server.ts";

/** The Hono app behind the public type. */
type Routed = { readonly routes: readonly { readonly method: string; readonly path: string }[] };
type Operation = {
  readonly summary: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
  }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: {
    readonly [status: string]: { readonly description: string; readonly content?: Content };
  };
};
type Content = { readonly [type: string]: { readonly schema: JsonObject } };
type OpenApiDocument = {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } };
  readonly components: {
    readonly schemas: { readonly [name: string]: JsonObject };
    readonly securitySchemes: { readonly [name: string]: JsonObject };
  };
};

async function documentOf(server = openServer()): Promise<OpenApiDocument> {
  const response = await server.app.request("/openapi.json");
  expect(response.status).toBe(200);
  return (await response.json()) as OpenApiDocument;
}

const operationsOf = ({ paths }: OpenApiDocument) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

/** A schema of the document, together with the components that it refers to. */
const standalone = (document: OpenApiDocument, schema: JsonObject): Schema =>
  ({ ...schema, components: document.components }) as Schema;

const problemsOf = (document: OpenApiDocument, schema: JsonObject, value: unknown): string[] =>
  new Validator(standalone(document, schema), "2020-12")
    .validate(value)
    .errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);

describe("The OpenAPI document", () => {
  test("lists every route of the server and no other", async () => {
    const server = openServer();
    const document = await documentOf(server);
    const served = (server.app as unknown as Routed).routes
      .filter(({ method, path }) => method !== "ALL" && path !== "/openapi.json")
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);
    const listed = operationsOf(document).map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    expect(listed.toSorted()).toEqual([...new Set(served)].toSorted());
    expect(listed).toHaveLength(21);
  });

  test("has version 3.1 and no dangling reference", async () => {
    const document = await documentOf();
    expect(document).toMatchObject({ openapi: "3.1.0", info: { title: "Agentchart", version: "1" } });
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)];
    expect(refs.length).toBeGreaterThan(10);
    for (const [, name] of refs) expect(Object.keys(document.components.schemas)).toContain(name);
  });

  test("has the security, the parameters and the responses of every route", async () => {
    const document = await documentOf();
    for (const { path, method, operation } of operationsOf(document)) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = operation.parameters?.filter((parameter) => parameter.in === "path") ?? [];
      expect([path, declared.map(({ name }) => name)]).toEqual([path, named]);
      expect(declared.every(({ required }) => required === true)).toBe(true);
      expect(operation.summary).not.toBe("");
      if (path.startsWith("/v1/")) expect(operation.security).toEqual([{ bearer: [] }]);
      if (path.startsWith("/v1/"))
        expect(Object.keys(operation.responses)).toEqual(
          expect.arrayContaining(["400", "401", "403", "404", "409", "413", "415", "429", "500", "503"]),
        );
      if (operation.requestBody) expect(operation.requestBody.required).toBe(true);
      if (method === "get") expect(operation.requestBody).toBeUndefined();
    }
    expect(document.components.securitySchemes).toEqual({ bearer: { type: "http", scheme: "bearer" } });
  });

  test("describes the responses of the server", async () => {
    const server = openServer();
    const document = await documentOf(server);
    const suspended = scripted(["Hi", { calls: [{ name: "pay", input: { euros: 7 } }] }], {
      store: server.store,
      sessionId: "acme/pays",
      meta: { tenant: "acme" },
      tools: [toolOf("pay", () => "paid", { permission: "ask" })],
    }).agent;
    await suspended.call(userMsg("Hello"));
    await suspended.call("Pay 7");
    await suspended.close();
    const id = await createSession(server);
    const responses = [
      ["/v1/sessions", await server.request("GET", "/v1/sessions?limit=1")],
      ["/v1/sessions/{id}", await server.request("GET", "/v1/sessions/pays")],
      ["/v1/sessions/{id}", await server.request("GET", `/v1/sessions/${id}`)],
      ["/v1/sessions/{id}", await server.request("GET", "/v1/sessions/missing")],
      ["/v1/sessions/{id}/messages", await server.request("GET", "/v1/sessions/pays/messages")],
      ["/healthz", await server.app.request("/healthz")],
      ["/readyz", await server.app.request("/readyz")],
    ] as const;
    for (const [path, response] of responses) {
      const described = document.paths[path]!["get"]!.responses[response.status]!;
      const { schema } = described.content![response.headers.get("Content-Type")!]!;
      expect([path, problemsOf(document, schema, await response.json())]).toEqual([path, []]);
    }
    const { schema } =
      document.paths["/v1/sessions/{id}"]!["get"]!.responses["200"]!.content!["application/json"]!;
    expect(problemsOf(document, schema, { id: "s" })).not.toEqual([]);
  });

  test("describes the bodies that the server accepts", async () => {
    const server = openServer();
    const document = await documentOf(server);
    const { schema } = document.paths["/v1/sessions"]!["post"]!.requestBody!.content["application/json"]!;
    const bodies = [
      NEW_SESSION,
      { ...NEW_SESSION, meta: { customer: "42" }, priority: 3, delayMs: 1000 },
      { ...NEW_SESSION, input: [{ type: "text", text: "Look" }] },
      {
        ...NEW_SESSION,
        input: [{ type: "image", source: { type: "url", url: "https://example.org/a.png" } }],
      },
      { agent: "desk" },
      { ...NEW_SESSION, more: true },
      { ...NEW_SESSION, priority: -1 },
      { ...NEW_SESSION, input: [{ type: "tool_use", id: "c", name: "pay", input: {} }] },
    ];
    for (const body of bodies) {
      const { status } = await server.request("POST", "/v1/sessions", { body });
      const isDescribed = problemsOf(document, schema, body).length === 0;
      expect([body, status]).toEqual([body, isDescribed ? 202 : 400]);
    }
  });
});
