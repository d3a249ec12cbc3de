import { AgentError } from "../base/error.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { Msg } from "../message/types.ts";
import type { AgentContext } from "../../machines/agent/context.ts";

/** The version of what snapshots, checkpoints and journals hold. */
export const FORMAT = 1;

/** The parts of the context that outlive the process; the rest is configuration, transcript, or of this process only. */
export const PERSISTED_KEYS = [
  "progress",
  "inbox",
  "request",
  "calls",
  "remembered",
  "wanted",
  "interruption",
] as const satisfies readonly (keyof AgentContext)[];
export type PersistedContext = Pick<AgentContext, (typeof PERSISTED_KEYS)[number]>;

/** A session as it stood at one moment, free of XState: what a restore goes on from. */
export type SessionState = {
  /** The chart's state, as "reasoning.calling". */
  readonly state: string;
  /** Epoch ms of the last event. */
  readonly at: number;
  readonly reason?: NonNullable<AgentContext["outcome"]>["reason"];
  readonly activeGroups: readonly string[];
  readonly kept: PersistedContext;
  readonly messages: readonly Msg[];
};

/** Where a session stands, as the journal needs it. */
export type JournalState = {
  readonly context: AgentContext;
  readonly state: string;
  /** Absent: nothing is said of groups. */
  readonly activeGroups?: readonly string[];
  readonly isAtRest: boolean;
  readonly chart: string;
  readonly hooks: readonly string[];
  /** What lists of sessions show; ≤ 300 bytes. */
  readonly position: JsonObject;
};

/** Where a state is entered again after a restore, by its top-level state: the entry points of the chart. */
const ENTRY_POINTS: { readonly [place: string]: AgentContext["progress"]["resumeAt"] } = {
  doCall: "doCall",
  "doCall.onError": null, // the call was refused: the session rests as it did before
  reasoning: "reasoning",
  acting: "acting",
  summarizing: "summarizing",
  suspended: null,
  stopped: null,
};

/** The entry point of a stored state. Throws `session/version` for a state this chart does not have. */
export function entryPointOf(state: string): AgentContext["progress"]["resumeAt"] {
  const place = Object.hasOwn(ENTRY_POINTS, state) ? state : state.split(".")[0]!;
  if (!Object.hasOwn(ENTRY_POINTS, place)) {
    throw new AgentError(
      "session/version",
      `The stored state '${state}' is no state of this version's chart.`,
    );
  }
  return ENTRY_POINTS[place]!;
}

/** Why a position says that nobody may go on from it; undefined if it does not. */
export function quarantineReason(position: JsonObject | undefined): string | undefined {
  if (position?.["phase"] !== "quarantined") return undefined;
  const { reason } = (position["quarantine"] ?? {}) as JsonObject;
  return typeof reason === "string" ? reason : "Its journal cannot be read.";
}

/** What turns the kept parts of one format into those of the next; there is one for every format ever released. */
export type Migrations = { readonly [format: number]: (kept: JsonObject) => JsonObject };
export const MIGRATIONS: Migrations = {};

/** The kept parts in today's format. Throws `session/version` for a format that no migration leads from. */
export function migrated(
  kept: JsonObject,
  format: Json | undefined,
  what: string,
  migrations: Migrations = MIGRATIONS,
): JsonObject {
  let [now, at] = [kept, format];
  for (; typeof at === "number" && at < FORMAT && migrations[at]; at++) now = migrations[at]!(now);
  checkFormat(at, what);
  return now;
}

/** Throws `session/version` unless the format is one this version reads. */
export function checkFormat(format: Json | undefined, what: string): void {
  if (format !== FORMAT) {
    const found = JSON.stringify(format) ?? "none";
    throw new AgentError("session/version", `${what}: format ${FORMAT} expected, found ${found}.`);
  }
}

/** What may be absent: sessions from before it was kept do not have it. */
const OPTIONAL: ReadonlySet<string> = new Set<keyof PersistedContext>(["interruption"]);

/** The kept parts of a context, out of stored data. Throws `session/damaged` if one is missing. */
export function readPersistedContext(data: JsonObject, what: string): PersistedContext {
  const missing = PERSISTED_KEYS.find((key) => data[key] === undefined && !OPTIONAL.has(key));
  if (missing) throw new AgentError("session/damaged", `${what} lacks '${missing}'.`);
  return Object.fromEntries(
    PERSISTED_KEYS.map((key) => [key, data[key] ?? null]),
  ) as unknown as PersistedContext;
}

export function persistedContext(context: AgentContext): PersistedContext {
  return Object.fromEntries(PERSISTED_KEYS.map((key) => [key, context[key]])) as unknown as PersistedContext;
}

/** A deep copy that is JSON and nothing else. */
export function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
