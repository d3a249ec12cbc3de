import { isObject } from "../base/is-object.ts";
import type { JsonObject } from "../base/json.ts";
import type { JournalEntry } from "../store/port.ts";
import { isSame } from "../base/is-same.ts";
import type { CallChange, Fact, PositionChange } from "./entry.ts";

/** What a call has that begins to run as most calls do. It is a part of the journal's format: its values never change. */
const AS_STARTED = {
  status: "running",
  attempt: 1,
  execution: { maxAttempts: 1, timeoutMs: 300_000 },
  onRestart: "ask",
} as const;

/** A call that begins to run as `started`, with only what is different from {@link AS_STARTED}. */
function shortCall(data: CallChange): object {
  const { set, ...rest } = data;
  const { since, ...fields } = set;
  const isStart = fields.status === AS_STARTED.status && fields.attempt === AS_STARTED.attempt;
  const isWhole = since !== undefined && fields.execution !== undefined && fields.onRestart !== undefined;
  if (!isStart || !isWhole) return data;
  const others = Object.entries(fields).filter(
    ([key, value]) => !isSame(value, AS_STARTED[key as keyof typeof AS_STARTED]),
  );
  return { ...rest, started: since, ...(others.length > 0 && { set: Object.fromEntries(others) }) };
}

function longCall(data: JsonObject): object {
  const { started, set = {}, ...rest } = data;
  if (started === undefined || !isObject(set)) return data;
  return { ...rest, set: { ...AS_STARTED, since: started, ...set } };
}

/** A position with its time as the ms before that of its entry (`ago`), and each step as its list of edges unless it says more. */
function shortPosition({ at, steps, ...rest }: PositionChange, writtenAt: number): object {
  return {
    ...rest,
    ...(at !== undefined && { ago: writtenAt - at }),
    ...(steps && { steps: steps.map((step) => (step.by === undefined ? step.x : step)) }),
  };
}

function longPosition(data: JsonObject, writtenAt: number): object {
  const { ago, steps, ...rest } = data;
  return {
    ...rest,
    ...(ago !== undefined && { at: typeof ago === "number" ? writtenAt - ago : ago }),
    ...(steps !== undefined && { steps: Array.isArray(steps) ? steps.map(longStep) : steps }),
  };
}

const longStep = (step: unknown): unknown => (Array.isArray(step) ? { x: step as unknown } : step);

/** Returns the data of a fact as an entry of the time `at` has it, epoch ms: without what most entries of its type say alike. */
export function shortForm({ type, data }: Fact, at: number): object {
  if (type === "call") return shortCall(data);
  return type === "position" ? shortPosition(data, at) : data;
}

/** Returns the data of an entry with all that {@link shortForm} leaves out. That of earlier formats is the same in both forms. */
export function longForm({ type, at, data }: JournalEntry): object {
  if (!isObject(data)) return data;
  if (type === "call") return longCall(data);
  return type === "position" ? longPosition(data, at) : data;
}
