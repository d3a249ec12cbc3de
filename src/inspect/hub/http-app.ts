import { AgentError } from "../../base/error.ts";
import { Hono, type Context } from "hono";
import { stream } from "hono/streaming";
import { layoutInWorker } from "../../diagram/layout-in-worker.ts";
import { isChart, type Charts } from "./charts.ts";
import { exportRun } from "./export-run.ts";
import { GROUPS, type OpenRun } from "./open-run.ts";
import { pageFile } from "./page-files.ts";
import { MOST_ROWS, type Runs } from "./runs.ts";
import { bearerOf, isSameToken, type Doors } from "./security.ts";

const MOST_STEPS = 1_000;
/** Bytes of a chart that is to be laid out. */
const MOST_CHART = 1_000_000;

export type HttpOptions = {
  readonly doors: () => Doors;
  readonly token: string;
  readonly runs: Runs;
  readonly charts: Charts;
  readonly pageFolder: string;
};

/** What the hub answers over HTTP: the files of the page and the chart of this release to everybody on this machine, runs to
 *  who has the token. */
export function httpApp({ doors, token, runs, charts, pageFolder }: HttpOptions): Hono {
  const app = new Hono();

  app.use(async (c, next) => {
    const { isOurHost, headers } = doors();
    if (isOurHost(c.req.header("host"))) await next();
    else c.res = c.text("This server does not go by that name.", 421);
    for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value);
  });

  app.use("/api/*", async (c, next) => {
    const origin = c.req.header("origin");
    if (origin !== undefined && !doors().isOurOrigin(origin))
      return problem(c, 403, "This page may not ask.");
    if (!isSameToken(bearerOf(c.req.header("authorization")), token))
      return problem(c, 401, "The token is missing or wrong.");
    return next();
  });

  app.get("/api/runs", async (c) => {
    const { q, group, worker, cursor, limit } = c.req.query();
    const known = GROUPS.find((each) => each === group);
    const count = limit === undefined ? undefined : wholeNumber(limit);
    if (group !== undefined && !known)
      return problem(c, 400, `\`group\` must be one of ${GROUPS.join(", ")}.`);
    if (limit !== undefined && (count === undefined || count < 1 || count > MOST_ROWS))
      return problem(c, 400, `\`limit\` must be a whole number from 1 to ${MOST_ROWS}.`);
    return c.json(
      await runs.list({
        ...(q !== undefined && { q }),
        ...(known && { group: known }),
        ...(worker !== undefined && { worker }),
        ...(cursor !== undefined && { cursor }),
        ...(count !== undefined && { limit: count }),
      }),
    );
  });

  const withRun =
    (answer: (c: Context, run: OpenRun) => Response | Promise<Response>) => async (c: Context) => {
      const run = await runs.open(c.req.param("id") ?? "");
      return run ? answer(c, run) : problem(c, 404, "There is no such run.");
    };

  app.get(
    "/api/runs/:id",
    withRun((c, { row, pending, exceeded }) =>
      c.json({ row, chart: row.chart, pending, ...(exceeded && { exceeded }) }),
    ),
  );

  app.get(
    "/api/runs/:id/steps",
    withRun((c, { log }) => {
      const from = wholeNumber(c.req.query("from") ?? "1");
      const to = wholeNumber(c.req.query("to") ?? String((from ?? 1) + MOST_STEPS - 1));
      if (from === undefined || to === undefined || from < 1)
        return problem(c, 400, "`from` and `to` must be whole numbers from 1.");
      return c.json(log.page(from, Math.min(to, from + MOST_STEPS - 1)));
    }),
  );

  app.get(
    "/api/runs/:id/keyframe",
    withRun((c, { log }) => {
      const at = wholeNumber(c.req.query("at") ?? "");
      const context = at === undefined ? undefined : log.contextAt(at);
      return context
        ? c.json({ at, context })
        : problem(c, 404, `Steps ${log.first} to ${log.last} are here.`);
    }),
  );

  app.get(
    "/api/runs/:id/blob/:sha",
    withRun((c, run) => {
      const text = run.blob(c.req.param("sha") ?? "");
      if (text === undefined) return problem(c, 404, "This text is not here any more.");
      return c.text(text);
    }),
  );

  app.get(
    "/api/runs/:id/export",
    withRun((c, run) => {
      const name = run.row.runId.replaceAll(/[^\w.-]/g, "_").slice(0, 100);
      c.header("content-type", "application/x-ndjson; charset=utf-8");
      c.header("content-disposition", `attachment; filename="${name}.ndjson"`);
      return stream(c, async (out) => {
        for (const line of exportRun(run, charts.chart(run.row.chart))) await out.write(line);
      });
    }),
  );

  app.get("/api/charts/:hash", async (c) => {
    const chart = await charts.get(c.req.param("hash"));
    return chart ? c.json(chart) : problem(c, 404, "There is no such chart.");
  });

  app.post("/api/layouts", async (c) => {
    if (Number(c.req.header("content-length") ?? Infinity) > MOST_CHART)
      return problem(c, 413, "This chart is too large.");
    const chart: unknown = await c.req.json().catch(() => undefined);
    return isChart(chart)
      ? c.json({ layouts: await layoutInWorker(chart) })
      : problem(c, 400, "A chart has `nodes` and `edges`.");
  });

  app.get("/chart.json", async (c) => c.json(await charts.own()));

  app.get("*", async (c) => {
    const path = new URL(c.req.url).pathname;
    const file = await pageFile(pageFolder, path);
    if (file) return c.body(file.body, 200, { "content-type": file.type });
    if (path !== "/") return problem(c, 404, "There is nothing here.");
    return c.text("The page is not built: run `npm run build:page`, then load this again.\n", 503);
  });

  app.onError((error, c) =>
    problem(c, 500, AgentError.is(error) ? error.message : "The hub failed to answer."),
  );
  return app;
}

function problem(c: Context, status: 400 | 401 | 403 | 404 | 413 | 500, message: string): Response {
  return c.json({ error: { message } }, status);
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
