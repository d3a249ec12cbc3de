import { vocabulary } from "../../../machines/agent/vocabulary.ts";
import { isObject } from "../../../src/core/base/json.ts";
import { Transcript } from "../../../src/core/message/transcript.ts";
import { safeText } from "../logic/format.ts";
import { cut } from "../logic/json-rows.ts";
import type { ChartEdge, JsonObject, Msg } from "../wire/types.ts";
import type { Read, ReadGuard } from "./why-not.ts";
import { t } from "../words/t.ts";

const MAX_READS = 8;
const MAX_VALUE = 60;
/** Stands in for what a stored run does not have. */
const NOT_STORED = /^(?:settings|listening|allowed)\b/;

type Guard = (context: object, event: object, params: object) => boolean;
const guards = vocabulary.guards as unknown as { readonly [name: string]: Guard | undefined };

/** Judges a guard in a context, and notes what it reads: of several that must hold, up to the first that does not. Undefined if it cannot
 *  be judged: it is of another chart, or needs what is not recorded. */
function judge(
  { guard }: ChartEdge,
  context: object,
  event: object,
): { readonly holds: boolean; readonly reads: readonly Read[] } | undefined {
  let reads: readonly Read[] = [];
  for (const part of guard?.name.split(" && ") ?? []) {
    const found = guards[part.replace(/\(.*\)$/, "")];
    if (!found) return undefined;
    const noted = new Map<string, string>();
    try {
      const holds = found(watched(context, "", noted), event, guard?.params ?? {});
      reads = [...noted].map(([path, value]) => ({ path, value }));
      if (!holds) return { holds, reads };
    } catch {
      return undefined;
    }
  }
  return { holds: true, reads };
}

const isPlain = (value: unknown): value is object =>
  Array.isArray(value) || (isObject(value) && Object.getPrototypeOf(value) === Object.prototype);

/** An object that notes each value that is read of it, by its path. */
function watched<T extends object>(value: T, path: string, reads: Map<string, string>): T {
  return new Proxy(value, {
    get(target, key, receiver) {
      const read: unknown = Reflect.get(target, key, receiver);
      if (typeof key === "symbol" || typeof read === "function") return read;
      const at = path === "" ? key : /^\d+$/.test(key) ? `${path}[${key}]` : `${path}.${key}`;
      if (isPlain(read)) {
        if (Array.isArray(read) && read.length === 0) reads.set(at, "[]");
        return watched(read, at, reads);
      }
      if (typeof read !== "object" || read === null) reads.set(at, textOf(read));
      return read;
    },
  });
}

const textOf = (value: unknown): string =>
  cut(safeText(value === undefined ? t("not set") : JSON.stringify(value)), MAX_VALUE);

/** The context of the machine: the page has the messages in the place of the transcript. */
function machineContext(context: JsonObject | undefined): object | undefined {
  const messages = context?.["messages"];
  if (!context || !Array.isArray(messages)) return undefined;
  return { ...context, transcript: Transcript.of(messages as unknown as readonly Msg[]) };
}

/**
 * Returns what a guard read that was false in a step. The instant of a guard lies within the step: its values are taken from before or
 * after it, and only where all guards up to the edge that was taken come out there as they did.
 */
export const readGuard: ReadGuard = (run, stepNumber, group, taken, edge) => {
  const step = run.at(stepNumber);
  if (!step) return undefined;
  const isStored = step.payload === undefined;
  const event = { type: step.event, ...(isObject(step.payload) && step.payload) };
  const asked = group.slice(0, group.indexOf(taken) + 1);
  const instants = [
    { isAfter: true, context: machineContext(run.contextAt(stepNumber)) },
    { isAfter: false, context: machineContext(run.contextAt(stepNumber - 1)) },
  ];
  if (edge.event !== "" && !edge.guard?.after) instants.reverse();
  for (const { isAfter, context } of instants) {
    if (!context) continue;
    const judgements = asked.map((each) => judge(each, context, event));
    const isAsItWas = judgements.every((judgement, at) => judgement?.holds === (asked[at] === taken));
    const reads = judgements[asked.indexOf(edge)]?.reads ?? [];
    if (!isAsItWas || (isStored && reads.some(({ path }) => NOT_STORED.test(path)))) continue;
    return { isAfter, reads: reads.slice(0, MAX_READS) };
  }
  return undefined;
};
