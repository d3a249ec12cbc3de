import { AgentError, messageOf } from "../../core/base/error.ts";
import type { HttpBindings } from "@hono/node-server";
import { Hono, type Context } from "hono";
import { compress } from "hono/compress";
import { stream } from "hono/streaming";
import { layoutInWorker } from "../../core/diagram/layout-in-worker.ts";
import { isChart, type ChartRegistry } from "./chart-registry.ts";
import { RUN_GROUPS, PROTOCOL, type RunFileHeader, type Step } from "../protocol/protocol.ts";
import type { OpenRun } from "./open-run.ts";
import { pageResponse } from "./page-files.ts";
import { problem } from "./problem.ts";
import { addManyRunsRoutes, type ManyRunsOptions } from "./many-runs-routes.ts";
import { readFilter } from "./read-filter.ts";
import { MAX_ROWS, type Runs } from "./runs.ts";
import { bearerOf, type AccessPolicy } from "./access-policy.ts";
import { isWithin } from "../protocol/parse-run-file.ts";
import { isObject, type JsonObject, type Json } from "../../core/base/json.ts";
import { callIn, promptLens } from "../protocol/prompt-lens.ts";
import type { RunSuspicions } from "./run-suspicions.ts";
import { addStatelyPage } from "./stately-page.ts";
import { readTriedRule, tryRule } from "./try-rule.ts";
import type { TokenGate } from "./token-gate.ts";
import type { ActorMessage } from "../protocol/actor-info.ts";
import type { ModelRequest } from "../../core/model/port.ts";
import type { WireRequest } from "../../core/model/wire-request.ts";
import type { Chart } from "../../core/diagram/chart-json.ts";

const MAX_STEPS = 1_000;
/** The maximum size of a chart that a page sends to be laid out, in bytes. */
const MAX_CHART_BYTES = 1_000_000;
/** The maximum depth of its JSON. */
const MAX_CHART_DEPTH = 60;

/** The maximum size of a request to a model that a page sends to be converted, in bytes, and the depth of its JSON. */
const MAX_REQUEST_BYTES = 20_000_000;
const MAX_REQUEST_DEPTH = 200;

/** The headers in which a response may differ from the others. */
const OWN_HEADERS: ReadonlySet<string> = new Set(["cache-control", "cross-origin-opener-policy"]);

/** The options that the HTTP server of a hub needs. */
type HttpOptions = {
  /** Returns the policy; a function, because the port is known only after the server listens. */
  readonly policy: () => AccessPolicy;
  readonly gate: TokenGate;
  readonly runs: Runs;
  readonly suspicions: RunSuspicions;
  readonly charts: ChartRegistry;
  readonly pageFolder: string;
} & Pick<ManyRunsOptions, "labels" | "store" | "isReadonly" | "reports">;

/**
 * Creates the HTTP server of the hub. It serves the page's files and the chart of this release to everyone on
 * this machine, and runs to clients with the token.
 */
