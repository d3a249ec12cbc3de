import * as s from "../../core/base/option-schema.ts";
import { check } from "../../core/base/options.ts";
import type { SessionStore } from "../../store/port.ts";
import { storeSchema } from "../../store/store-schema.ts";
import { LabelReader } from "../labels/labels.ts";
import { OUTCOME_NAMES, type OutcomeName } from "../protocol/outcomes.ts";
import type { Overview } from "../protocol/overview.ts";
import type { SuspicionCheck } from "../suspicions/suspicion.ts";
import { suspicionSchema } from "../suspicions/suspicion-schema.ts";
import { LiveRuns } from "./live-runs.ts";
import { Overviews } from "./overviews.ts";
import { RunSuspicions } from "./run-suspicions.ts";
import { Runs } from "./runs.ts";
import { StoreRuns } from "./store-runs.ts";

/** Options of {@link overviewOf}: a session counts if all conditions hold. Default: all sessions. */
export type OverviewOptions = {
  /** Words in any order, each of which begins a word of the session. */
  readonly q?: string | undefined;
  readonly agent?: string | undefined;
  readonly outcome?: OutcomeName | undefined;
  /** The model has asked for this tool. */
  readonly tool?: string | undefined;
  /** A check of this name has found something; "any": one of all checks has. */
  readonly suspicion?: string | undefined;
  /** The newest label that people gave the session, such as "wrong". */
  readonly label?: string | undefined;
  /** Epoch ms: the session has changed at this time or later. */
  readonly since?: number | undefined;
  /** The known cost is at least this. */
  readonly minCost?: number | undefined;
  /** The checks beside the built-in checks. One with the name of a built-in check replaces it. */
  readonly suspicions?: readonly SuspicionCheck[] | undefined;
};

const overviewSchema = s.lazily(() =>
  s.options<OverviewOptions>({
    q: s.optional(s.string()),
    agent: s.optional(s.string()),
    outcome: s.optional(s.oneOf(...OUTCOME_NAMES)),
    tool: s.optional(s.string()),
    suspicion: s.optional(s.string()),
    label: s.optional(s.string()),
    since: s.optional(s.atLeast(0)),
    minCost: s.optional(s.atLeast(0)),
    suspicions: s.optional(s.listOf(suspicionSchema())),
  }),
);

/** See `overviewOf` of `agentchart/inspect`. */
export async function overviewOf(store: SessionStore, options: OverviewOptions = {}): Promise<Overview> {
  check(storeSchema(), store, "overviewOf", "`store`");
  check(overviewSchema(), options, "overviewOf");
  const { suspicions: own = [], ...given } = options;
  const filter = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const suspicions = new RunSuspicions(own);
  const stored = new StoreRuns(store);
  const reader = new LabelReader(store);
  const runs = new Runs(new LiveRuns(() => {}), new Map(), { stored, suspicions, labels: reader });
  const labels = await reader.newest();
  const overviews = new Overviews(runs, suspicions, async () => (id) => labels.get(id)?.label);
  let overview = await overviews.overview(filter, Infinity);
  while (overview.left > 0) overview = await overviews.overview(filter, Infinity);
  return overview;
}
