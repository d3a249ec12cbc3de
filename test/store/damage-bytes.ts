import { oneOf, type Random } from "./random-damage.ts";

/** The bytes after a damage, undefined for a deleted file, and what was done. */
type Damaged = readonly [bytes: Buffer | undefined, how: string];

const flipped = (bytes: Buffer, random: Random, count: number): Damaged => {
  const places = Array.from({ length: count }, () => random(bytes.length));
  for (const place of places) bytes[place]! ^= 1 << random(8);
  return [bytes, `flipped bits at ${places.join(", ")}`];
};

const DAMAGES: readonly ((bytes: Buffer, random: Random) => Damaged)[] = [
  (bytes, random) => flipped(bytes, random, 1),
  (bytes, random) => flipped(bytes, random, 2 + random(6)),
  (bytes, random) => {
    const [from, length] = [random(bytes.length), 1 + random(64)];
    return [bytes.fill(0, from, Math.min(bytes.length, from + length)), `${length} zeros at ${from}`];
  },
  (bytes, random) => {
    const size = random(bytes.length);
    return [bytes.subarray(0, size), `a cut at ${size}`];
  },
  (bytes, random) => {
    const [from, to, length] = [random(bytes.length), random(bytes.length), 1 + random(256)];
    bytes.copy(bytes, to, from, from + length);
    return [bytes, `${length} bytes of ${from} at ${to}`];
  },
];

/** Damages bytes anywhere, which it changes. */
export function damageBytes(bytes: Buffer, random: Random): Damaged {
  return oneOf(random, DAMAGES)(bytes, random);
}

/** Deletes, repeats, swaps or alters whole lines, or the file. */
export function damageLines(bytes: Buffer, random: Random): Damaged {
  const lines = bytes.toString("utf8").split(/(?<=\n)/u);
  const [one, other] = [random(lines.length), random(lines.length)];
  const text = (): Buffer => Buffer.from(lines.join(""));
  switch (random(6)) {
    case 0:
      lines.splice(one, 1);
      return [text(), `line ${one} deleted`];
    case 1:
      lines.splice(one);
      return [text(), `the lines from ${one} on deleted`];
    case 2:
      lines.splice(other, 0, lines[one]!);
      return [text(), `line ${one} repeated before ${other}`];
    case 3:
      [lines[one], lines[other]] = [lines[other]!, lines[one]!];
      return [text(), `lines ${one} and ${other} swapped`];
    case 4:
      lines[one] = lines[one]!.replaceAll(/[1-8]/gu, (digit) => String(Number(digit) + random(2)));
      return [text(), `digits of line ${one} changed`];
    default:
      return [undefined, "the deletion"];
  }
}
