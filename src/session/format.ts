import { AgentError } from "../core/base/error.ts";
import { hashInput } from "../core/base/hash.ts";
import { type Json, type JsonObject, isObject, isSame, wellFormed } from "../core/base/json.ts";
import type { Msg, Reason } from "../core/message/types.ts";
import { keptProblem } from "./entry-shapes.ts";
import type { AgentContext } from "../../machines/agent/context.ts";
import { textOf } from "../core/message/msg.ts";

/** The version of the format of snapshots and checkpoints. */
export const FORMAT = 1;

/** The version of the format of journals.
 *
 *  2: an entry leaves out what the entries before it say. 3: entries have short forms. 4: a database may have several entries
 *  in a row. */
export const JOURNAL_FORMAT = 4;

/** The parts of the context that are stored; the rest is configuration, the transcript, or belongs to this process only. */
export const PERSISTED_KEYS = [
  "progress",
  "inbox",
  "request",
  "calls",
  "remembered",
  "wanted",
  "slots",
  "interruption",
  "view",
] as const satisfies readonly (keyof AgentContext)[];
/** The stored parts of the context. */
export type PersistedContext = Pick<AgentContext, (typeof PERSISTED_KEYS)[number]>;

/** A session at one journal position, without XState: what a restore starts from. */
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

/** The state of a session that an append writes. */
export type JournalState = {
  readonly context: AgentContext;
  readonly state: string;
  /** Absent: nothing is written about tool groups. */
  readonly activeGroups?: readonly string[];
  /** An append at rest writes a checkpoint. */
  readonly isAtRest: boolean;
  /** The hash of the chart. */
  readonly chart: string;
  /** The number of each edge of the chart, by id; absent where no steps are written. */
  readonly edges?: ReadonlyMap<string, number>;
  /** The names of the session's hooks. */
  readonly hooks: readonly string[];
  /** {@link Batch.position}. */
  readonly position: JsonObject;
};

/** The entry point at which the chart resumes a stored state, by that state or its top-level state. */
const ENTRY_POINTS: { readonly [place: string]: AgentContext["progress"]["resumeAt"] } = {
  doCall: "doCall",
  "doCall.onError": "ending", // the call was refused
  reasoning: "reasoning",
  acting: "acting",
  summarizing: "summarizing",
  suspended: null,
  "suspended.postCall": "ending",
  stopped: null,
  "stopped.postCall": "ending",
  "stopped.onInterrupt": "ending",
  "stopped.onError": "ending",
};

/** Returns the entry point of a stored state. Throws `session/version` for a state that this chart does not have. */
export function entryPointOf(state: string): AgentContext["progress"]["resumeAt"] {
  const place = Object.hasOwn(ENTRY_POINTS, state) ? state : state.split(".")[0]!;
  if (!Object.hasOwn(ENTRY_POINTS, place)) {
    throw new AgentError(
      "session/version",
      `Unknown stored state '${state}': the chart of this release does not have it.`,
    );
  }
  return ENTRY_POINTS[place]!;
}

/** Returns why a session with this position is quarantined; undefined if it is not. */
export function quarantineReason(position: JsonObject | undefined): string | undefined {
  if (position?.["phase"] !== "quarantined") return undefined;
  const { reason } = (position["quarantine"] ?? {}) as JsonObject;
  return typeof reason === "string" ? reason : "Its journal cannot be read.";
}

/** For every format ever released, the function that turns its stored parts into those of the next format. */
export type Migrations = { readonly [format: number]: (kept: JsonObject) => JsonObject };
/** The migrations of this release. */
export const MIGRATIONS: Migrations = {};

/** Returns the stored parts in the current format. Throws `session/version` for a format without a migration. */
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

/** Throws `session/version` unless `format` is the current format. */
export function checkFormat(format: Json | undefined, what: string): void {
  if (format !== FORMAT) {
    const found = JSON.stringify(format) ?? "none";
    throw new AgentError("session/version", `${what}: format ${FORMAT} expected, found ${found}.`);
  }
}

/** Returns the format of a journal, 1 or more. Throws `session/version` for one that this release cannot read. */
export function checkedJournalFormat(format: Json | undefined): number {
  if (typeof format === "number" && format >= 1 && format <= JOURNAL_FORMAT) return format;
  const found = JSON.stringify(format) ?? "none";
  throw new AgentError(
    "session/version",
    `The journal: format ${JOURNAL_FORMAT} or less expected, found ${found}.`,
  );
}

/** The parts that sessions of earlier releases lack. */
const LATER_PARTS = { interruption: null, slots: {} };

