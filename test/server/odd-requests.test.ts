// Odd but valid requests.
import { describe, expect, test } from "vitest";
import { createServer } from "agentchart/server";
import { createDispatcher } from "agentchart/worker";
import { createSession, NEW_SESSION, openServer, TOKENS } from "./open-server.ts";

const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;

describe("A nested body", () => {
  test.for([101, 5_000, 100_000])("of %d levels gets status 400 and is not stored", async (levels) => {
    const server = openServer();
    const id = await createSession(server);
    const decision = `{"edit":{"a":${nested(levels - 1)}}}`;
    const response = await server.app.request(`/v1/sessions/${id}/decisions`, {
      method: "POST",
      headers: { Authorization: `Bearer ${TOKENS.acme}`, "Content-Type": "application/json" },
      body: `{"callId":"c","argsHash":"h","decision":${decision}}`,
    });
    expect([response.status, await response.json()]).toMatchObject([400, { code: "request/invalid" }]);
    expect(await server.store.takeInputs(`acme/${id}`, 9)).toHaveLength(1);
  });

  test("of 100 levels is read", async () => {
    const server = openServer();
    const id = await createSession(server);
    const decision = { edit: { a: JSON.parse(nested(99)) as unknown } };
    const body = { callId: "c", argsHash: "h", decision };
    const response = await server.request("POST", `/v1/sessions/${id}/decisions`, { body });
    expect(await response.json()).toMatchObject({ status: 409, code: "run/stale-decision" }); // no call waits
  });
});

test("What `onRequest` throws changes no response", async () => {
  const server = openServer({
    onRequest: () => {
      throw new Error("The log is full.");
    },
  });
  expect((await server.request("POST", "/v1/sessions", { body: NEW_SESSION })).status).toBe(202);
});

describe("The option `agents`", () => {
  test("refuses sessions of other agents", async () => {
    const server = openServer({ agents: ["desk", "clerk"] });
    expect((await server.request("POST", "/v1/sessions", { body: NEW_SESSION })).status).toBe(202);
    const body = { ...NEW_SESSION, agent: "dusk" };
    const response = await server.request("POST", "/v1/sessions", { body });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { code: "request/invalid", detail: "json.agent: unknown agent; use desk, clerk" },
    ]);
    expect(await server.store.listDue({ before: Date.now() })).toMatchObject({
      sessionIds: [expect.any(String)],
    });
  });
});

test("A Last-Event-ID after the end of the journal gets status 400", async () => {
  const server = openServer();
  const id = await createSession(server);
  const streamFrom = (lastEventId: string) =>
    server.request("GET", `/v1/sessions/${id}/events`, { headers: { "Last-Event-ID": lastEventId } });
  const response = await streamFrom("7.0");
  expect([response.status, await response.json()]).toMatchObject([
    400,
    { code: "request/invalid", detail: "header.last-event-id: the journal ends at 0" },
  ]);
  const fromStart = await streamFrom("0");
  expect(fromStart.status).toBe(200);
  await fromStart.body!.cancel();
});

test("createServer() throws for a token that cannot be in a header", () => {
  const { store, queue } = openServer();
  const dispatcher = createDispatcher({ store, queue });
  const tokens = [{ tenant: "acme", scopes: ["read" as const], token: "a token of several words" }];
  expect(() => createServer({ dispatcher, store, tokens })).toThrow("visible ASCII");
});
