/** True for what JSON is made of; an instance of a class stays what it is. */
function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function mapped(value: object, each: (part: unknown) => unknown): object {
  if (Array.isArray(value)) return value.map(each);
  const copy: { [key: string]: unknown } = { ...value };
  for (const key of Object.keys(copy)) {
    const part = copy[key];
    if (typeof part === "object" && part !== null) copy[key] = each(part);
  }
  return copy;
}

/** How many levels of lists and objects a message may have. */
export const MAX_DEPTH = 500;

/** True for data with more levels than {@link MAX_DEPTH}, and for what holds itself. */
export function isTooDeep(value: unknown): boolean {
  return jsonProblem(value) === TOO_DEEP;
}

const TOO_DEEP = `is nested deeper than ${MAX_DEPTH} levels, or holds itself`;

/** Why a value cannot be stored, as what follows its name; undefined if it can. */
export function jsonProblem(value: unknown, levels = MAX_DEPTH): string | undefined {
  if (typeof value === "bigint") return "holds a bigint, which is no JSON";
  if (!isPlain(value)) return undefined;
  if (levels === 0) return TOO_DEEP;
  for (const part of Object.values(value)) {
    const problem = jsonProblem(part, levels - 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The same data with nothing shared, for somebody who may change it. */
export function copyOf<T>(value: T): T {
  return isPlain(value) ? (mapped(value, copyOf) as T) : value;
}

/** True for what nobody can change any more, in no part of it. */
function isFrozenWhole(value: unknown): boolean {
  return !isPlain(value) || (Object.isFrozen(value) && Object.values(value).every(isFrozenWhole));
}

/** The same data, which nobody can change any more; what is frozen in all its parts already is not copied. */
export function frozenCopy<T>(value: T): T {
  if (!isPlain(value) || isFrozenWhole(value)) return value;
  return Object.freeze(mapped(value, frozenCopy)) as T;
}

/** Makes data that nobody else has unchangeable, and returns it. */
export function freeze<T>(value: T): T {
  if (!isPlain(value) || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
  return value;
}
