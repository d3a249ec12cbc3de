import { isObject } from "../../core/base/json.ts";

type Fields = { readonly [field: string]: unknown };

/** The configuration of a machine without the entries that are none, and where these are. */
type ReadableConfig = { readonly config: Fields; readonly leftOut: readonly string[] };

/** The fields of a state that hold transitions: by the names of events or delays, or without one. */
const BY_NAME = ["on", "after"];
const OF_STATE = ["always", "onDone"];
const OF_INVOKE = ["onDone", "onError", "onSnapshot"];
const ACTIONS = ["entry", "exit"];

/** Reads the configuration of a machine as JSON. An entry that has another type than XState takes there is left out. */
export function readableConfig(config: Fields): ReadableConfig {
  const leftOut: string[] = [];
  return { config: new Reader(leftOut).state(config, ""), leftOut };
}

class Reader {
  readonly #leftOut: string[];

  constructor(leftOut: string[]) {
    this.#leftOut = leftOut;
  }

  state(state: Fields, path: string): Fields {
    const { states, invoke } = state;
    const fields: { [field: string]: unknown } = { ...state };
    const set = (field: string, value: unknown): void => {
      if (value === undefined) delete fields[field];
      else fields[field] = value;
    };
    const has = (field: string): boolean => state[field] !== undefined && state[field] !== null;
    if (has("states"))
      set(
        "states",
        this.#map(states, `${path}states`, (each, at) =>
          isObject(each) ? this.state(each, `${at}.`) : this.#without(at),
        ),
      );
    for (const field of BY_NAME.filter(has))
      set(
        field,
        this.#map(state[field], `${path}${field}`, (each, at) => this.#list(each, at, isNamed)),
      );
    for (const field of [...OF_STATE, ...ACTIONS].filter(has))
      set(field, this.#list(state[field], `${path}${field}`, isNamed));
    if (has("invoke")) set("invoke", this.#invoke(invoke, `${path}invoke`));
    return fields;
  }

  #invoke(value: unknown, path: string): unknown {
    const read = (each: unknown, at: string): unknown => {
      if (!isObject(each)) return this.#without(at);
      const kept: { [field: string]: unknown } = { ...each };
      for (const field of OF_INVOKE)
        if (each[field] !== undefined && each[field] !== null)
          kept[field] = this.#list(each[field], `${at}.${field}`, isNamed) ?? [];
      return kept;
    };
    if (!Array.isArray(value)) return read(value, path);
    return value.map((each, at) => read(each, `${path}.${at}`)).filter((each) => each !== undefined);
  }

  /** The entries of an object by their names. */
  #map(value: unknown, path: string, read: (each: unknown, at: string) => unknown): unknown {
    if (!isObject(value)) return this.#without(path);
    const entries = Object.entries(value).map(
      ([name, each]) => [name, read(each, `${path}.${name}`)] as const,
    );
    return Object.fromEntries(entries.filter(([, each]) => each !== undefined));
  }

  /** One entry, or a list of them. */
  #list(value: unknown, path: string, is: (each: unknown) => boolean): unknown {
    if (!Array.isArray(value)) return is(value) ? value : this.#without(path);
    return value.filter((each, at) => {
      if (!is(each)) this.#without(`${path}.${at}`);
      return is(each);
    });
  }

  #without(path: string): undefined {
    this.#leftOut.push(path);
  }
}

/** True for a transition, an action or a state as it is named, or as an object. */
function isNamed(value: unknown): boolean {
  return typeof value === "string" || isObject(value);
}

/** The entries that are named in a notice. */
const MAX_NAMED = 5;
const MAX_PATH = 80;

/** Returns a sentence about what was left out; "" if nothing was. */
export function leftOutText(leftOut: readonly string[]): string {
  if (leftOut.length === 0) return "";
  const named = leftOut
    .slice(0, MAX_NAMED)
    .map((path) => (path.length > MAX_PATH ? `${path.slice(0, MAX_PATH - 1)}…` : path).toWellFormed());
  const more = leftOut.length > MAX_NAMED ? ` and ${leftOut.length - MAX_NAMED} more` : "";
  return `Left out, since XState takes an object or a name there: ${named.join(", ")}${more}.`;
}
