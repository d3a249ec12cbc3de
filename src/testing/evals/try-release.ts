import { createAgent } from "../../agent/create-agent.ts";
import type { AgentConfig } from "../../agent/options/agent-config.ts";
import { AgentError, errorInfo } from "../../core/base/error.ts";
import type { JsonObject } from "../../core/base/json.ts";
import * as s from "../../core/base/option-schema.ts";
import { check } from "../../core/base/options.ts";
import type { AgentChange } from "../../core/tool/fingerprint.ts";
import type { PendingCall } from "../../core/tool/pending.ts";
import { openSession } from "../../session/open-session.ts";
import { memoryStore } from "../../store/memory.ts";
import type { SessionInfo, SessionPhase, SessionStore } from "../../store/port.ts";
import { storeSchema } from "../../store/store-schema.ts";
import { exportSession, importSession } from "../../store/transfer.ts";
import {
  filterSchema,
  isReplay,
  type RunningReport,
  type RunningRow,
  type TryReleaseOptions,
} from "./experiment-types.ts";
import { withinLimit } from "./run-limit.ts";
import { pagesOf } from "../../store/pages.ts";

const releaseSchema = s.lazily(() =>
  s.options<TryReleaseOptions>({
    agent: s.either(s.object(), s.func(), "the configuration of the agent, or a function that makes it"),
    sessions: s.optional(filterSchema()),
    limit: s.optional(s.integer(1)),
    runLimitMs: s.optional(s.integer(1, 2 ** 31 - 1)),
    signal: s.optional(s.having("addEventListener", "an AbortSignal")),
    onProgress: s.optional(s.func()),
  }),
);

const IN_FLIGHT: ReadonlySet<SessionPhase> = new Set(["running", "suspended", "unfinished"]);

/**
 * Opens a copy of each session in flight with another release of its agent, and reports what that changes before it is deployed. It tells sessions that it
 * cannot open, calls that wait and are gone or have lost their tool, and approvals that would be asked for again. No model is asked, no tool
 * runs, and the store is only read. Hooks of `onRest` of the agent may run.
 *
 * Rejects `config/invalid` for wrong options, and `run/aborted`.
 *
 * @example
 * ```ts
 * import type { SessionStore } from "agentchart";
 * import { tryRelease, type ReplayAgentConfig } from "agentchart/evals";
 *
 * export async function gate(store: SessionStore, next: ReplayAgentConfig): Promise<boolean> {
 *   const { counts } = await tryRelease(store, { agent: next });
 *   return counts.lost + counts["cannot-open"] === 0;
 * }
 * ```
 */
export async function tryRelease(store: SessionStore, options: TryReleaseOptions): Promise<RunningReport> {
  check(storeSchema(), store, "tryRelease", "`store`");
  check(releaseSchema(), options, "tryRelease");
  const { sessions: filter = {}, limit = Infinity, signal, onProgress } = options;
  const rows: RunningRow[] = [];
  const counts = { same: 0, changed: 0, "asks-again": 0, lost: 0, "cannot-open": 0, moved: 0 };
  for await (const { sessions } of pagesOf((from) => store.list({ ...filter, ...from }))) {
    for (const info of sessions) {
      if (!IN_FLIGHT.has(info.phase) || isReplay(info.meta) || rows.length >= limit) continue;
      if (signal?.aborted)
        throw new AgentError(
          "run/aborted",
          `The trial of the release was aborted after ${rows.length} sessions.`,
        );
      const row = await withinLimit(
        options,
        () => tried(store, info, options),
        (error): RunningRow => cannotOpen(info, error),
      );
      rows.push(row);
      counts[row.state]++;
      onProgress?.({ done: rows.length, row });
    }
    if (rows.length >= limit) break;
  }
  return { rows, counts };
}

const told = ({ name, callId }: PendingCall): string => `${name} (${callId})`;

const cannotOpen = (
  { sessionId, phase }: Pick<SessionInfo, "sessionId" | "phase">,
  thrown: unknown,
): RunningRow => ({
  sessionId,
  phase,
  calls: [],
  state: "cannot-open",
  error: errorInfo(thrown, "session/damaged"),
});

async function tried(
  store: SessionStore,
  { sessionId, phase, seq, meta }: SessionInfo,
  options: TryReleaseOptions,
): Promise<RunningRow> {
  const row = { sessionId, phase, calls: [] };
  try {
    const copies = memoryStore();
    await importSession(copies, exportSession(store, sessionId, { secrets: true }));
    const before = (await (await openSession(copies, sessionId)).at()).pending;
    if ((await store.load(sessionId))?.seq !== seq) return { ...row, state: "moved" };
    const { agent: change, after, names } = await opened(copies, { sessionId, meta }, options);
    const gone = before.filter(
      ({ callId, name, path }) =>
        !after.some((call) => call.callId === callId && call.argsHash !== undefined) ||
        (path === undefined && !names.has(name)),
    );
    const again = before.filter(
      ({ callId, decided }) =>
        decided !== undefined && after.some((call) => call.callId === callId && call.decided === undefined),
    );
    const changed = before.filter(
      ({ name, waitsFor }) => waitsFor === "approval" && change?.changed.includes(name),
    );
    const state =
      gone.length > 0
        ? "lost"
        : again.length + changed.length > 0
          ? "asks-again"
          : change
            ? "changed"
            : "same";
    const calls = [...new Set([...gone, ...again, ...changed].map(told))];
    return { ...row, state, calls, ...(change && { agent: change }) };
  } catch (thrown) {
    return cannotOpen({ sessionId, phase }, thrown);
  }
}

/** The session as the release finds it. */
async function opened(
  store: SessionStore,
  session: { readonly sessionId: string; readonly meta: JsonObject },
  { agent: given }: TryReleaseOptions,
): Promise<{
  readonly agent: AgentChange | undefined;
  readonly after: readonly PendingCall[];
  readonly names: ReadonlySet<string>;
}> {
  const config = typeof given === "function" ? await given(session) : given;
  const { inspect: _, otel: __, ...rest } = config as unknown as AgentConfig;
  const { sessionId } = session;
  const agent = createAgent({ ...rest, store, sessionId });
  const changes: AgentChange[] = [];
  agent.subscribe(
    (event) => {
      if (event.type === "agent.changed") changes.push(event.change);
    },
    { types: ["agent.changed"] },
  );
  try {
    await agent.open();
    const names = new Set(agent.toolkit.names());
    return { agent: changes.at(-1), after: agent.status().pending, names };
  } finally {
    await agent.close();
  }
}
