// Webhooks: signatures, templates and refusals.
import { createHmac, randomBytes } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import { textOf } from "agentchart";
import type { ServerOptions, Webhook } from "agentchart/server";
import { openSession } from "agentchart/session";
import { createServer } from "agentchart/server";
import { createDispatcher, createWorker, inProcessQueue } from "agentchart/worker";
import { memoryStore } from "agentchart/store/memory";
import { echoModel } from "../worker/kit.ts";
import { createSession, openServer, type TestServer } from "./open-server.ts";

const NOW = Date.parse("2026-05-04T12:00:00Z");
const SECRET = `whsec_${randomBytes(32).toString("base64")}`;
const OTHER = "a secret of a sender as plain text";
const issue = { issue: { id: 7, title: "It is broken", labels: ["bug"] } };

type Delivery = {
  readonly id?: string;
  readonly at?: number;
  readonly secret?: string;
  readonly body?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly name?: string;
};

function sign(secret: string, text: string): string {
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : secret;
  return `v1,${createHmac("sha256", key).update(text).digest("base64")}`;
}

async function deliver(
  server: Pick<TestServer, "app">,
  {
    id = "msg_1",
    at = NOW,
    secret = SECRET,
    body = JSON.stringify(issue),
    headers = {},
    name = "tracker",
  }: Delivery = {},
): Promise<Response> {
  const timestamp = String(Math.floor(at / 1_000));
  return server.app.request(`/webhooks/${name}`, {
    method: "POST",
    body,
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": sign(secret, `${id}.${timestamp}.${body}`),
      ...headers,
    },
  });
}

const tracker: Webhook = {
  secrets: [SECRET, OTHER],
  agent: "echo",
  input: "New: {issue.title} {issue.labels}",
};
const open = (webhook: Partial<Webhook> = {}, options: Partial<ServerOptions> = {}): TestServer =>
  openServer({ webhooks: { tracker: { ...tracker, ...webhook } }, now: () => NOW, ...options });
const inputsOf = async ({ store }: TestServer, id: string) => store.takeInputs(id, 100);

