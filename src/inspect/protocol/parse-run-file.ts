import type { Chart } from "../../core/diagram/chart-json.ts";
import type { Layouts } from "../../core/diagram/layout.ts";
import { isObject, type Json, type JsonObject } from "../../core/base/json.ts";
import { CALL_WAITS_FOR, type WaitsFor } from "../../core/tool/pending.ts";
import { isActorInfo, isActorStep } from "./actor-info.ts";
import type { RunRow, Step } from "./protocol.ts";
import { forkOf as forkIn } from "./run-relations.ts";

/** The maximum depth of a value; recorded values are less deep. */
const MAX_DEPTH = 200;
const MAX_CHART_DEPTH = 60;
const MAX_NAME_LENGTH = 200;
const MAX_NOTICE_LENGTH = 2_000;
const MAX_ERROR_LENGTH = 500;

/** Parses a line of a run file; throws if it is not a JSON object or nested too deeply to be displayed. */
export function parseRecord(line: string): JsonObject {
  const record: unknown = JSON.parse(line);
  if (!isObject(record)) throw new Error("a line must be a JSON object");
  if (!isWithin(record, MAX_DEPTH)) throw new Error(`it is nested deeper than ${MAX_DEPTH} levels`);
  return record;
}

/** True if a value is nested at most `depth` levels deep. */
export function isWithin(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((member) => isWithin(member, depth - 1));
}

/**
 * Reads the row of a header: its known fields, cut to a safe length. Throws without `runId`, `agent` or
 * `chart`.
 */
export function parseRow(value: unknown): RunRow {
  const row = isObject(value) ? value : {};
  const { runId, agent, chart, waitsFor, reason, error, title, forkOf, startedBy, parent, notice, usage } =
    row;
  if (typeof runId !== "string" || typeof agent !== "string" || typeof chart !== "string")
    throw new Error("This is not an exported run: its `row` lacks `runId`, `agent` or `chart`.");
  const counts = isObject(usage)
    ? Object.entries(usage).filter(([, value]) => isNumber(value) || value === true)
    : [];
  return {
    runId: cut(runId, MAX_NAME_LENGTH),
    agent: cut(agent, MAX_NAME_LENGTH),
    chart,
    source: "file",
    phase: stringAt(row, "phase") as RunRow["phase"],
    waitsFor: Array.isArray(waitsFor) ? waitsFor.filter(isWaitsFor) : [],
    ...(typeof reason === "string" && { reason: reason as NonNullable<RunRow["reason"]> }),
    ...(isObject(error) && {
      error: { code: stringAt(error, "code"), message: stringAt(error, "message", MAX_ERROR_LENGTH) },
    }),
    ...(typeof title === "string" && { title: cut(title, MAX_NAME_LENGTH) }),
    state: stringAt(row, "state"),
    startedAt: numberAt(row, "startedAt"),
    updatedAt: numberAt(row, "updatedAt"),
    steps: numberAt(row, "steps"),
    usage: Object.fromEntries(counts),
    pending: 0,
    ...(isObject(startedBy) && {
      startedBy: { schedule: stringAt(startedBy, "schedule"), tick: stringAt(startedBy, "tick") },
    }),
    ...(isObject(forkOf) && { forkOf: forkIn(forkOf) }),
    ...(isObject(parent) && {
      parent: { runId: stringAt(parent, "runId"), callId: stringAt(parent, "callId") },
    }),
    can: [],
    ...(isActorInfo(row["actor"]) && { actor: row["actor"] }),
    ...(typeof notice === "string" && { notice: cut(notice, MAX_NOTICE_LENGTH) }),
  };
}

/** Validates a step that follows step `before`; throws if it is not one. */
export function parseStep(record: JsonObject, before: number | undefined): Step {
  const { q, s, m, t, e, x, k, p, j, d, a } = record;
  if (!isCount(q) || q === 0) throw new Error("`q` must be the number of a step");
  if (before !== undefined && q !== before + 1) throw new Error(`step ${q} follows step ${before}`);
  const isComplete =
    isCount(s) &&
    isNumber(m) &&
    isNumber(t) &&
    typeof e === "string" &&
    isStrings(x) &&
    (k === undefined || isStrings(k)) &&
    (p === undefined || (Array.isArray(p) && p.every(isPatchOp))) &&
    (j === undefined || isNumber(j)) &&
    (a === undefined || isActorStep(a)) &&
    (d === undefined || isAccount(d));
  if (!isComplete) throw new Error(`step ${q} is incomplete`);
  return record as unknown as Step;
}

