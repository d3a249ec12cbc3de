import { isSame, isObject, type JsonObject } from "../core/base/json.ts";
import type { JournalEntry } from "../store/port.ts";
import type { CallChange, Fact, PositionChange, StoredStep } from "./entry.ts";

/** The record of a call that begins to run as most calls do. It is a part of the journal's format: its values never change. */
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

/** Returns a position in a short form. It has its time as the ms before that of its entry (`ago`), and its steps as `ran`: the number of
 *  the entries of a step, the ms between the step before it and itself, then its edges. For the first step the ms are those between the
 *  last step and the time of the position. A step that says more is an object. Earlier journals have `steps`, which are edges alone. */
function shortPosition({ at, steps, ...rest }: PositionChange, writtenAt: number): object {
  const isTimed = steps?.every((step) => step.at !== undefined && step.facts !== undefined) ?? false;
  return {
    ...rest,
    ...(at !== undefined && { ago: writtenAt - at }),
    ...(steps && !isTimed && { steps: steps.map((step) => (step.by === undefined ? step.x : step)) }),
    ...(steps && isTimed && { ran: shortSteps(steps, at ?? writtenAt) }),
  };
}

function shortSteps(steps: readonly StoredStep[], positionAt: number): readonly object[] {
  return steps.map(({ x, at, facts, ...more }, index) => {
    const ms = index === 0 ? positionAt - steps.at(-1)!.at! : at! - steps[index - 1]!.at!;
    const list = [...packed(facts!, ms), ...x];
    return Object.keys(more).length === 0 ? list : { ran: list, ...more };
  });
}

/** Returns the number of entries and the ms of a step as one number, which is short as mostly both are. It returns three, beginning with
 *  -1, if that cannot be. It is a part of the journal's format. */
function packed(facts: number, ms: number): readonly number[] {
  return facts < PACKED && ms >= 0 && Number.isInteger(ms) ? [ms * PACKED + facts] : [-1, facts, ms];
}

const PACKED = 10;

/** The number of entries, the ms and the edges of a step; undefined if it has none of these. */
function unpacked([first, ...rest]: readonly number[]): readonly number[] | undefined {
  if (first === undefined) return undefined;
  if (first >= 0) return [first % PACKED, Math.floor(first / PACKED), ...rest];
  return rest.length >= 2 ? rest : undefined;
}

/** The steps of `ran`; undefined if it has none. */
function longSteps(ran: unknown, positionAt: number): readonly object[] | undefined {
  if (!Array.isArray(ran)) return undefined;
  const lists: (readonly number[])[] = [];
  for (const each of ran as readonly unknown[]) {
    const list = isObject(each) ? each["ran"] : each;
    if (!Array.isArray(list) || !list.every((part) => typeof part === "number")) return undefined;
    const whole = unpacked(list);
    if (!whole) return undefined;
    lists.push(whole);
  }
  let at = lists.reduce((time, [, ms = 0]) => time - ms, positionAt);
  return lists.map(([facts, ms = 0, ...x], index) => {
    if (index > 0) at += ms;
    const { ran: _, ...more } = isObject(ran[index]) ? ran[index] : {};
    return { ...more, x, at, facts };
  });
}

function longPosition(data: JsonObject, writtenAt: number): object {
  const { ago, steps, ran, ...rest } = data;
  const at = typeof ago === "number" ? writtenAt - ago : writtenAt;
  return {
    ...rest,
    ...(ago !== undefined && { at: typeof ago === "number" ? at : ago }),
    ...(ran !== undefined && { steps: longSteps(ran, at) ?? ran }),
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
