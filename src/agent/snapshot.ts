import { AgentError, configError } from "../core/base/error.ts";
import type { Json, JsonObject } from "../core/base/json.ts";
import { checkMessages } from "../core/message/validate.ts";
import { checkHistory } from "../session/check-history.ts";
import { contextOf } from "../session/fold.ts";
import {
  FORMAT,
  persistedContext,
  migrated,
  plain,
  readPersistedContext,
  type SessionState,
} from "../session/format.ts";
import type { AgentContext } from "../../machines/agent/context.ts";
import type { Settings } from "../../machines/agent/settings.ts";
import type { Snapshot } from "./types.ts";

/** Returns the session at this instant as plain JSON. */
export function takeSnapshot(
  context: AgentContext,
  state: string,
  activeGroups: readonly string[],
  redact: (value: Json) => Json = (value) => value,
): Snapshot {
  const { settings, transcript, outcome, at } = context;
  const { sessionId } = settings;
  const redacted = redact(
    plain({
      format: FORMAT,
      sessionId,
      state,
      at,
      ...(outcome && { reason: outcome.reason }),
      activeGroups,
      kept: persistedContext(context),
      messages: transcript.slice(),
    }) as unknown as Json,
  ) as Snapshot;
  return { ...redacted, sessionId };
}

/** Returns the session of a snapshot. Throws `session/version` for another format, `session/damaged` for a value that is not a
 *  snapshot or whose calls and results are not in pairs (I2), and `config/invalid` for that of another session. */
export function readSnapshot(
  snapshot: Snapshot,
  settings: Settings,
): { readonly context: AgentContext; readonly activeGroups: readonly string[] } {
  const data = snapshot as JsonObject;
  const { format } = data;
  const kept = migrated((data["kept"] ?? {}) as JsonObject, format, "The snapshot");
  if (
    !Array.isArray(data["messages"]) ||
    typeof data["state"] !== "string" ||
    typeof data["kept"] !== "object"
  ) {
    throw new AgentError("session/damaged", "The snapshot lacks its messages, state or kept context.");
  }
  const { sessionId = settings.sessionId } = data;
  if (typeof sessionId !== "string" || sessionId === "")
    throw new AgentError("session/damaged", "The snapshot has no session id; expected a non-empty string.");
  if (sessionId !== settings.sessionId)
    throw configError(
      `createAgent: the snapshot is of session '${sessionId}'; expected \`sessionId\` to be the same, or absent, not '${settings.sessionId}'.`,
    );
  const session: SessionState = {
    state: data["state"],
    at: data["at"] as number,
    ...(typeof data["reason"] === "string" && {
      reason: data["reason"] as NonNullable<SessionState["reason"]>,
    }),
    activeGroups: (data["activeGroups"] as readonly string[] | undefined) ?? [],
    kept: readPersistedContext(kept, "The snapshot"),
    messages: checkMessages(data["messages"], "The snapshot"),
  };
  const context = contextOf(session, settings);
  checkHistory(context, "The snapshot");
  return { context, activeGroups: session.activeGroups };
}
