import type { Chart } from "../../diagram/chart-json.ts";
import type { Layouts } from "../../diagram/layout.ts";
import { isObject } from "../../base/is-object.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import type { RunRow, Step } from "./protocol.ts";

/** Values nested deeper than any that is recorded. */
const DEEPEST = 200;
const DEEPEST_CHART = 60;
const LONGEST_NAME = 200;
const LONGEST_NOTICE = 2_000;

/** A line of a file as an object; throws for what is none, or nested so deep that it could not be shown. */
export function recordOf(line: string): JsonObject {
  const record: unknown = JSON.parse(line);
  if (!isObject(record)) throw new Error("a line must be a JSON object");
  if (!isWithin(record, DEEPEST)) throw new Error(`it is nested deeper than ${DEEPEST} levels`);
  return record;
}

function isWithin(value: Json, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((member: Json) => isWithin(member, depth - 1));
}

/** The row of a header: what is in it and fits, nothing else. Throws if it does not say which run it is. */
export function rowOf(given: unknown): RunRow {
  const row = isObject(given) ? given : {};
  const { runId, agent, chart, reason, forkOf, notice, usage } = row;
  if (typeof runId !== "string" || typeof agent !== "string" || typeof chart !== "string")
    throw new Error("This is no exported run: its `row` lacks `runId`, `agent` or `chart`.");
  const figures = isObject(usage)
    ? Object.entries(usage).filter(([, value]) => isNumber(value) || value === true)
    : [];
  return {
    runId: cut(runId, LONGEST_NAME),
    agent: cut(agent, LONGEST_NAME),
    chart,
    source: "file",
    phase: textIn(row, "phase") as RunRow["phase"],
    waitsFor: [],
    ...(typeof reason === "string" && { reason: reason as NonNullable<RunRow["reason"]> }),
    state: textIn(row, "state"),
    startedAt: numberIn(row, "startedAt"),
    updatedAt: numberIn(row, "updatedAt"),
    steps: numberIn(row, "steps"),
    usage: Object.fromEntries(figures),
    pending: 0,
    ...(isObject(forkOf) && { forkOf: { runId: textIn(forkOf, "runId"), seq: numberIn(forkOf, "seq") } }),
    can: [],
    ...(typeof notice === "string" && { notice: cut(notice, LONGEST_NOTICE) }),
  };
}

/** A step that follows step `before`; throws for what cannot be one. */
export function stepOf(record: JsonObject, before: number | undefined): Step {
  const { q, s, m, t, e, x, k, p, j } = record;
  if (!isCount(q) || q === 0) throw new Error("`q` must be the number of a step");
  if (before !== undefined && q !== before + 1) throw new Error(`step ${q} follows step ${before}`);
  const isWhole =
    isCount(s) &&
    isNumber(m) &&
    isNumber(t) &&
    typeof e === "string" &&
    isTexts(x) &&
    (k === undefined || isTexts(k)) &&
    (p === undefined || (Array.isArray(p) && p.every(isPatchOp))) &&
    (j === undefined || isNumber(j));
  if (!isWhole) throw new Error(`step ${q} is incomplete`);
  return record as unknown as Step;
}

/** The states of a `state` line. */
export function statesOf(state: Json): readonly string[] {
  if (!isTexts(state)) throw new Error("`state` must be a list of names");
  return state;
}

type FileChart = { readonly hash: string; readonly chart: Chart; readonly layouts: Layouts | null };

/** Without a layout it is an outline; without any state it is none. */
export function chartOf({ chart, layouts, hash }: JsonObject, known: string): FileChart | undefined {
  const { nodes, edges } = chart as JsonObject;
  if (!Array.isArray(nodes) || !Array.isArray(edges)) throw new Error("a chart has `nodes` and `edges`");
  if (nodes.length === 0) return undefined;
  checkNodes(nodes);
  if (!edges.every(isEdge)) throw new Error("a transition of the chart is incomplete");
  return {
    hash: typeof hash === "string" ? hash : known,
    chart: chart as unknown as Chart,
    layouts: (layouts ?? null) as Layouts | null,
  };
}

/** Every state has a name of its own and comes after the one it lies in: so no way up or down is without end. */
function checkNodes(nodes: readonly Json[]): void {
  const depths = new Map<Json, number>();
  const parents = new Map<Json, Json>();
  for (const node of nodes) {
    if (!isNode(node)) throw new Error("a state of the chart is incomplete");
    const { id, parent } = node;
    const depth = parent === undefined ? 0 : (depths.get(parent) ?? DEEPEST_CHART) + 1;
    if (depths.has(id!) || depth > DEEPEST_CHART || (depth === 0 && depths.size > 0))
      throw new Error("a state of the chart stands where it cannot");
    depths.set(id!, depth);
    if (parent !== undefined) parents.set(id!, parent);
  }
  for (const { id, initial } of nodes as readonly JsonObject[])
    if (initial !== undefined && parents.get(initial) !== id)
      throw new Error("a state of the chart begins outside of itself");
}

function isNode(node: Json): node is JsonObject {
  if (!isObject(node)) return false;
  const { id, key, parent, description, tags, entry, exit, invoke } = node;
  return (
    [id, key].every(isText) &&
    [parent, description].every((text) => text === undefined || isText(text)) &&
    isTexts(tags) &&
    isTexts(invoke) &&
    isNames(entry) &&
    isNames(exit)
  );
}

function isEdge(edge: Json): boolean {
  if (!isObject(edge)) return false;
  const { id, source, targets, kind, event, guard, actions } = edge;
  return (
    [id, source, kind, event].every(isText) &&
    isTexts(targets) &&
    isNames(actions) &&
    (guard === undefined || isName(guard))
  );
}

function isPatchOp(op: Json): boolean {
  if (!Array.isArray(op)) return false;
  const [kind, path, value] = op as readonly Json[];
  if (!Array.isArray(path) || path.length > DEEPEST) return false;
  if (!path.every((key) => isText(key) || isCount(key))) return false;
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
      return kind === "s" && isText(value);
  }
}

const isText = (value: unknown): value is string => typeof value === "string";
const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText);
const isNumber = (value: unknown): value is number => Number.isFinite(value);
/** A whole number that can be counted on from. */
export const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < Number.MAX_SAFE_INTEGER;
const isName = (value: unknown): boolean =>
  isObject(value) && isText(value["name"]) && (value["params"] === undefined || isObject(value["params"]));
const isNames = (value: unknown): boolean => Array.isArray(value) && value.every(isName);

const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;
const textIn = (object: JsonObject, key: string): string => {
  const value = object[key];
  return isText(value) ? cut(value, LONGEST_NAME) : "";
};
const numberIn = (object: JsonObject, key: string): number => {
  const value = object[key];
  return isNumber(value) ? value : 0;
};
