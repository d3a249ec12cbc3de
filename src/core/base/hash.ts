import { builtin } from "./platform.ts";
import type { Json, JsonObject } from "./json.ts";

const node = builtin("node:crypto");

/** The first 32 bits of the fractional parts of a root of a prime number. */
const fraction = (root: number): number => ((root - Math.floor(root)) * 2 ** 32) >>> 0;

/** The constants of FIPS 180-4: of the cube roots of the first 64 primes, and of the square roots of the first 8. */
function constants(): { readonly rounds: readonly number[]; readonly start: readonly number[] } {
  const primes: number[] = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  return {
    rounds: primes.map((prime) => fraction(Math.cbrt(prime))),
    start: primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime))),
  };
}

let known: ReturnType<typeof constants> | undefined;

const rotated = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

/** The text as UTF-8, with the bit, the zeros and the length that end it. */
function padded(text: string): DataView {
  const bytes = new TextEncoder().encode(text);
  const view = new DataView(new ArrayBuffer((((bytes.length + 8) >> 6) + 1) << 6));
  new Uint8Array(view.buffer).set(bytes);
  view.setUint8(bytes.length, 0x80);
  view.setUint32(view.byteLength - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(view.byteLength - 4, bytes.length << 3);
  return view;
}

/** Hashes as {@link sha256} does, where there is no Node.js. The hash of `crypto.subtle` comes later, and a step of a chart waits for nothing. */
export function sha256WithoutNode(text: string): string {
  const { rounds, start } = (known ??= constants());
  const view = padded(text);
  const words = new Int32Array(64);
  const hash = Int32Array.from(start);
  for (let offset = 0; offset < view.byteLength; offset += 64) {
    for (let i = 0; i < 64; i++) {
      if (i < 16) {
        words[i] = view.getInt32(offset + i * 4);
        continue;
      }
      const [old, late] = [words[i - 15]!, words[i - 2]!];
      const first = rotated(old, 7) ^ rotated(old, 18) ^ (old >>> 3);
      const second = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10);
      words[i] = words[i - 16]! + first + words[i - 7]! + second;
    }
    let [a, b, c, d, e, f, g, h] = hash as unknown as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    for (let i = 0; i < 64; i++) {
      const mixed = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
      const one = (h + mixed + ((e & f) ^ (~e & g)) + rounds[i]! + words[i]!) | 0;
      const two = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, index) => (hash[index]! += word));
  }
  return Array.from(hash, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

/** A SHA-256 of the texts that come one after the other. */
export type Hasher = { update(text: string): void; digest(encoding: "hex"): string };

/** Begins a hash of several texts. Without Node.js it holds them until the end. */
export function hasher(): Hasher {
  if (node) return node.createHash("sha256");
  let all = "";
  return { update: (text) => void (all += text), digest: () => sha256(all) };
}

/** Returns the SHA-256 of a text, as 64 hexadecimal digits. */
export const sha256: (text: string) => string = node
  ? (text) => node.hash("sha256", text)
  : sha256WithoutNode;

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => sorted(item));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value as JsonObject).map(([key, item]) => [key, sorted(item)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns the hash to which an approval is bound: the SHA-256 of the arguments, whatever the order of their keys. */
export function hashInput(input: JsonObject): string {
  return sha256(JSON.stringify(sorted(input)));
}
