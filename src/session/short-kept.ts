import { isObject, isSame, type JsonObject } from "../core/base/json.ts";
import { FORMAT, migrated, readPersistedContext, type PersistedContext } from "./format.ts";

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

/** Reads the stored parts of a checkpoint. Throws `session/version`, and `session/damaged` for data of another shape. */
export function readShortKept({
  kept,
  format,
}: {
  readonly kept: JsonObject;
  readonly format: number;
}): PersistedContext {
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