describe("a webhook", () => {
  test("that is signed starts a session with what its template says", async () => {
    const server = open({ tenant: "acme", meta: { from: "tracker" } });
    const response = await deliver(server);
    expect(response.status).toBe(202);
    const reply = (await response.json()) as object;
    expect(reply).toMatchObject({ id: "tracker-msg_1", inputId: "webhook/tracker/msg_1", state: "accepted" });
    const [input] = await inputsOf(server, "acme/tracker-msg_1");
    expect(input?.data).toMatchObject({
      agent: "echo",
      meta: { tenant: "acme", from: "tracker", webhook: "tracker" },
      messages: [{ content: [{ text: 'New: It is broken ["bug"]' }] }],
    });
    expect((await server.request("GET", "/v1/sessions/tracker-msg_1")).status).toBe(200);
    expect((await server.request("GET", "/v1/sessions/tracker-msg_1", { as: "globex" })).status).toBe(404);
  });

  test("without a tenant reaches no session of one, whatever its payload says", async () => {
    const server = open({ sessionId: "{session}" });
    const id = await createSession(server);
    const to = (session: string, delivery: string) =>
      deliver(server, { id: delivery, body: JSON.stringify({ ...issue, session }) });
    for (const [n, session] of [`acme/${id}`, "globex/new"].entries())
      expect(await (await to(session, `msg_${n}`)).json()).toMatchObject({
        status: 400,
        code: "request/invalid",
      });
    expect(await inputsOf(server, `acme/${id}`)).toHaveLength(1);
    expect((await to("initech/new", "msg_9")).status).toBe(202);
  });

  test.each<[string, unknown]>([
    ["empty", ""],
    ["long", "x".repeat(201)],
    ["one with half of a character", "\ud800"],
    ["one with a control character", "a\0b"],
    ["none", undefined],
    ["a number", 7],
    ["a promise", Promise.resolve("s")],
  ])("whose session is %s is refused, with a tenant and without one", async (_, id) => {
    for (const tenant of [undefined, "acme"]) {
      const server = open({ sessionId: () => id as string, tenant });
      expect(await (await deliver(server)).json()).toMatchObject({ status: 400, code: "request/invalid" });
      expect((await server.store.listDue({ before: NOW * 2 })).sessionIds).toEqual([]);
    }
  });

  test("whose function throws what is no error fails as one that throws an error", async () => {
    for (const thrown of ["a word", undefined, { secret: 1 }, new Error("an error")]) {
      const server = open({ input: () => Promise.reject(thrown as Error) });
      const response = await deliver(server);
      expect([response.status, await response.json()]).toMatchObject([500, { code: "request/failed" }]);
      expect(server.records).toMatchObject([{ status: 500, error: {} }]);
    }
  });

  test("is run by a worker once, although it is delivered ten times at two servers", async () => {
    const [store, queue] = [memoryStore(), inProcessQueue()];
    const options = {
      dispatcher: createDispatcher({ store, queue }),
      ...{ store, tokens: "none" as const, webhooks: { tracker }, now: () => NOW },
    };
    const servers = [createServer(options), createServer(options)].map((app) => ({ app }));
    const agents = { echo: () => ({ name: "echo", model: echoModel }) };
    const worker = createWorker({ store, queue, agents, sweepMs: 20 });
    await worker.start();
    onTestFinished(async () => {
      await worker.close({ deadlineMs: 100 });
      await queue.close();
    });
    const replies = await Promise.all(Array.from({ length: 10 }, (_, index) => deliver(servers[index % 2]!)));
    const states = await Promise.all(
      replies.map(async (reply) => ((await reply.json()) as { state: string }).state),
    );
    expect(states.filter((state) => state === "accepted")).toHaveLength(1);
    await expect.poll(() => worker.stats().turns).toBe(1);
    expect(await (await deliver(servers[0]!)).json()).toMatchObject({ state: "duplicate" });
    const { messages } = await (await openSession(store, "tracker-msg_1")).at();
    expect(messages.map((message) => textOf(message))).toHaveLength(2);
  });

  test("may be mapped by functions, to a session that goes on, and may be ignored", async () => {
    const server = open({
      sessionId: ({ payload }) => `issue-${(payload as typeof issue).issue.id}`,
      input: ({ id, payload, webhook, timestamp }) =>
        payload === null
          ? [undefined, null as never][Number(id === "msg_4")]
          : `${webhook} ${id} ${timestamp - NOW} ${(payload as typeof issue).issue.title}`,
    });
    for (const id of ["msg_1", "msg_2", "msg_2"]) expect((await deliver(server, { id })).status).toBe(202);
    for (const id of ["msg_3", "msg_4"])
      expect((await deliver(server, { id, body: "null" })).status).toBe(204);
    const inputs = await inputsOf(server, "issue-7");
    expect(inputs.map(({ id }) => id)).toEqual(["webhook/tracker/msg_1", "webhook/tracker/msg_2"]);
    expect(JSON.stringify(inputs[1]?.data)).toContain("tracker msg_2 0 It is broken");
  });

  test("is accepted with each of its secrets, and with one right signature among others", async () => {
    const server = open();
    expect((await deliver(server, { secret: OTHER })).status).toBe(202);
    const body = JSON.stringify(issue);
    const right = sign(SECRET, `msg_2.${NOW / 1_000}.${body}`);
    const headers = { "webhook-signature": `v2,abc v1,${"A".repeat(43)}= ${right}` };
    expect((await deliver(server, { id: "msg_2", headers })).status).toBe(202);
  });

  test.each<[string, Delivery, number, string]>([
    ["with another secret", { secret: `${SECRET.slice(0, -4)}AAA=` }, 401, "webhook/bad-signature"],
    ["with an id that was not signed", { headers: { "webhook-id": "msg_9" } }, 401, "webhook/bad-signature"],
    [
      "with a time that was not signed",
      { headers: { "webhook-timestamp": `${NOW / 1_000 + 1}` } },
      401,
      "webhook/bad-signature",
    ],
    [
      "with a signature of another length",
      { headers: { "webhook-signature": "v1,AAAA" } },
      401,
      "webhook/bad-signature",
    ],
    [
      "with a signature of another version",
      { headers: { "webhook-signature": "v1a,AAAA" } },
      401,
      "webhook/bad-signature",
    ],
    ["without an id", { headers: { "webhook-id": "" } }, 401, "webhook/bad-signature"],
    ["with a time that is none", { headers: { "webhook-timestamp": "now" } }, 401, "webhook/bad-signature"],
    ["that is 301 s old", { at: NOW - 301_000 }, 401, "webhook/too-old"],
    ["that is 301 s ahead", { at: NOW + 301_000 }, 401, "webhook/too-old"],
    ["that is not JSON", { body: "{" }, 400, "request/invalid"],
    ["that is too deep", { body: "[".repeat(400) + "]".repeat(400) }, 400, "request/invalid"],
    ["that lacks what its template names", { body: "{}" }, 400, "request/invalid"],
    ["whose payload has only what objects inherit", { body: '{"issue":"x"}' }, 400, "request/invalid"],
    ["with a long id", { id: "x".repeat(201) }, 400, "request/invalid"],
    ["of another name", { name: "constructor" }, 404, "request/not-found"],
    ["that is too large", { body: JSON.stringify({ text: "x".repeat(2_000) }) }, 413, "request/too-large"],
  ])("%s is refused, and nothing is stored", async (_, delivery, status, code) => {
    const server = open({}, { maxBodyBytes: 1_000 });
    const response = await deliver(server, delivery);
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([status, code]);
    expect((await server.store.listDue({ before: NOW * 2 })).sessionIds).toEqual([]);
  });

  test("is in the OpenAPI document of a server that has one", async () => {
    const pathsOf = async (server: TestServer): Promise<object> =>
      ((await (await server.app.request("/openapi.json")).json()) as { readonly paths: object }).paths;
    expect(await pathsOf(open())).toHaveProperty(["/webhooks/{name}", "post", "responses", "202"]);
    expect(await pathsOf(openServer())).not.toHaveProperty(["/webhooks/{name}"]);
  });

  test("at the edge of its time is accepted", async () => {
    const server = open({ toleranceSeconds: 60 });
    for (const [id, at] of [
      ["a", NOW - 60_000],
      ["b", NOW + 60_000],
    ] as const)
      expect((await deliver(server, { id, at })).status).toBe(202);
    expect((await deliver(server, { id: "c", at: NOW - 61_000 })).status).toBe(401);
  });

  test("with an id that had another body in the same session is refused as reused", async () => {
    const server = open();
    await deliver(server);
    const response = await deliver(server, {
      body: JSON.stringify({ issue: { title: "Other", labels: [] } }),
    });
    expect([response.status, await response.json()]).toMatchObject([409, { code: "run/key-reused" }]);
  });

  test("is not slowed by those with a wrong signature, which are", async () => {
    const server = open();
    const statuses: number[] = [];
    for (let index = 0; index < 120; index++)
      statuses.push((await deliver(server, { secret: OTHER.repeat(2) })).status);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect((await deliver(server)).status).toBe(202);
  });

  test("leaves no secret and no payload in logs and answers", async () => {
    const server = open();
    const texts = await Promise.all(
      [{}, { secret: OTHER.repeat(2) }, { body: "{" }].map(async (each) =>
        (await deliver(server, each)).text(),
      ),
    );
    const said = JSON.stringify([server.records, texts]);
    for (const secret of [SECRET, SECRET.slice(6), OTHER, "It is broken"]) expect(said).not.toContain(secret);
    expect(server.records.map(({ route, status }) => [route, status])).toEqual(
      expect.arrayContaining(
        [200, 400, 401].map((status) => ["/webhooks/:name", status === 200 ? 202 : status]),
      ),
    );
  });

  test.each<[Partial<Webhook>, RegExp]>([
    [{ secrets: [] }, /`webhooks\.tracker\.secrets`.*at least one/u],
    [{ secrets: ["short-secret"] }, /secrets\[0\]`.*24 bytes/u],
    [{ secrets: ["whsec_c2hvcnQ="] }, /secrets\[0\]`.*24 bytes/u],
    [{ agent: "" }, /agent/u],
    [{ tenant: "a/b" }, /tenant/u],
    [{ tenant: "agentchart" }, /tenant/u],
    [{ input: 3 as never }, /input.*function/u],
  ])("whose options are wrong is refused: %o", (webhook, message) => {
    expect(() => open(webhook)).toThrow(message);
    try {
      open(webhook);
    } catch (error) {
      expect((error as Error).message).not.toMatch(/short-secret|c2hvcnQ/u);
    }
  });
});
