import { builtin } from "../base/platform.ts";

const { randomUUID } = builtin("node:crypto") ?? {};

/** Returns a random UUID (version 4). A page that came over plain HTTP has no `crypto.randomUUID`. */
function randomUuid(): string {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** Returns a random UUID (version 4) in one piece: Node joins that of `randomUUID` of twenty strings, which take 600 bytes until somebody
 *  reads it. */
export const newId: () => string = randomUUID
  ? () => Buffer.from(randomUUID(), "latin1").toString("latin1")
  : randomUuid;
