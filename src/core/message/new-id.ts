import { randomUUID } from "node:crypto";

/** Returns a random UUID (version 4) in one piece: Node joins that of `randomUUID` of twenty strings, which take 600 bytes until somebody
 *  reads it. */
export function newId(): string {
  return Buffer.from(randomUUID(), "latin1").toString("latin1");
}
