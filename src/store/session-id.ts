import { AgentError } from "../core/base/error.ts";

/** Throws `config/invalid` unless `id` is a valid id of a session, an input or an owner. `what` begins the message. */
export function checkId(id: string, what: string): void {
  if (typeof id === "string" && id !== "" && id.isWellFormed()) return;
  throw new AgentError("config/invalid", `${what} must be a non-empty string of well-formed Unicode.`);
}

/** The prefix of the ids under which the package stores what is no session, such as schedules. `list` and `search` leave them out, unless
 *  their `prefix` begins so. */
export const OWN_PREFIX = "agentchart/";

/** True for an id that a list with this prefix leaves out. */
export function isLeftOut(id: string, prefix = ""): boolean {
  return id.startsWith(OWN_PREFIX) && !prefix.startsWith(OWN_PREFIX);
}

/** Returns the SQL condition that does the same as {@link isLeftOut}, if there is anything to leave out. */
export function leftOut(prefix = ""): readonly string[] {
  if (prefix.startsWith(OWN_PREFIX)) return [];
  return [`NOT (session_id >= '${OWN_PREFIX}' AND session_id < '${keyAfterPrefix(OWN_PREFIX)}')`];
}

/** The order of {@link SessionStore.list}: by code point, as UTF-8 sorts; JavaScript's `<` sorts by UTF-16 unit. */
export function compareIds(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

// SQL strings cannot hold U+0000. U+0001 escapes it, and itself; the order of ids stays the same.
const [NUL, ESCAPE] = ["\u0000", "\u0001"];
const [ESCAPED_NUL, ESCAPED_ESCAPE] = ["\u0001\u0001", "\u0001\u0002"];

/** Encodes an id for a SQL column or a queue; different ids stay different and in the same order. */
export function toKey(id: string): string {
  return id.replaceAll(ESCAPE, ESCAPED_ESCAPE).replaceAll(NUL, ESCAPED_NUL);
}

/** Decodes what {@link toKey} returned. */
export function fromKey(key: string): string {
  return key.replaceAll(ESCAPED_NUL, NUL).replaceAll(ESCAPED_ESCAPE, ESCAPE);
}

/** Returns the first key after all keys that begin with `prefix`; undefined if there is none. */
export function keyAfterPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix, (char) => char.codePointAt(0)!);
  while (points.at(-1) === 0x10_ff_ff) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  return String.fromCodePoint(...points, last === 0xd7_ff ? 0xe0_00 : last + 1);
}
