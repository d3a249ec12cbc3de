import { AgentError } from "../error/error.ts";
import { Transcript } from "../message/transcript.ts";
import type { JsonObject, Msg } from "../message/types.ts";
import { checkMessages } from "../message/validate.ts";
import { freshContext, type AgentContext, type Settings } from "../turn/context.ts";
import type { Snapshot } from "./types.ts";

/** The version of the snapshot format. */
export const SNAPSHOT_FORMAT = 1;

/** What of the context a snapshot keeps: all that is not configuration, transcript or of this process only. */
const KEPT = [
  "progress",
  "inbox",
  "request",
  "calls",
  "remembered",
] as const satisfies readonly (keyof AgentContext)[];

type Kept = Pick<AgentContext, (typeof KEPT)[number]>;

/** The top-level states a session may be resumed in; the two at rest need no resuming. */
const RESUMED = ["doCall", "reasoning", "acting", "summarizing"] as const;

/** A session at this instant as plain JSON. */
export function takeSnapshot(
  context: AgentContext,
  state: string,
  activeGroups: readonly string[],
): Snapshot {
  const { settings, transcript, outcome, progress } = context;
  const kept = Object.fromEntries(KEPT.map((key) => [key, context[key]]));
  const snapshot = {
    format: SNAPSHOT_FORMAT,
    sessionId: settings.sessionId,
    state: progress.resumeAt ?? state,
    at: context.at,
    ...(outcome && { reason: outcome.reason }),
    ...kept,
    activeGroups,
    messages: transcript.slice(),
  };
  return JSON.parse(JSON.stringify(snapshot)) as Snapshot;
}

type Restored = { readonly context: AgentContext; readonly activeGroups: readonly string[] };

/** The session that a snapshot stands for. Throws `session/version` for another format and `session/damaged` for what is
 *  no snapshot. */
export function readSnapshot(snapshot: Snapshot, settings: Settings): Restored {
  const data = snapshot as JsonObject;
  if (data["format"] !== SNAPSHOT_FORMAT) {
    const found = JSON.stringify(data["format"]) ?? "none";
    throw new AgentError("session/version", `Snapshot format ${SNAPSHOT_FORMAT} expected, found ${found}.`);
  }
  const missing = KEPT.filter((key) => data[key] === undefined);
  if (missing.length > 0 || !Array.isArray(data["messages"]) || typeof data["state"] !== "string") {
    throw new AgentError("session/damaged", `The snapshot lacks ${missing[0] ?? "messages or state"}.`);
  }
  const messages = checkMessages(data["messages"], "The snapshot") as readonly Msg[];
  const kept = Object.fromEntries(KEPT.map((key) => [key, data[key]])) as unknown as Kept;
  const place = RESUMED.find((name) => String(data["state"]).split(".")[0] === name) ?? null;
  const reason = data["reason"] as NonNullable<AgentContext["outcome"]>["reason"] | undefined;
  return {
    context: {
      ...freshContext(settings, Transcript.of(messages)),
      ...kept,
      at: data["at"] as number,
      progress: { ...kept.progress, resumeAt: place },
      outcome: reason ? { reason } : null,
    },
    activeGroups: (data["activeGroups"] as readonly string[] | undefined) ?? [],
  };
}
