import type { Status } from "../agent/types.ts";
import type { JsonObject } from "../message/types.ts";
import type { WaitsFor } from "../turn/pending.ts";

export type Lease = { readonly sessionId: string; readonly owner: string; readonly fence: number; readonly expiresAt: number };
export type JournalEntry = { readonly seq: number; readonly at: number; readonly type: string; readonly data: JsonObject };
export type Batch = {
  readonly expectedSeq: number;
  readonly fence: number;
  readonly entries: readonly JournalEntry[];
  readonly position: JsonObject;
  readonly checkpoint?: JsonObject;
  readonly ackInputs?: readonly string[];
};
export type SessionInfo = {
  readonly sessionId: string;
  readonly seq: number;
  readonly phase: Status["phase"];
  readonly waitsFor: readonly WaitsFor[];
  readonly wakeAt?: number;
  readonly meta: JsonObject;
  readonly updatedAt: number;
};
export interface SessionStore {
  acquire(sessionId: string, options: { readonly owner: string; readonly ttlMs: number }): Promise<Lease | undefined>;
  renew(lease: Lease, ttlMs: number): Promise<Lease>;
  release(lease: Lease): Promise<void>;
  append(sessionId: string, batch: Batch): Promise<number>;
  read(sessionId: string, options?: { readonly after?: number; readonly limit?: number }): AsyncIterable<JournalEntry>;
  load(sessionId: string): Promise<{ readonly seq: number; readonly position: JsonObject; readonly checkpoint?: JsonObject } | undefined>;
  putInput(sessionId: string, input: { readonly id: string; readonly data: JsonObject }): Promise<"accepted" | "duplicate">;
  takeInputs(sessionId: string, limit: number): Promise<readonly { readonly id: string; readonly data: JsonObject }[]>;
  list(filter?: {
    readonly prefix?: string;
    readonly phase?: Status["phase"];
    readonly meta?: JsonObject;
    readonly wakeBefore?: number;
    readonly cursor?: string;
    readonly limit?: number;
  }): Promise<{ readonly sessions: readonly SessionInfo[]; readonly cursor?: string }>;
  delete(sessionId: string): Promise<boolean>;
  watch?(sessionId: string, options: { readonly signal: AbortSignal }): AsyncIterable<number>;
  close(): Promise<void>;
}
