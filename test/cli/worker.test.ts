// The commands `worker` and `serve`: SIGTERM, SIGKILL and take-over.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sqliteMemory } from "agentchart/memory";
import { NO_POSTGRES, startPostgres, type TestPostgres } from "../support/postgres.ts";
import { NO_REDIS, startRedis, type TestRedis } from "../support/redis.ts";
import { readEvents, type Frame } from "../server/read-events.ts";
import { jsonLines } from "./session-fixture.ts";
import { AGENTS, createSessions, workerFixture, TOKEN, type Request } from "./worker-fixture.ts";

// Every test starts several processes, on machines that are busy with other tests.
const SOON = { interval: 100 };

const phasesOf = (request: Request, ids: readonly string[]) => async () => {
  const { sessions } = await request("GET", "/v1/sessions?limit=500");
  const phases = new Map(sessions.map(({ id, phase }) => [id, phase]));
  return new Set(ids.map((id) => phases.get(id) ?? "not started"));
};

let redis: TestRedis | undefined;
let postgres: TestPostgres | undefined;
beforeAll(async () => {
  [redis, postgres] = await Promise.all([startRedis(), startPostgres()]);
});
afterAll(async () => {
  await Promise.all([redis?.stop(), postgres?.stop()]);
});

const TRANSPORTS = [
  ["redis", NO_REDIS, () => redis && { store: undefined, queue: redis.url, env: {} }],
  [
    "postgres",
    NO_POSTGRES,
    () =>
      postgres && {
        store: "postgres",
        queue: "postgres",
        env: { DATABASE_URL: postgres.connectionString },
      },
  ],
] as const;

describe.each(TRANSPORTS)("Workers on %s", (_, none, here) => {
  test("hand their sessions over at SIGTERM without losing or repeating a step", async ({ skip }) => {
    const place = here();
    if (!place) return skip(none);
    const fixture = workerFixture(place.store, place.queue, place.env);
    const { request } = await fixture.serve();
    const first = await fixture.worker("--concurrency", "2");
    const ids = await createSessions(request, "steps", 20);
    await expect.poll(() => fixture.toolLog().length, SOON).toBeGreaterThan(2);
    first.child.kill("SIGTERM");
    expect((await first.finished).code).toBe(0);
    expect(fixture.toolLog().length).toBeLessThan(60);
    const second = await fixture.worker("--concurrency", "10");

    await expect.poll(phasesOf(request, ids), SOON).toEqual(new Set(["stopped"]));
    expect(fixture.toolLog()).toHaveLength(60);
    expect(new Set(fixture.toolLog()).size).toBe(60);
    for (const [index, id] of ids.entries()) {
      const { messages } = await request("GET", `/v1/sessions/${id}/messages`);
      expect(messages.at(-1)).toMatchObject({
        content: [{ text: `Done: Question ${index}` }],
      });
    }
    expect(first.logged("drain")).toMatchObject([{ signal: "SIGTERM", drainMs: 8000 }]);
    expect(first.logged("worker.state").map(({ state }) => state)).toEqual(["running", "draining", "closed"]);
    const handed = first.logged("session.end").filter(({ phase }) => phase !== "stopped");
    expect(handed.length).toBeGreaterThan(0);
    expect(second.logged("session.start").length).toBeGreaterThan(0);
    second.child.kill("SIGINT");
    expect((await second.finished).code).toBe(0);
  });
});

describe("An agent that cannot be made", () => {
  test("is named by the worker and the server when they start, and its inputs are refused after --max-tries", async () => {
    const fixture = workerFixture(undefined, "memory");
    const agents = join(fixture.folder, "broken.ts");
    writeFileSync(agents, "export const agents = { desk: () => ({ name: 'desk', maxIteration: 3 }) };");
    const { request, running } = await fixture.serve("--agents", agents);
    const error = { code: "config/invalid", message: expect.stringContaining("maxIteration") as string };
    const said = [{ agent: "desk", error }];
    expect(running.logged("agent.failed")).toMatchObject(said);
    const worker = fixture.run("worker", "--agents", agents, "--max-tries", "1");
    await worker.printed('"state":"running"');
    expect(worker.logged("agent.failed")).toMatchObject(said);
    expect(worker.logged("agent.failed")).toHaveLength(1);
    const mcp = fixture.run("mcp", "--agents", agents);
    await mcp.printed("agent.failed");
    const [id] = await createSessions(request, "desk", 1);
    await expect.poll(phasesOf(request, [id!]), SOON).toEqual(new Set(["stopped"]));
    expect(await request("GET", `/v1/sessions/${id}`)).toMatchObject({ error: { code: "config/invalid" } });
  });
});

