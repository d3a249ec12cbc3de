import type { Transcript } from "../core/message/transcript.ts";
import type { Lease } from "../store/port.ts";
import type { MessageMarks } from "./fold.ts";

/** The data that are retained of a session at rest that this process has released: what its checkpoint does not hold. */
export type CachedSession = {
  /** The number of the newest journal entry. */
  readonly seq: number;
  readonly transcript: Transcript;
  readonly marks: MessageMarks;
  /** The hashes of what the store has of model calls. */
  readonly known: ReadonlySet<string>;
  /** The number of model calls that it has made. */
  readonly modelCalls: number;
  /** The characters of the messages that are here, as JSON. */
  readonly size: number;
};

/** The messages of a session that were retained, and their size. */
export type CachedBefore = { readonly from: number; readonly length: number; readonly size: number };

/** The sessions that a process has released last, so that it need not read the journal again of one that it gets back unchanged. */
export interface SessionCache {
  /** Caches a session that is released. Its lease was this one. `before`: what was cached of it before. */
  put(lease: Lease, session: Omit<CachedSession, "size">, before: CachedBefore | undefined): void;
  /** Returns what is cached of a session if nobody had it since: each lease has a fence of its own, and nothing is appended without one. */
  take(lease: Lease): CachedSession | undefined;
}
