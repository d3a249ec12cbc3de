// src/session writes the journal of a session, restores the session from it, and reads, forks and copies stored
// sessions.

/** Stored sessions from outside an agent: reading, forking, exporting, importing, and saving several agents together. */
export { openSession } from "./open-session.ts";
export type { Moment, StoredSession } from "./open-session.ts";
export type { MessagePage } from "./read-messages.ts";
export type { Fork, ForkedCall, ForkOptions, ForkPoint } from "./fork.ts";
export type { ForkChanges, OptionChanges } from "../../machines/agent/prompt/edits.ts";
export { sessionManager } from "./session-manager.ts";
export type { SessionComponent, SessionManager, SessionManagerOptions } from "./session-manager.ts";
export type { SavedParts } from "./save.ts";
export { deleteSession } from "../store/delete-session.ts";
export { exportSession, importSession } from "../store/transfer.ts";
export type { ExportOptions } from "../store/transfer.ts";
export type {
  Batch,
  JournalEntry,
  Lease,
  LeaseHolder,
  PruneOptions,
  PruneReport,
  SessionInfo,
  SessionStore,
} from "../store/port.ts";
