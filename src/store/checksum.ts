import type { JsonObject } from "../core/base/json.ts";
import { sha256 } from "../core/base/hash.ts";
import { readJson, sessionDamaged } from "./stored-json.ts";

// The checksums of rows in SQL stores.
//
// G1 A hash covers a stored text, what it is and whose it is, so that no row passes for another one.
// G2 The checksum of a journal entry is the sum of the checksum of the entry before and its own hash, so that a database continues
//    the chain within one statement. The session's row has that of the newest entry: a missing tail is found.
// G3 A row without a checksum is of a release that wrote none. After an entry with a checksum none comes without.

/** Sums are taken modulo this: 48 bits, which are exact in JavaScript and do not overflow in SQL. */
export const MODULUS = 2 ** 48;

/** Returns the hash of a stored text; `about`: what it is and whose it is. */
export function hashOf(text: string, ...about: readonly (string | number)[]): number {
  return Number.parseInt(sha256(`${JSON.stringify(about)}${text}`).slice(0, 12), 16);
}

/** Returns the checksum of a journal entry with this hash after one with the checksum `before`. */
export function chained(before: number, hash: number): number {
  return (before + hash) % MODULUS;
}

/** Parses a stored JSON object that was written with the checksum `checksum`; null: with none. `what` names it in the error.
 *  Throws `session/damaged`. */
export function readChecked(
  text: unknown,
  checksum: unknown,
  sessionId: string,
  what: string,
  ...about: readonly (string | number)[]
): JsonObject {
  if (checksum !== null && hashOf(String(text), ...about) !== Number(checksum))
    throw sessionDamaged(sessionId, `${what} is not what was written`);
  return readJson(text, sessionId, what);
}
