/** The bytes of 256 ids: to ask the platform for few costs as much as to ask for many. */
const random = new Uint8Array(4_096);
let used = random.length;

const DIGITS = new TextEncoder().encode("0123456789abcdef");
const text = new TextEncoder().encode("00000000-0000-4000-8000-000000000000");
/** Places of the two digits of each byte in the text. */
const PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];

/** Returns a random UUID (version 4) in one piece. `crypto.randomUUID` is not there in a page that came over plain HTTP; that of Node
 *  joins twenty strings, which take 600 bytes until somebody reads them. */
export function newId(): string {
  if (used === random.length) {
    crypto.getRandomValues(random);
    used = 0;
  }
  PLACES.forEach((place, index) => {
    const byte = versioned(random[used + index]!, index);
    text[place] = DIGITS[byte >> 4]!;
    text[place + 1] = DIGITS[byte & 15]!;
  });
  used += PLACES.length;
  return String.fromCharCode.apply(null, text as unknown as number[]);
}

/** The byte with the bits that say which version and variant of UUID it is. */
function versioned(byte: number, index: number): number {
  if (index === 6) return (byte & 0x0f) | 0x40;
  return index === 8 ? (byte & 0x3f) | 0x80 : byte;
}