describe("A worker", () => {
  test("ends at the deadline of its drain during a tool, and immediately at a second signal", async () => {
    const fixture = workerFixture(undefined, "memory");
    const { request } = await fixture.serve();
    const short = await fixture.worker("--drain-ms", "500");
    await createSessions(request, "stubborn", 1);
    await expect.poll(fixture.toolLog, SOON).toEqual(["stubborn starts"]);
    short.child.kill("SIGTERM");
    expect((await short.finished).code).toBe(0);

    const long = await fixture.worker("--drain-ms", "60000");
    await createSessions(request, "stubborn", 1);
    await expect.poll(() => fixture.toolLog().length, SOON).toBe(2);
    long.child.kill("SIGTERM");
    await long.printed('"drain"');
    long.child.kill("SIGINT");
    expect((await long.finished).code).toBe(130);
  });

  test("serves its health and its metrics", async () => {
    const fixture = workerFixture(undefined, "memory");
    const { request } = await fixture.serve();
    const worker = await fixture.worker("--health-port", "0");
    const { url } = worker.logged("health")[0] as unknown as { readonly url: string };
    const get = async (path: string) => {
      const response = await fetch(`${url}${path}`);
      return [response.status, await response.text()] as const;
    };
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await get("/healthz")).toEqual([200, "ok\n"]);
    expect(await get("/readyz")).toEqual([200, "ok\n"]);
    expect((await get("/elsewhere"))[0]).toBe(404);

    const ids = await createSessions(request, "steps", 2);
    await expect.poll(phasesOf(request, ids), SOON).toEqual(new Set(["stopped"]));
    await expect.poll(() => worker.logged("session.end").length).toBe(2);
    const [, metrics] = await get("/metrics");
    const valueOf = (series: string): number =>
      Number(
        metrics
          .split("\n")
          .find((line) => line.startsWith(`${series} `))
          ?.slice(series.length),
      );
    expect(valueOf("agentchart_sessions_running")).toBe(0);
    expect(valueOf("agentchart_sessions_suspended")).toBe(0);
    expect(valueOf('agentchart_sessions_ended_total{phase="stopped"}')).toBe(2);
    expect(valueOf('agentchart_turns_total{reason="MODEL_STOP"}')).toBe(2);
    expect(valueOf('agentchart_steps_total{step="tool",outcome="success"}')).toBe(6);
    expect(valueOf('agentchart_steps_total{step="model",outcome="success"}')).toBe(8);
    expect(valueOf('agentchart_inputs_taken_total{kind="call"}')).toBe(2);
    expect(valueOf("agentchart_queue_delay_seconds_count")).toBe(2);
    expect(valueOf("agentchart_lease_losses_total")).toBe(0);
    expect(valueOf('agentchart_queue_sessions{state="waiting"}')).toBe(0);
    for (const name of ["retries", "sessions_quarantined", "takeovers", "errors", "sessions_swept"]) {
      expect(metrics).toContain(`# TYPE agentchart_${name}_total counter`);
    }
    expect(worker.logged("session.end")[0]).toMatchObject({
      agent: "steps",
      tenant: "acme",
      phase: "stopped",
      durationMs: expect.any(Number),
    });
    expect(worker.log()).not.toContain("Question");

    worker.child.kill("SIGTERM");
    await worker.finished;
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  });

  test("is not ready while it drains", async () => {
    const fixture = workerFixture(undefined, "memory");
    const { request } = await fixture.serve();
    const worker = await fixture.worker("--health-port", "0", "--drain-ms", "60000");
    const { url } = worker.logged("health")[0] as unknown as { readonly url: string };
    await createSessions(request, "stubborn", 1);
    await expect.poll(fixture.toolLog, SOON).toEqual(["stubborn starts"]);
    worker.child.kill("SIGTERM");
    await worker.printed('"drain"');
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.text()]).toEqual([503, "draining\n"]);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });
});