/** Reads the persisted context out of stored data. Throws `session/damaged` for data of another shape. */
export function readPersistedContext(data: JsonObject, what: string): PersistedContext {
  const problem = keptProblem(data);
  if (problem !== undefined) throw new AgentError("session/damaged", `${what}: ${problem}.`);
  const stored = { ...LATER_PARTS, ...data } as unknown as PersistedContext;
  return Object.fromEntries(PERSISTED_KEYS.map((key) => [key, stored[key]])) as unknown as PersistedContext;
}

/** Returns the parts of a context that are stored. */
export function persistedContext(context: AgentContext): PersistedContext {
  return Object.fromEntries(PERSISTED_KEYS.map((key) => [key, context[key]])) as unknown as PersistedContext;
}

/** The format of the stored parts of a checkpoint. 2: it leaves out what {@link AS_RESTED} says; 1: that of snapshots. */
export const SHORT_FORMAT = 2;

/** The parts of a session as most have them that rest. It is a part of the format: its values never change. */
const AS_RESTED = {
  inbox: { input: [], steering: [], queued: [] },
  calls: [],
  remembered: [],
  wanted: null,
  slots: {},
  interruption: null,
  view: null,
  progress: {
    gotos: 0,
    emptyRetries: 0,
    exempt: false,
    continues: false,
    batchAt: -1,
    extended: {},
    exceeded: null,
    draining: false,
    resumeAt: null,
    stopping: false,
  },
  request: {
    edits: [],
    attempt: 0,
    usesFallback: false,
    deadlineAt: null,
    notBeforeAt: null,
    graceAt: null,
    timedOut: false,
  },
} as const;

function without(all: object, known: { readonly [key: string]: unknown }): JsonObject {
  return Object.fromEntries(Object.entries(all).filter(([key, value]) => !isSame(value, known[key])));
}

/** Returns the stored parts of a session with only what is different from {@link AS_RESTED}. */
export function shortKept({ progress, request, ...parts }: PersistedContext): JsonObject {
  return {
    ...without(parts, AS_RESTED),
    progress: without(progress, AS_RESTED.progress),
    request: without(request, AS_RESTED.request),
  };
}

type StoredKept = { readonly kept: JsonObject; readonly format: number };

/** Reads the stored parts of a checkpoint. Throws `session/version`, and `session/damaged` for data of another shape. */
export function readShortKept({ kept, format }: StoredKept): PersistedContext {
  const what = "The checkpoint";
  const isShort = format === SHORT_FORMAT;
  const { progress, request } = (isObject(kept) ? kept : {}) as { readonly [part: string]: JsonObject };
  const long = {
    ...AS_RESTED,
    ...kept,
    progress: { ...AS_RESTED.progress, ...progress },
    request: { ...AS_RESTED.request, ...request },
  };
  return readPersistedContext(migrated(isShort ? long : kept, isShort ? FORMAT : format, what), what);
}

/** Returns a deep copy that consists of JSON values only. */
export function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

const MAX_ERROR_CHARACTERS = 500;
const MAX_TITLE_CHARACTERS = 80;

/** The data about the turns of a session that lists of sessions show. */
export type TurnsSummary = {
  /** The first words of the first user message, at most 80 characters. */
  readonly title?: string;
  /** The reason for which the newest turn failed; absent if it did not fail. The message is at most 500 characters. */
  readonly error?: { readonly code: string; readonly message: string };
};

type Turns = {
  readonly reason?: Reason | undefined;
  readonly error?: unknown;
  readonly messages: { at(index: number): Msg | undefined };
};

/** Returns what lists show of the turns of a session. */
export function aboutTurns({ reason, error, messages }: Turns): TurnsSummary {
  // the first message may be a system message
  const first = [messages.at(0), messages.at(1)].find((message) => message?.role === "user");
  const title = first && cut(textOf(first).replaceAll(/\s+/g, " ").trim(), MAX_TITLE_CHARACTERS);
  const failure = reason === "ERROR" && isObject(error) ? error : undefined;
  return {
    ...(title && { title }),
    ...(failure && {
      error: {
        code: String(failure["code"]),
        message: cut(String(failure["message"]), MAX_ERROR_CHARACTERS),
      },
    }),
  };
}

const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;

/** Returns a hash of what messages say, without their ids and times, and without halves of characters. */
export function inputHash(messages: readonly Msg[]): string {
  const said = wellFormed(messages).map(({ role, name, content }) => ({ role, name, content }));
  return hashInput({ said } as unknown as JsonObject);
}
