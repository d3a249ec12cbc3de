import { describe, expect, test } from "vitest";
import { createServer } from "agentchart/server";
import { begin, BEGIN, openServer, TOKENS } from "./open-server.ts";

const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;

describe("A body that is nested too deep", () => {
  test.for([101, 5_000, 100_000])("%d levels is 400 and reaches no store", async (levels) => {
    const server = openServer();
    const id = await begin(server);
    const decision = `{"edit":{"a":${nested(levels - 1)}}}`;
    const response = await server.app.request(`/v1/sessions/${id}/decisions`, {
      method: "POST",
      headers: { Authorization: `Bearer ${TOKENS.acme}`, "Content-Type": "application/json" },
      body: `{"callId":"c","argsHash":"h","decision":${decision}}`,
    });
    expect([response.status, await response.json()]).toMatchObject([400, { code: "request/invalid" }]);
    expect(await server.store.takeInputs(`acme/${id}`, 9)).toHaveLength(1);
  });

  test("a hundred levels is taken", async () => {
    const server = openServer();
    const id = await begin(server);
    const decision = { edit: { a: JSON.parse(nested(99)) as unknown } };
    const body = { callId: "c", argsHash: "h", decision };
    const { status } = await server.ask("POST", `/v1/sessions/${id}/decisions`, { body });
    expect(status).toBe(202);
  });
});

describe("The agents of a server", () => {
  test("are the only ones that a session begins with, where they are said", async () => {
    const server = openServer({ agents: ["desk", "clerk"] });
    expect((await server.ask("POST", "/v1/sessions", { body: BEGIN })).status).toBe(202);
    const body = { ...BEGIN, agent: "dusk" };
    const response = await server.ask("POST", "/v1/sessions", { body });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { code: "request/invalid", detail: "json.agent: there are desk, clerk" },
    ]);
    expect(await server.store.listDue({ before: Date.now() })).toMatchObject({
      sessionIds: [expect.any(String)],
    });
  });
});

test("A Last-Event-ID that the session has not come to is refused, for nothing would ever be told behind it", async () => {
  const server = openServer();
  const id = await begin(server);
  const listen = (place: string) =>
    server.ask("GET", `/v1/sessions/${id}/events`, { headers: { "Last-Event-ID": place } });
  const response = await listen("7.0");
  expect([response.status, await response.json()]).toMatchObject([
    400,
    { code: "request/invalid", detail: "header.last-event-id: the session is at 0 only" },
  ]);
  const begins = await listen("0");
  expect(begins.status).toBe(200);
  await begins.body!.cancel();
});

test("A token that no header can hold is a mistake of the configuration", () => {
  const { store } = openServer();
  const tokens = [{ tenant: "acme", scopes: ["read" as const], token: "a token of several words" }];
  expect(() => createServer({ dispatcher: {} as never, store, tokens })).toThrow("visible ASCII");
});