/** True for an account whose parts have the shapes that are read. */
function isAccount(account: Json): boolean {
  if (!isObject(account)) return false;
  const { refused, error, result, draft, denied, hooks, decision, end, takeOver } = account;
  return (
    (takeOver === undefined || (hasText(takeOver, "from") && hasText(takeOver, "by"))) &&
    [refused, error].every((each) => each === undefined || hasText(each, "message")) &&
    (result === undefined || (hasText(result, "text") && hasText(result, "state"))) &&
    (draft === undefined || (hasText(draft, "text") && isStrings((draft as JsonObject)["calls"]))) &&
    (denied === undefined || (Array.isArray(denied) && denied.every((each) => hasText(each, "text")))) &&
    (hooks === undefined || (Array.isArray(hooks) && hooks.every(isObject))) &&
    (decision === undefined || hasText(decision, "kind")) &&
    (end === undefined || hasText(end, "reason"))
  );
}

const hasText = (value: Json, key: string): boolean => isObject(value) && isString(value[key]);

/** Validates the states of a `state` line. */
export function parseStates(state: Json): readonly string[] {
  if (!isStrings(state)) throw new Error("`state` must be an array of state ids");
  return state;
}

type FileChart = { readonly hash: string; readonly chart: Chart; readonly layouts: Layouts | null };

/**
 * Validates the chart of a file. A chart without layouts is displayed as an outline; undefined for a chart
 * without states.
 */
export function parseChart({ chart, layouts, hash }: JsonObject, hashOfRow: string): FileChart | undefined {
  const { nodes, edges } = chart as JsonObject;
  if (!Array.isArray(nodes) || !Array.isArray(edges)) throw new Error("a chart has `nodes` and `edges`");
  if (nodes.length === 0) return undefined;
  checkNodes(nodes);
  if (!edges.every(isEdge)) throw new Error("a transition of the chart is incomplete");
  return {
    hash: typeof hash === "string" ? hash : hashOfRow,
    chart: chart as unknown as Chart,
    layouts: (layouts ?? null) as Layouts | null,
  };
}

/** Checks that ids are unique and that every state comes after its parent, so that the tree has no cycles. */
function checkNodes(nodes: readonly Json[]): void {
  const depths = new Map<Json, number>();
  const parents = new Map<Json, Json>();
  for (const node of nodes) {
    if (!isNode(node)) throw new Error("a state of the chart is incomplete");
    const { id, parent } = node;
    const depth = parent === undefined ? 0 : (depths.get(parent) ?? MAX_CHART_DEPTH) + 1;
    if (depths.has(id!) || depth > MAX_CHART_DEPTH || (depth === 0 && depths.size > 0))
      throw new Error("a state of the chart is in the wrong place");
    depths.set(id!, depth);
    if (parent !== undefined) parents.set(id!, parent);
  }
  for (const { id, initial } of nodes as readonly JsonObject[])
    if (initial !== undefined && parents.get(initial) !== id)
      throw new Error("a state of the chart has an initial state outside of itself");
}

function isNode(node: Json): node is JsonObject {
  if (!isObject(node)) return false;
  const { id, key, parent, description, tags, entry, exit, invoke } = node;
  return (
    [id, key].every(isString) &&
    [parent, description].every((text) => text === undefined || isString(text)) &&
    isStrings(tags) &&
    isStrings(invoke) &&
    isNames(entry) &&
    isNames(exit)
  );
}

function isEdge(edge: Json): boolean {
  if (!isObject(edge)) return false;
  const { id, source, targets, kind, event, guard, actions } = edge;
  return (
    [id, source, kind, event].every(isString) &&
    isStrings(targets) &&
    isNames(actions) &&
    (guard === undefined || isName(guard))
  );
}

function isPatchOp(op: Json): boolean {
  if (!Array.isArray(op)) return false;
  const [kind, path, value] = op as readonly Json[];
  if (!Array.isArray(path) || path.length > MAX_DEPTH) return false;
  if (!path.every((key) => isString(key) || isCount(key))) return false;
  switch (kind) {
    case "=":
      return path.length === 0 ? isObject(value) : value !== undefined;
    case "d":
      return path.length > 0;
    case "+":
      return Array.isArray(value);
    case "-":
      return isCount(value);
    default:
      return kind === "s" && isString(value);
  }
}

const isWaitsFor = (value: unknown): value is WaitsFor =>
  value === "budget" || value === "breakpoint" || CALL_WAITS_FOR.some((each) => each === value);
const isString = (value: unknown): value is string => typeof value === "string";
const isStrings = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(isString);
const isNumber = (value: unknown): value is number => Number.isFinite(value);
/** True for a non-negative integer that can be incremented. */
export const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < Number.MAX_SAFE_INTEGER;
const isName = (value: unknown): boolean =>
  isObject(value) && isString(value["name"]) && (value["params"] === undefined || isObject(value["params"]));
const isNames = (value: unknown): boolean => Array.isArray(value) && value.every(isName);

const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;
const stringAt = (object: JsonObject, key: string, length = MAX_NAME_LENGTH): string => {
  const value = object[key];
  return isString(value) ? cut(value, length) : "";
};
const numberAt = (object: JsonObject, key: string): number => {
  const value = object[key];
  return isNumber(value) ? value : 0;
};