export function httpApp(options: HttpOptions): Hono {
  const { policy, gate, runs, suspicions, charts, pageFolder } = options;
  const app = new Hono();

  // a page on another machine loads a fifth of the bytes
  app.use(compress());

  app.use(async (c, next) => {
    const { isOurHost, headers } = policy();
    if (isOurHost(c.req.header("host"))) await next();
    else c.res = c.text("This server does not serve that host name.", 421);
    for (const [name, value] of Object.entries(headers))
      if (!OWN_HEADERS.has(name) || !c.res.headers.has(name)) c.res.headers.set(name, value);
  });

  app.use("/api/*", async (c, next) => {
    const origin = c.req.header("origin");
    if (origin !== undefined && !policy().isOurOrigin(origin))
      return problem(c, 403, "This origin has no access.");
    const refusal = gate.refusal(bearerOf(c.req.header("authorization")), addressOf(c));
    if (!refusal) return next();
    if (refusal.retryAfter !== undefined) c.header("retry-after", refusal.retryAfter);
    return problem(c, refusal.status, `${refusal.reason}.`);
  });

  app.get("/api/runs", async (c) => {
    const { group, limit, worker, cursor, ...more } = c.req.query();
    const runGroup = RUN_GROUPS.find((each) => each === group);
    const count = limit === undefined ? undefined : parseInteger(limit);
    if (group !== undefined && !runGroup)
      return problem(c, 400, `\`group\` must be one of ${RUN_GROUPS.join(", ")}.`);
    if (limit !== undefined && (count === undefined || count < 1 || count > MAX_ROWS))
      return problem(c, 400, `\`limit\` must be an integer from 1 to ${MAX_ROWS}.`);
    if (cursor !== undefined && !isCursor(cursor))
      return problem(c, 400, "`cursor` must be one that a page of the list has returned.");
    const filter = readFilter(more);
    if (typeof filter === "string") return problem(c, 400, filter);
    return c.json(
      await runs.list({
        ...filter,
        ...(worker !== undefined && { worker }),
        ...(cursor !== undefined && { cursor }),
        ...(runGroup && { group: runGroup }),
        ...(count !== undefined && { limit: count }),
      }),
    );
  });

  const withRun =
    (answer: (c: Context, run: OpenRun) => Response | Promise<Response>) => async (c: Context) => {
      const run = await runs.open(c.req.param("id") ?? "");
      return run ? answer(c, run) : problem(c, 404, "Unknown run.");
    };

  app.get(
    "/api/runs/:id",
    withRun((c, run) => {
      const { row, pending, exceeded } = run;
      return c.json({ row: runs.rowOf(run), chart: row.chart, pending, ...(exceeded && { exceeded }) });
    }),
  );

  app.get(
    "/api/runs/:id/suspicions",
    withRun((c, { log }) => c.json({ suspicions: suspicions.of(log), upTo: log.last })),
  );

  app.get(
    "/api/runs/:id/rule",
    withRun((c, { log }) => {
      const rule = readTriedRule(c.req.query("rule"));
      if (typeof rule === "string") return problem(c, 400, rule);
      return c.json({ findings: tryRule(log, rule), from: log.first, upTo: log.last });
    }),
  );

  app.get(
    "/api/runs/:id/messages",
    withRun((c, { row }) => {
      const given = c.req.query("before");
      const before = given === undefined ? undefined : parseInteger(given);
      if (given !== undefined && before === undefined)
        return problem(c, 400, "`before` must be the number of a message.");
      return c.json(messagesIn(row.actor ? runs.inSystem(row.actor.system) : [], before));
    }),
  );

  app.get("/api/suspicions", (c) =>
    c.json({ checks: suspicions.checks.map(({ name, title }) => ({ name, title })) }),
  );

  app.get(
    "/api/runs/:id/steps",
    withRun((c, { log }) => {
      const from = parseInteger(c.req.query("from") ?? "1");
      const to = parseInteger(c.req.query("to") ?? String((from ?? 1) + MAX_STEPS - 1));
      if (from === undefined || to === undefined || from < 1)
        return problem(c, 400, "`from` and `to` must be integers from 1.");
      return c.json(log.page(from, Math.min(to, from + MAX_STEPS - 1), c.req.query("knows") === "1"));
    }),
  );

  app.get(
    "/api/runs/:id/keyframe",
    withRun((c, { log }) => {
      const at = parseInteger(c.req.query("at") ?? "");
      const context = at === undefined ? undefined : log.contextAt(at);
      return context
        ? c.json({ at, context })
        : problem(c, 404, `Steps ${log.first} to ${log.last} are available.`);
    }),
  );

  app.get(
    "/api/runs/:id/prompt",
    withRun((c, run) => {
      const at = parseInteger(c.req.query("at") ?? "");
      if (at === undefined) return problem(c, 400, "`at` must be the number of a step.");
      const { log } = run;
      const call = callIn(log.contextAt(at));
      if (!call) return problem(c, 404, "No request to a model was recorded up to this step.");
      const context = log.contextAt(call.step) ?? log.contextAt(at)!;
      return c.json(promptLens(call, context, (sha) => run.blob(sha)));
    }),
  );

  app.get(
    "/api/runs/:id/blob/:sha",
    withRun((c, run) => {
      const text = run.blob(c.req.param("sha") ?? "");
      if (text === undefined) return problem(c, 404, "This text is no longer available.");
      return c.text(text);
    }),
  );

  app.get(
    "/api/runs/:id/export",
    withRun(async (c, run) => {
      const chart = await charts.chart(run.row.chart);
      const name = run.row.runId.replaceAll(/[^\w.-]/g, "_").slice(0, 100);
      c.header("content-type", "application/x-ndjson; charset=utf-8");
      c.header("content-disposition", `attachment; filename="${name}.ndjson"`);
      return stream(c, async (out) => {
        for (const line of exportRun(run, chart)) await out.write(line);
      });
    }),
  );

  addManyRunsRoutes(app, options);
  addStatelyPage(app);

  app.get("/api/charts/:hash", async (c) => {
    const chart = await charts.get(c.req.param("hash"));
    return chart ? c.json(chart) : problem(c, 404, "Unknown chart.");
  });

  app.post("/api/layouts", async (c) => {
    if (Number(c.req.header("content-length") ?? Infinity) > MAX_CHART_BYTES)
      return problem(c, 413, "This chart is too large.");
    const chart: unknown = await c.req.json().catch(() => undefined);
    return isChart(chart) && isWithin(chart, MAX_CHART_DEPTH)
      ? c.json({ layouts: await layoutInWorker(chart) })
      : problem(c, 400, `A chart has \`nodes\` and \`edges\`, at most ${MAX_CHART_DEPTH} levels deep.`);
  });

  app.post("/api/machines", async (c) => {
    if (Number(c.req.header("content-length") ?? Infinity) > MAX_CHART_BYTES)
      return problem(c, 413, "This machine is too large.");
    const config: unknown = await c.req.json().catch(() => undefined);
    if (!isObject(config)) return problem(c, 400, "Expected the configuration of a machine as JSON.");
    const { configRun } = await import("./machine-file.ts");
    const { run, chart } = configRun(config as JsonObject, { name: "The file", file: "machine.json" });
    return c.text([...exportRun(run, chart.chart)].join(""));
  });

  app.post("/api/raw-request", async (c) => {
    if (Number(c.req.header("content-length") ?? Infinity) > MAX_REQUEST_BYTES)
      return problem(c, 413, "This request is too large to be converted.");
    const body: unknown = await c.req.json().catch(() => undefined);
    if (!isObject(body) || !isWithin(body, MAX_REQUEST_DEPTH))
      return problem(c, 400, `Expected \`wire\` and \`request\`, at most ${MAX_REQUEST_DEPTH} levels deep.`);
    return c.json(await rawRequest(body["wire"], body["request"]));
  });

  app.get("/chart.json", async (c) => c.json(await charts.own()));

  app.get("*", async (c) => (await pageResponse(pageFolder, c.req.raw)) ?? problem(c, 404, "Not found."));

  app.onError((error, c) => {
    if (!AgentError.is(error)) return problem(c, 500, "The hub failed to answer.");
    return problem(c, error.code === "config/invalid" ? 400 : 500, error.message);
  });
  return app;
}

