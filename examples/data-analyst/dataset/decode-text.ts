import { InputError } from "../demo/input-error.ts";

export type DecodedText = { readonly text: string; readonly encoding: string };

const BYTE_ORDER_MARKS = [
  { encoding: "utf-8", bytes: [0xef, 0xbb, 0xbf] },
  { encoding: "utf-16le", bytes: [0xff, 0xfe] },
  { encoding: "utf-16be", bytes: [0xfe, 0xff] },
];

function decode(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof RangeError)
      throw new InputError(`Unknown encoding "${encoding}". Try utf-8, gb18030 or windows-1252.`);
    return undefined;
  }
}

/** True if bytes above 0x7F come mostly in runs of one, as accented letters do and Chinese characters do not. */
function looksWestern(bytes: Uint8Array): boolean {
  let alone = 0;
  let together = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at]! < 0x80) continue;
    let end = at;
    while (end < bytes.length && bytes[end]! >= 0x80) end++;
    if (end - at === 1) alone++;
    else together++;
    at = end;
  }
  return alone > together;
}

/**
 * The text of a file: by its byte order mark, else UTF-8, else GB18030 or, where the bytes look like accented letters,
 * windows-1252. `encoding` overrules the guess with any label that TextDecoder knows. Throws InputError if the bytes
 * are no text.
 */
export function decodeText(bytes: Uint8Array, name: string, encoding?: string): DecodedText {
  const mark = BYTE_ORDER_MARKS.find((candidate) =>
    candidate.bytes.every((byte, index) => bytes[index] === byte),
  );
  if (!mark && encoding === undefined && bytes.includes(0)) {
    throw new InputError(`${name} is not a text file: it contains NUL bytes. Export it as CSV in UTF-8.`);
  }
  const guess = looksWestern(bytes) ? "windows-1252" : "gb18030";
  for (const candidate of encoding === undefined ? [mark?.encoding ?? "utf-8", guess] : [encoding]) {
    const text = decode(bytes, candidate);
    if (text !== undefined) return { text, encoding: candidate };
  }
  const tried = encoding === undefined ? "neither UTF-8 nor GB18030" : `not ${encoding}`;
  throw new InputError(`${name} is ${tried} text. Save it as UTF-8, or name its encoding with --encoding.`);
}
