import { sha256 } from "../base/hash.ts";
import type { Chart } from "./chart-json.ts";

/**
 * Hashes the structure of a chart: states, events, guards, targets and actions, without descriptions.
 * Returns 16 hexadecimal digits. The hash informs people who compare versions; whether a session can be
 * restored depends on its format and its entry point.
 */
export function chartHash({ nodes, edges }: Chart): string {
  const states = nodes.map(({ id, type, initial, entry, exit, invoke }) => ({
    id,
    type,
    initial,
    entry,
    exit,
    invoke,
  }));
  return sha256(JSON.stringify({ states, edges })).slice(0, 16);
}
