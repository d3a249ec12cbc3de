import * as s from "../core/base/option-schema.ts";
import type { SessionPhase } from "./port.ts";
import { isAtRest } from "./shared.ts";

/** Options of the stores that keep sessions on the disk of one machine. */
export type LocalStoreOptions = {
  /** The data that a power loss may take (`kill -9` takes nothing): `rest` (default) what was appended since the session last was at rest,
   *  `never` everything that the operating system had not written yet, `always` nothing. Accepted inputs are treated as appends at rest. */
  readonly fsync?: "never" | "rest" | "always" | undefined;
  /** The interval at which {@link SessionStore.watch} reads, ms; default 100. */
  readonly watchEveryMs?: number | undefined;
  /** The clock of leases and lists, epoch ms; default `Date.now`. */
  readonly now?: (() => number) | undefined;
};

/** The schemas of {@link LocalStoreOptions}. */
export const localShape = s.lazily((): s.ShapeOf<LocalStoreOptions> => ({
  fsync: s.optional(s.oneOf("never", "rest", "always")),
  watchEveryMs: s.optional(s.positive()),
  now: s.optional(s.func()),
}));

/** True if an append that leaves the session in this phase must survive a power loss. */
export function isAppendSynced(fsync: LocalStoreOptions["fsync"], phase: SessionPhase): boolean {
  return fsync === "always" || (fsync === "rest" && isAtRest(phase));
}
