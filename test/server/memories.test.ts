// Memories over HTTP.
import { describe, expect, onTestFinished, test } from "vitest";
import { memoryMemory } from "agentchart/memory";
import { openServer } from "./open-server.ts";

type Page = {
  readonly memories: readonly { readonly id: string; readonly text: string }[];
  readonly cursor?: string;
};

async function fixture() {
  const memory = memoryMemory();
  onTestFinished(() => memory.close());
  for (const scope of ["acme/ada", "acme/bob", "globex/ada", "acme"])
    await memory.put(scope, [{ text: `tea of ${scope}` }, { text: `milk of ${scope}`, expiresAt: 9e12 }]);
  const server = openServer({ memory });
  const list = async (scope: string, as: "acme" | "globex" = "acme", query = "") => {
    const response = await server.request("GET", `/v1/memories/${encodeURIComponent(scope)}${query}`, { as });
    return { status: response.status, ...((await response.json()) as Page) };
  };
  const texts = async (scope: string, as: "acme" | "globex" = "acme") =>
    ((await list(scope, as)).memories ?? []).map(({ text }) => text);
  return { memory, server, list, texts };
}

describe("memories over HTTP", () => {
  test("are listed page by page, and deleted one by one and all", async () => {
    const { server, list, texts, memory } = await fixture();
    const first = await list("ada", "acme", "?limit=1");
    expect(first).toMatchObject({
      status: 200,
      memories: [{ text: "milk of acme/ada", meta: {}, expiresAt: 9e12 }],
    });
    const second = await list("ada", "acme", `?limit=1&cursor=${encodeURIComponent(first.cursor!)}`);
    expect(second.memories.map(({ text }) => text)).toEqual(["tea of acme/ada"]);
    expect(second.cursor).toBeUndefined();
    const one = `/v1/memories/ada/${encodeURIComponent(first.memories[0]!.id)}`;
    expect(await (await server.request("DELETE", one)).json()).toEqual({ removed: 1 });
    expect(await (await server.request("DELETE", one)).json()).toEqual({ removed: 0 });
    expect(await texts("ada")).toEqual(["tea of acme/ada"]);
    expect(await (await server.request("DELETE", "/v1/memories/ada")).json()).toEqual({ removed: 1 });
    expect(await texts("ada")).toEqual([]);
    expect((await memory.list("acme/bob")).memories).toHaveLength(2);
  });

  test("of a tenant are never seen or deleted by another, whatever the scope is called", async () => {
    const { server, texts, memory } = await fixture();
    expect(await texts("ada", "globex")).toEqual(["milk of globex/ada", "tea of globex/ada"]);
    for (const name of ["acme/ada", "../acme/ada", "..", "%2e%2e/acme/ada", "%", "_da", "acme"]) {
      expect((await texts(name, "globex")).filter((text) => text.includes("acme"))).toEqual([]);
      const path = `/v1/memories/${encodeURIComponent(name)}`;
      for (const { id } of (await memory.list("acme/ada")).memories)
        await server.request("DELETE", `${path}/${encodeURIComponent(id)}`, { as: "globex" });
      await server.request("DELETE", path, { as: "globex" });
    }
    for (const scope of ["acme/ada", "acme/bob", "acme"])
      expect((await memory.list(scope)).memories).toHaveLength(2);
  });

  test("need a scope of the token, and a server with a store of memories", async () => {
    const { server } = await fixture();
    expect((await server.request("GET", "/v1/memories/ada", { as: "writer" })).status).toBe(403);
    expect((await server.request("DELETE", "/v1/memories/ada", { as: "reader" })).status).toBe(403);
    expect((await openServer().request("GET", "/v1/memories/ada")).status).toBe(404);
    expect((await server.request("GET", "/v1/memories/ada?cursor=next")).status).toBe(400);
    expect((await server.request("GET", "/v1/memories/ada?limit=0")).status).toBe(400);
    const { paths } = (await (await server.app.request("/openapi.json")).json()) as { paths: object };
    expect(Object.keys(paths)).toContain("/v1/memories/{scope}");
  });
});