/** True for a cursor of the runs in memory, and for one of a store, which judges the rest of it. */
const isCursor = (text: string): boolean => /^(?:n\d{1,15}|s.*)$/su.test(text);

/** The address of the client; undefined for a request that came without a network. */
function addressOf(c: Context): string | undefined {
  return (c.env as Partial<HttpBindings> | undefined)?.incoming?.socket.remoteAddress;
}

function parseInteger(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** The maximum number of messages of a page. */
const MAX_MESSAGES = 1_000;

/** Messages of one system, in the order in which they were sent. */
export type MessagePage = {
  readonly messages: readonly ActorMessage[];
  /** The number of the oldest message; ask for those before it. 0 if there are no older ones. */
  readonly before: number;
};

/** Returns the newest messages between the actors of a system, of those before number `before`. Every step of an actor is one. */
function messagesIn(actors: readonly OpenRun[], before = Number.POSITIVE_INFINITY): MessagePage {
  const all = actors.flatMap(({ row: { runId: to }, log }) =>
    [...log.steps()]
      .flatMap(({ q, e, t, a }) => (a && a.n < before ? [{ ...a, to, q, e, t }] : []))
      .slice(-MAX_MESSAGES),
  );
  const messages = all.toSorted((one, other) => one.n - other.n).slice(-MAX_MESSAGES);
  return { messages, before: all.length > messages.length ? messages[0]!.n : 0 };
}

type MakeRequest = (options: JsonObject, request: ModelRequest) => WireRequest;

/** The functions that make the requests of each adapter; loaded when they are asked for. */
const ADAPTERS: { readonly [adapter: string]: () => Promise<MakeRequest> } = {
  openai: async () => (await import("../../core/model/openai/wire-request.ts")).openaiWireRequest,
  "ai-sdk": async () => (await import("../../core/model/ai-sdk/wire-request.ts")).aiSdkWireRequest,
};

/** Returns the request that an adapter makes, or why there is none. `wire` is what the call recorded of its model, and `request` the request
 *  to the model; both come from outside and may be anything. */
export async function rawRequest(
  wire: Json | undefined,
  request: Json | undefined,
): Promise<{ readonly raw: WireRequest } | { readonly problem: string }> {
  if (!isObject(wire) || typeof wire["adapter"] !== "string" || !isObject(wire["options"]))
    return {
      problem: "This model does not say how it makes its requests: it is not an adapter of this package.",
    };
  const { adapter, options } = wire as { readonly adapter: string; readonly options: JsonObject };
  if (!Object.hasOwn(ADAPTERS, adapter))
    return { problem: `This release does not have the adapter '${adapter}', which made the request.` };
  if (!isRequest(request)) return { problem: "A request has `messages`, `tools` and `options`." };
  try {
    const make = await ADAPTERS[adapter]!();
    return { raw: make(options, { ...(request as unknown as ModelRequest), execution: {} }) };
  } catch (error) {
    return { problem: `The adapter cannot make a request of it: ${messageOf(error)}` };
  }
}

function isRequest(request: Json | undefined): boolean {
  if (!isObject(request)) return false;
  const { messages, tools, options } = request;
  return Array.isArray(messages) && messages.every(isObject) && Array.isArray(tools) && isObject(options);
}

const STEPS_PER_PAGE = 250;

/**
 * Exports a run as the lines of a file, see {@link RunFileHeader}. The chart has no layouts: the reader of the
 * file lays it out.
 */
export function* exportRun(run: OpenRun, chart: Chart | undefined): Generator<string> {
  const { row, log } = run;
  const { worker: _, ...rest } = row;
  const header: RunFileHeader = {
    agentchartRun: PROTOCOL,
    row: { ...rest, source: "file", can: [] },
    exportedAt: Date.now(),
  };
  yield line(header);
  if (chart) yield line({ chart, layouts: null, hash: row.chart });
  let written = 0;
  const { first, last } = log;
  for (let from = first; from <= last; from += STEPS_PER_PAGE) {
    const { items, keyframe, states } = log.page(
      from,
      Math.min(last, from + STEPS_PER_PAGE - 1),
      from > first,
    );
    if (keyframe) yield line({ keyframe, at: from - 1 });
    for (const step of items) {
      for (; written <= step.s; written++) yield line({ state: states[written] ?? [] });
      yield line(step satisfies Step);
    }
  }
  for (const [blob, text] of run.blobs()) yield line({ blob, text });
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
