import type { Hono } from "hono";
import { AgentError } from "../../core/base/error.ts";
import { isObject } from "../../core/base/json.ts";
import type { SessionStore } from "../../store/port.ts";
import { addLabel, type LabelReader, type NewLabel } from "../labels/labels.ts";
import { FIGURES, type OverviewFigure } from "../protocol/overview.ts";
import { Overviews } from "./overviews.ts";
import { problem } from "./problem.ts";
import { readFilter } from "./read-filter.ts";
import type { StoredReport } from "./report-files.ts";
import type { RunSuspicions } from "./run-suspicions.ts";
import type { Runs } from "./runs.ts";
import { testOfSession } from "./session-test.ts";

/** The time for which a request reads runs before it answers with those that it has, ms. */
const WORK_MS = 800;
/** The maximum number of runs that are listed of a figure. */
const MAX_LISTED = 500;
/** The maximum size of a label that a page sends, in bytes. */
const MAX_LABEL_BYTES = 500_000;

/** The data of the routes about many runs. */
export type ManyRunsOptions = {
  readonly runs: Runs;
  readonly suspicions: RunSuspicions;
  /** The store of the sessions and the labels in it; absent if the hub has none. */
  readonly store: SessionStore | undefined;
  readonly labels: LabelReader | undefined;
  /** True if nothing may be written. */
  readonly isReadonly: boolean;
  readonly reports: readonly StoredReport[];
};

/** Adds the routes about many runs: overviews, labels, tests of runs, and reports. */
export function addManyRunsRoutes(app: Hono, options: ManyRunsOptions): void {
  const { runs, suspicions, store, labels, isReadonly, reports } = options;
  const overviews = new Overviews(runs, suspicions, async () => {
    const newest = await labels?.newest();
    return (runId) => newest?.get(runId)?.label;
  });

  app.get("/api/overview", async (c) => {
    const filter = readFilter(c.req.query());
    if (typeof filter === "string") return problem(c, 400, filter);
    return c.json(await overviews.overview(filter, WORK_MS));
  });

  app.get("/api/overview/runs", async (c) => {
    const { by, value, ...query } = c.req.query();
    const filter = readFilter(query);
    if (typeof filter === "string") return problem(c, 400, filter);
    const name = FIGURES.find((each) => each === by);
    if (!name || value === undefined || (name === "period" && !/^\d{1,15}$/.test(value)))
      return problem(c, 400, `\`by\` must be one of ${FIGURES.join(", ")}, with a \`value\`.`);
    const figure = { [name]: name === "period" ? Number(value) : value } as OverviewFigure;
    return c.json(await overviews.runsOf(filter, figure, { workMs: WORK_MS, limit: MAX_LISTED }));
  });

  app.get("/api/runs/:id/labels", async (c) => {
    const all = (await labels?.all()) ?? [];
    const canAdd = !isReadonly && (await store?.load(c.req.param("id"))) !== undefined;
    return c.json({ labels: all.filter(({ sessionId }) => sessionId === c.req.param("id")), canAdd });
  });

  app.post("/api/runs/:id/labels", async (c) => {
    if (isReadonly) return problem(c, 403, "This hub is read-only: it was started with --readonly.");
    if (!store) return problem(c, 400, "A label is stored beside its session, and this hub has no store.");
    if (Number(c.req.header("content-length") ?? Infinity) > MAX_LABEL_BYTES)
      return problem(c, 413, "This label is too large.");
    const body: unknown = await c.req.json().catch(() => undefined);
    if (!isObject(body)) return problem(c, 400, "Expected a label, such as { label, by, note }.");
    const sessionId = c.req.param("id");
    try {
      return c.json(await addLabel(store, { ...(body as unknown as NewLabel), sessionId }), 201);
    } catch (error) {
      if (!AgentError.is(error)) throw error;
      const status = { "session/not-found": 404, "session/conflict": 409, "config/invalid": 400 } as const;
      return problem(c, status[error.code as keyof typeof status] ?? 500, error.message);
    }
  });

  app.get("/api/runs/:id/test", async (c) => {
    if (!store) return problem(c, 400, "A test is made of a stored session, and this hub has no store.");
    try {
      return c.text(await testOfSession(store, c.req.param("id")));
    } catch (error) {
      if (!AgentError.is(error)) throw error;
      return problem(c, error.code === "session/not-found" ? 404 : 400, error.message);
    }
  });

  app.get("/api/reports", (c) =>
    c.json({
      reports: reports.map(({ file, kind, report }) => ({ file, kind, name: report["name"] ?? null })),
    }),
  );

  app.get("/api/reports/:number", (c) => {
    const report = reports[Number(c.req.param("number"))];
    return report ? c.json(report) : problem(c, 404, "Unknown report.");
  });
}
