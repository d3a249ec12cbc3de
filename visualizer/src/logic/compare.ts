import { isObject } from "../../../src/core/base/json.ts";
import type { Json, JsonObject, Msg } from "../wire/types.ts";
import { isBlob } from "./json-rows.ts";
import { isMessage } from "./message-shape.ts";
import { t } from "../words/t.ts";

/** Something that is compared: a setting of the newest request, a message, or a result. */
export type Moment = {
  /** The shape of the moment; moments of one shape may stand beside each other. */
  readonly shape: string;
  /** The text of the moment, without ids and times. */
  readonly text: string;
  readonly title: string;
};

/** A row of the comparison: a moment of each run, or nothing. */
export type CompareRow = {
  readonly title: string;
  readonly cells: readonly (Moment | undefined)[];
  /** All runs have it, and it says the same. */
  readonly isSame: boolean;
  /** In how many runs it says the same, at most: 3 of 3. */
  readonly agree: number;
};

/** Returns what a run consists of: its settings, and its conversation. */
export function momentsOf(context: JsonObject | undefined): readonly Moment[] {
  const messages = Array.isArray(context?.["messages"]) ? context["messages"].filter(isMessage) : [];
  return [...settingsOf(context), ...messages.flatMap(momentsIn)];
}

const SYSTEM = t("system prompt");

/** Returns the number of runs that have not asked their model, if therefore no effect can be seen yet; else 0. The settings of a run are those of its newest request. */
export function unasked(
  runs: readonly (readonly Moment[])[],
  { rows, effect }: Pick<ReturnType<typeof alignRuns>, "rows" | "effect">,
): number {
  const silent = runs.filter((moments) => !moments.some(({ shape }) => shape === SYSTEM)).length;
  const said = new Set(rows[effect]?.cells.flatMap((cell) => cell?.text ?? []));
  return silent < runs.length && said.size < 2 ? silent : 0;
}

function settingsOf(context: JsonObject | undefined): readonly Moment[] {
  const call = context?.["modelCall"];
  if (!isObject(call)) return [];
  const { model, system, tools, options } = call;
  const names = Array.isArray(tools) ? tools.map((tool) => (isObject(tool) ? String(tool["name"]) : "")) : [];
  const setting = (title: string, text: string): Moment => ({ shape: title, title, text });
  return [
    setting(SYSTEM, textIn(system)),
    setting(t("model"), textIn(model)),
    setting(t("options"), JSON.stringify(options ?? {})),
    setting(t("tools"), names.join(", ")),
  ];
}

function textIn(value: Json | undefined): string {
  return isBlob(value) ? `${value.head}… (${value.$blob.slice(0, 8)})` : String(value ?? "");
}

function momentsIn({ role, content }: Msg): readonly Moment[] {
  const said = content.flatMap((block) => (block.type === "text" ? [textIn(block.text)] : []));
  const calls = content.flatMap((block) =>
    block.type === "tool_use" ? [`${block.name} ${JSON.stringify(block.input)}`] : [],
  );
  const names = content.flatMap((block) => (block.type === "tool_use" ? [block.name] : []));
  const results = content.flatMap((block): Moment[] => {
    if (block.type !== "tool_result") return [];
    const output = block.output.map((part) => (part.type === "text" ? textIn(part.text) : part.type));
    const state = block.state === "success" ? [] : [`${block.state}:`];
    const title = t`result of ${block.name}`;
    return [{ shape: title, title, text: [...state, ...output].join(" ") }];
  });
  if (results.length > 0) return results;
  const title = names.length > 0 ? `${CALLS}${names.join(", ")}` : role === "assistant" ? ANSWER : t(role);
  return [{ shape: title, title, text: [...said, ...calls].join("\n") }];
}

/** Longer runs are compared place by place. */
const MAX_CELLS = 4_000_000;

/** Puts moments that correspond beside each other: those that say the same, then those of one shape. */
export function alignRuns(runs: readonly (readonly Moment[])[]): {
  readonly rows: readonly CompareRow[];
  /** The index of the first row in which the runs differ; -1 if there is none. */
  readonly divergence: number;
  /** The index of the first row in which the model said or did something else; -1 if there is none. What differs before it, such as the
   *  prompt or a result, may be its cause. */
  readonly effect: number;
} {
  const [base = [], ...others] = runs;
  const places = others.map((other) => matchesOf(base, other));
  const rows: CompareRow[] = [];
  const next = others.map(() => 0);
  for (let at = 0; at <= base.length; at++) {
    const ends = others.map((other, index) => (at < base.length ? places[index]![at]! : other.length));
    const inserted = ends.map((end, index) => (end < 0 ? 0 : end - next[index]!));
    for (let more = 0; more < Math.max(0, ...inserted); more++) {
      const cells = others.map((other, index) =>
        more < inserted[index]! ? other[next[index]! + more] : undefined,
      );
      rows.push(rowOf([undefined, ...cells]));
    }
    if (at === base.length) break;
    rows.push(rowOf([base[at], ...others.map((other, index) => other[ends[index]!])]));
    for (const [index, end] of ends.entries()) if (end >= 0) next[index] = end + 1;
  }
  return {
    rows,
    divergence: rows.findIndex(({ isSame }) => !isSame),
    effect: rows.findIndex(({ isSame, title }) => !isSame && isOfModel(title)),
  };
}

/** True for what the model has said or asked for. */
const isOfModel = (title: string): boolean => title === ANSWER || title.startsWith(CALLS);

const ANSWER = t("answer");
const CALLS = t("calls ");

function rowOf(cells: readonly (Moment | undefined)[]): CompareRow {
  const [first] = cells;
  const isSame = first !== undefined && cells.every((cell) => cell?.text === first.text);
  const groups = Map.groupBy(
    cells.filter((cell) => cell !== undefined),
    ({ text }) => text,
  );
  const agree = Math.max(0, ...[...groups.values()].map(({ length }) => length));
  return { title: cells.find((cell) => cell)?.title ?? "", cells, isSame, agree };
}

/** For each moment of `base` the index of that of `other` which corresponds to it; -1 for none. The indexes rise. */
function matchesOf(base: readonly Moment[], other: readonly Moment[]): readonly number[] {
  if (base.length * other.length > MAX_CELLS) return base.map((_, at) => (at < other.length ? at : -1));
  const width = other.length + 1;
  const best = new Float64Array((base.length + 1) * width);
  const worth = (at: number, to: number): number => {
    if (base[at]!.shape !== other[to]!.shape) return 0;
    return base[at]!.text === other[to]!.text ? 3 : 1;
  };
  for (let at = base.length - 1; at >= 0; at--)
    for (let to = other.length - 1; to >= 0; to--) {
      const skipped = Math.max(best[(at + 1) * width + to]!, best[at * width + to + 1]!);
      const own = worth(at, to);
      best[at * width + to] = own > 0 ? Math.max(skipped, own + best[(at + 1) * width + to + 1]!) : skipped;
    }
  const places = base.map(() => -1);
  let [at, to] = [0, 0];
  while (at < base.length && to < other.length) {
    const value = best[at * width + to]!;
    const own = worth(at, to);
    if (own > 0 && value === own + best[(at + 1) * width + to + 1]!) places[at++] = to++;
    else if (value === best[(at + 1) * width + to]!) at++;
    else to++;
  }
  return places;
}

/** The text of the last answer; undefined if there is none. */
export function answerOf(moments: readonly Moment[]): string | undefined {
  return moments.findLast(({ title }) => title === ANSWER)?.text;
}