test("A session that kills its workers is quarantined, listed and retried", async () => {
  const fixture = workerFixture(undefined, "memory");
  const { request } = await fixture.serve();
  const flags = ["--lease-ms", "500", "--max-crashes", "2"];
  const [id] = await createSessions(request, "poison", 1);
  for (const _ of ["first", "second"]) {
    const { finished, child } = await fixture.worker(...flags);
    await finished;
    expect(child.signalCode).toBe("SIGKILL");
  }
  const worker = await fixture.worker(...flags);
  await expect.poll(() => worker.logged("session.quarantined").length, SOON).toBe(1);
  expect(fixture.toolLog()).toEqual(["killed", "killed"]);
  const found = await request("GET", `/v1/sessions/${id}`);
  expect(found).toMatchObject({ phase: "quarantined", quarantine: { reason: expect.any(String) } });

  const sessionId = `acme/${id}`;
  const listed = await fixture.run("dead-letters", "ls").finished;
  const reason = "2 workers in a row died with it.";
  expect([listed.code, jsonLines(listed)]).toMatchObject([0, [{ sessionId, reason }]]);
  expect(jsonLines(await fixture.run("dead-letters", "ls", "--tenant", "globex").finished)).toEqual([]);

  writeFileSync(fixture.env["SURVIVE_FILE"]!, "");
  const retried = await fixture.run("dead-letters", "retry", sessionId, "never-there").finished;
  expect([retried.code, jsonLines(retried)]).toEqual([1, [{ sessionId, woken: true }]]);
  expect(retried.stderr).toContain("never-there: the session is not quarantined");
  await expect.poll(phasesOf(request, [id!]), SOON).toEqual(new Set(["stopped"]));
  expect(jsonLines(await fixture.run("dead-letters", "ls").finished)).toEqual([]);
});

