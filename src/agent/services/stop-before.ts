import type { ToolUseBlock } from "../../core/message/types.ts";
import { areAboutSteps, breakpointsIn, stopReason, type PassedEdge } from "../../core/tool/breakpoints.ts";
import type { ReviewInput } from "../../../machines/agent/services.ts";
import { readEntries } from "../../session/read-entry.ts";
import { Trail } from "../breakpoints/trail.ts";
import { BreakReader } from "../breakpoints/find.ts";
import type { Host } from "./host.ts";

/** The part of a session that was read: its journal up to an entry, or its steps if it has no store. */
type Read = { readonly journal: BreakReader; readonly steps: Trail; seq: number };
const reads = new WeakMap<Host, Read>();

/** The edges that a session has taken since it rested last. Whatever was before in another process is in its journal. */
async function passedBy(host: Host): Promise<readonly PassedEdge[]> {
  const read = reads.get(host) ?? { journal: new BreakReader([]), steps: new Trail(), seq: 0 };
  reads.set(host, read);
  const { store } = host.config;
  if (!store) {
    for (const step of host.takeSteps()) read.steps.push(step);
    return read.steps.passed;
  }
  await host.commit();
  for await (const entry of readEntries(store, host.sessionId, { after: read.seq })) {
    read.journal.push(entry);
    read.seq = entry.seq;
  }
  return read.journal.trail.passed;
}

/** Returns the function that says for which breakpoint of the session a call waits, if it does. Rejects if the store does not answer. */
export async function stopsOf(
  host: Host,
  { slots, transcript, turnAt }: Pick<ReviewInput, "slots" | "transcript" | "turnAt">,
): Promise<(call: ToolUseBlock) => string | undefined> {
  const known = breakpointsIn(slots);
  const turn = transcript.slice(turnAt);
  const passed = areAboutSteps(known.conditions) ? await passedBy(host) : [];
  return (call) => stopReason({ call, turn, passed }, known);
}
