import type { ToolUseBlock } from "../../core/message/types.ts";
import { areAboutSteps, breakpointsIn, stopReason } from "../../core/tool/breakpoints.ts";
import type { BreakInput, ReviewInput } from "../../../machines/agent/services.ts";
import { readEntries } from "../../session/read-entry.ts";
import { beginOfTurn, TrailReader } from "../breakpoints/read-trail.ts";
import { Trail } from "../breakpoints/trail.ts";
import type { Host } from "./host.ts";

/** The part of a session that was read: its journal up to an entry, or its steps if it has no store. */
type Read = { readonly trail: Trail; readonly journal: TrailReader | undefined; seq: number };
const reads = new WeakMap<Host, Read>();

/** Begins to read a session. What it did before its newest turn is not read. */
async function begin({ config: { store }, sessionId }: Host): Promise<Read> {
  if (!store) return { trail: new Trail(), journal: undefined, seq: 0 };
  const { after, writtenWith } = await beginOfTurn(store, sessionId);
  const journal = new TrailReader(writtenWith);
  return { trail: journal.trail, journal, seq: after };
}

/** The steps of a session since it rested last. Those of another process are in its journal. */
async function trailOf(host: Host): Promise<Trail> {
  const { store } = host.config;
  if (store) await host.commit();
  const read = reads.get(host) ?? (await begin(host));
  reads.set(host, read);
  const { trail, journal } = read;
  if (!store || !journal) {
    for (const step of host.takeSteps()) trail.push(step);
    return trail;
  }
  for await (const entry of readEntries(store, host.sessionId, { after: read.seq })) {
    if (entry.seq <= read.seq) continue; // one who reads for a review that was interrupted has read it
    journal.follow(entry);
    read.seq = entry.seq;
  }
  return trail;
}

/** Returns the function that says for which breakpoint of the session a call waits, if it does. Rejects if the store does not answer. */
export async function stopsOf(
  host: Host,
  { slots, transcript, turnAt }: Pick<ReviewInput, "slots" | "transcript" | "turnAt">,
): Promise<(call: ToolUseBlock) => string | undefined> {
  const known = breakpointsIn(slots);
  const turn = transcript.slice(turnAt);
  const passed = areAboutSteps(known.conditions) ? (await trailOf(host)).passed : [];
  return (call) => stopReason({ call, turn, passed }, known);
}

/** Returns the breakpoint of the session that holds its next request, in words. Undefined if none does, or the session has rested there
 *  already. Rejects if the store does not answer. */
export async function stopBeforeRequest(
  host: Host,
  { slots, transcript, turnAt }: BreakInput,
): Promise<string | undefined> {
  const { isReleased, passed } = await trailOf(host);
  return isReleased
    ? undefined
    : stopReason({ turn: transcript.slice(turnAt), passed }, breakpointsIn(slots));
}