describe("A server", () => {
  test("ends at SIGTERM although a client streams events", async () => {
    const { request, url, running } = await workerFixture(undefined, "memory").serve();
    const [id] = await createSessions(request, "steps", 1);
    const stream = await fetch(`${url}/v1/sessions/${id}/events`, {
      headers: { Authorization: `Bearer ${TOKEN}` },
    });
    expect(stream.status).toBe(200);
    running.child.kill("SIGTERM");
    expect((await running.finished).code).toBe(0);
    await expect(stream.text()).rejects.toThrow();
  });

  test("with --agent refuses sessions of other agents, and with --memory serves the memories of the tenant", async () => {
    const fixture = workerFixture(undefined, "memory");
    const path = join(fixture.folder, "memory.db");
    const agents = ["--agent", "steps", "--agent", "poison"];
    const running = fixture.run("serve", "--port", "0", ...agents, "--memory", `sqlite:${path}`);
    await running.printed('"listening"');
    const { url } = running.logged("listening")[0] as unknown as { readonly url: string };
    const create = async (agent: string) => {
      const response = await fetch(`${url}/v1/sessions`, {
        method: "POST",
        headers: { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" },
        body: JSON.stringify({ agent, input: "Hello" }),
      });
      return [response.status, ((await response.json()) as { readonly detail?: string }).detail];
    };
    expect(await create("poison")).toEqual([202, undefined]);
    expect(await create("agents.ts")).toEqual([400, "json.agent: unknown agent; use steps, poison"]);
    const memory = sqliteMemory({ path });
    for (const scope of ["acme/ada", "globex/ada"]) await memory.put(scope, [{ text: `tea of ${scope}` }]);
    const ada = (method: string) =>
      fetch(`${url}/v1/memories/ada`, { method, headers: { Authorization: `Bearer ${TOKEN}` } });
    expect(await (await ada("GET")).json()).toMatchObject({ memories: [{ text: "tea of acme/ada" }] });
    expect(await (await ada("DELETE")).json()).toEqual({ removed: 1 });
    expect((await memory.list("globex/ada")).memories).toHaveLength(1);
    await memory.close();
  });

  test("without tokens serves this machine with a warning, and fails with one line on a used port", async () => {
    const fixture = workerFixture(undefined, "memory");
    const running = fixture.run("serve", "--insecure-no-auth", "--port", "0");
    await running.printed("Every program on this machine may use http://127.0.0.1:");
    const { url } = running.logged("listening")[0] as unknown as { readonly url: string };
    expect(await (await fetch(`${url}/v1/sessions`)).json()).toEqual({ sessions: [] });
    const port = new URL(url).port;
    const second = await fixture.run("serve", "--insecure-no-auth", "--port", port).finished;
    expect([second.code, second.stderr]).toEqual([
      1,
      `agentchart: Another program listens on 127.0.0.1:${port}: choose another port.\n`,
    ]);
  });
});

describe("Tokens and passwords", () => {
  test("do not appear in logs and errors", async () => {
    const secret = "s3cret-of-the-test";
    const env = {
      DATABASE_URL: `postgres://me:${secret}@127.0.0.1:9/db`,
      REDIS_URL: `redis://:${secret}@127.0.0.1:9`,
      OPENAI_API_KEY: `sk-${secret}`,
    };
    const fixture = workerFixture("postgres", "postgres", env);
    const failed = await Promise.all([
      fixture.run("worker", "--agents", AGENTS, "--store-timeout-ms", "500", "--debug").finished,
      fixture.run("dead-letters", "ls", "--debug").finished,
    ]);
    for (const { code, stdout, stderr } of failed) {
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).not.toContain(secret);
      expect(stderr).toMatch(/ECONNREFUSED|cannot be reached|reach/i);
    }
    const { request, running } = await workerFixture(undefined, "memory", env).serve();
    await createSessions(request, "steps", 1);
    await expect.poll(() => running.logged("request").length).toBe(1);
    expect(running.logged("request")).toMatchObject([
      { tenant: "acme", method: "POST", route: "/v1/sessions", status: 202 },
    ]);
    expect(running.log()).not.toContain(TOKEN);
    expect(running.log()).not.toContain(secret);
  });
});

describe("A server with --agents", () => {
  test("runs sessions in its own process, streams their answers, and drains at SIGTERM", async () => {
    const fixture = workerFixture(undefined, "memory");
    const { url, request, running } = await fixture.serve("--agents", AGENTS);
    const [id] = await createSessions(request, "echo", 1);
    const turnsIn = (frames: readonly Frame[]): number =>
      frames.filter(({ event }) => event?.type === "turn.end").length;
    let hasSent = false;
    const frames = await readEvents(`${url}/v1/sessions/${id}/events`, {
      token: TOKEN,
      until: (soFar) => {
        if (turnsIn(soFar) === 1 && !hasSent) {
          hasSent = true; // the stream is open now, so it gets what is not stored, too
          void request("POST", `/v1/sessions/${id}/messages`, { input: "Once more" });
        }
        return turnsIn(soFar) === 2;
      },
    });
    const second = frames.slice(frames.findIndex(({ event }) => event?.type === "turn.end") + 1);
    const types = second.flatMap(({ event }) => (event ? [event.type] : []));
    expect(types).toContain("block.delta");
    expect(types.indexOf("block.delta")).toBeLessThan(types.lastIndexOf("message"));
    expect(running.logged("session.end").length).toBeGreaterThan(0);
    const unknown = request("POST", "/v1/sessions", { agent: "unknown", input: "Hello" });
    await expect(unknown).rejects.toThrow("unknown agent; use steps");
    running.child.kill("SIGTERM");
    expect((await running.finished).code).toBe(0);
    expect(running.logged("worker.state").map(({ state }) => state)).toEqual([
      "running",
      "draining",
      "closed",
    ]);
  });
});
