import { type AgentError, configError } from "../core/base/error.ts";
import * as s from "../core/base/option-schema.ts";
import { check } from "../core/base/options.ts";
import { sha256 } from "../core/base/hash.ts";
import type { SessionStore } from "./port.ts";
import { checkId, OWN_PREFIX } from "./shared.ts";
import { storeSchema } from "./store-schema.ts";

/** A range of hashes and the store of its sessions. */
export type Partition = {
  readonly store: SessionStore;
  /** The last {@link partitionHash} of the range, which begins after that of the partition before, or at 0. The last partition ends at
   *  0xffffffff. */
  readonly upTo: number;
  /** The store that had the sessions of this range before, and has those that are not moved yet. Default: none are moved. */
  readonly movesFrom?: SessionStore | undefined;
};

/** Options of `partitionedStore`. */
export type PartitionedStoreOptions = {
  /** Called when sessions that are due are listed without those of a store that is away, with its number in the array. Default: nothing. */
  readonly onAway?: ((index: number, error: AgentError) => void) | undefined;
  /** The clock of `prune`, epoch ms; default `Date.now`. */
  readonly now?: (() => number) | undefined;
};

/** The schema of {@link PartitionedStoreOptions}. */
export const partitionedSchema = s.lazily(() =>
  s.options<PartitionedStoreOptions>({ onAway: s.optional(s.func()), now: s.optional(s.func()) }),
);

/** A partition as the map has it: all hashes from `from` to `upTo`. */
export type PartitionRange = Partition & {
  readonly from: number;
  /** The id under which a move into this range is recorded in the store that the sessions come from. */
  readonly recordId: string;
};

/** The last hash of all. */
const LAST = 0xff_ff_ff_ff;

/** The prefix of the ids under which moves are recorded. */
export const RECORD_PREFIX = `${OWN_PREFIX}partitions/`;

/**
 * Returns the place of a session among all, 0 to 0xffffffff: the first 32 bits of the SHA-256 of its id in UTF-8. It never changes. Throws
 * `config/invalid` for what is not an id.
 *
 * @example
 * ```ts
 * import { partitionHash } from "agentchart/store/partitioned";
 * import { bullQueue } from "agentchart/worker";
 *
 * const queues = ["redis://queue-0:6379", "redis://queue-1:6379"].map((redis) => bullQueue({ redis }));
 * console.log(await queues[partitionHash("customer-42") <= 0x7fffffff ? 0 : 1]!.stats());
 * ```
 */
export function partitionHash(sessionId: string): number {
  checkId(sessionId, "A session id");
  return Number.parseInt(sha256(sessionId).slice(0, 8), 16);
}

const partitionsSchema = s.lazily(() =>
  s.listOf(
    s.options<Partition>(
      { store: storeSchema(), upTo: s.integer(0, LAST), movesFrom: s.optional(storeSchema()) },
      { what: "a partition, such as { store, upTo: 0xffffffff }" },
    ),
    "an array of partitions",
  ),
);

const hex = (hash: number): string => hash.toString(16).padStart(8, "0");

/** Returns the ranges of a map. Throws `config/invalid` for none, ranges that do not ascend to the last hash, and a store that has two. */
export function rangesOf(partitions: readonly Partition[], from: string): readonly PartitionRange[] {
  check(partitionsSchema(), partitions, from, "`partitions`");
  const wrong = (expected: string) => configError(`${from}: expected ${expected}.`);
  if (partitions.length === 0) throw wrong("one partition at least");
  const stores = new Set(partitions.map(({ store }) => store));
  if (stores.size !== partitions.length) throw wrong("a store of its own for each partition");
  if (partitions.some(({ store, movesFrom }) => store === movesFrom))
    throw wrong("`movesFrom` to be another store than that of the partition");
  let next = 0;
  const ranges = partitions.map((partition, index) => {
    const { upTo } = partition;
    if (upTo < next) throw wrong(`\`partitions[${index}].upTo\` to be above that of the partition before`);
    const range = { ...partition, from: next, recordId: `${RECORD_PREFIX}${hex(next)}-${hex(upTo)}` };
    next = upTo + 1;
    return range;
  });
  if (next !== LAST + 1) throw wrong("the last partition to end at 0xffffffff");
  return ranges;
}

/** Returns the range of a session. */
export function rangeOf(ranges: readonly PartitionRange[], sessionId: string): PartitionRange {
  const hash = partitionHash(sessionId);
  return ranges.find(({ upTo }) => hash <= upTo)!;
}

/** True if the session belongs to this range. */
export function isIn({ from, upTo }: PartitionRange, sessionId: string): boolean {
  const hash = partitionHash(sessionId);
  return hash >= from && hash <= upTo;
}
