import { hash } from "node:crypto";
import type { AnyStateMachine } from "xstate";
import { chartJson } from "./chart-json.ts";

/** What tells two charts apart: states, events, guards, targets and actions, but no descriptions. It is information for
 *  people who compare versions; whether a session can be restored is decided by its format and its entry point. */
export function chartHash(machine: AnyStateMachine): string {
  const { nodes, edges } = chartJson(machine);
  const states = nodes.map(({ id, type, initial, entry, exit, invoke }) => ({
    id,
    type,
    initial,
    entry,
    exit,
    invoke,
  }));
  return hash("sha256", JSON.stringify({ states, edges })).slice(0, 16);
}
