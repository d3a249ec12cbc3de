import { randomFillSync } from "node:crypto";

const BYTES = 16;
const random = Buffer.alloc(BYTES * 128);
let next = random.length;

const DIGITS = Buffer.from("0123456789abcdef", "latin1");
/** Where the two digits of each byte stand. */
const PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
const text = Buffer.alloc(36, "-", "latin1");

/** Returns a random UUID (version 4) in one piece: Node joins that of `randomUUID` of twenty strings, which take 600 bytes until somebody
 *  reads it, and to make one piece of them costs three times as much. */
export function newId(): string {
  if (next === random.length) {
    randomFillSync(random);
    next = 0;
  }
  random[next + 6] = (random[next + 6]! & 0x0f) | 0x40;
  random[next + 8] = (random[next + 8]! & 0x3f) | 0x80;
  for (const place of PLACES) {
    const byte = random[next++]!;
    text[place] = DIGITS[byte >> 4]!;
    text[place + 1] = DIGITS[byte & 15]!;
  }
  return text.toString("latin1");
}
