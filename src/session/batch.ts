import { agentErrorOf } from "../core/base/error.ts";
import type { Json, JsonObject } from "../core/base/json.ts";
import type { Batch, JournalEntry, Lease, SessionStore } from "../store/port.ts";
import { chartPosition, positionFact, shortForm, type ChartStepRecord } from "./entries.ts";
import type { ChartPosition, Fact } from "./entry.ts";
import { checkpointOf, marksAfter, NO_MARKS, type MessageMarks } from "./fold.ts";
import { JOURNAL_FORMAT, plain, type JournalState } from "./format.ts";
import type { StoredCalls, StoredModelCall } from "./model-calls.ts";

/** The data that were recorded since the last append. */
export type Recorded = {
  readonly facts: Fact[];
  /** `from`: the number of facts before it. */
  readonly steps: (ChartStepRecord & { readonly from: number })[];
  readonly calls: StoredModelCall[];
  readonly acknowledged: string[];
};

/** Returns a record of nothing, or of these facts. */
export const recordOf = (facts: Fact[] = []): Recorded => ({ facts, steps: [], calls: [], acknowledged: [] });

/** Returns what an append that failed was to write, with what was recorded since. */
export function joined(first: Recorded, { facts, steps, calls, acknowledged }: Recorded): Recorded {
  const behind = first.facts.length;
  return {
    facts: [...first.facts, ...facts],
    acknowledged: [...first.acknowledged, ...acknowledged],
    steps: [...first.steps, ...steps.map((step) => ({ ...step, from: step.from + behind }))],
    calls: [
      ...first.calls,
      ...calls.map((call) => ({
        ...call,
        after: (call.after ?? 0) + behind,
        steps: (call.steps ?? 0) + first.steps.length,
      })),
    ],
  };
}

/** The fact with which a journal begins, and goes on in a newer format. */
export const BEGINNING: Fact = { type: "session", data: { format: JOURNAL_FORMAT } };

/** The data that the store has of a session, as the next append needs them. */
export type Appended = {
  /** The last sequence number. */
  readonly seq: number;
  /** The positions of the messages. */
  readonly marks: MessageMarks;
  /** The position of the last append; absent: the next one writes it as a whole. */
  readonly position?: ChartPosition | undefined;
  /** The active tool groups, as JSON. */
  readonly groups?: string | undefined;
};

/** The data that the store has of a session without an entry. */
export const NOTHING: Appended = { seq: 0, marks: NO_MARKS };

/** Returns the active tool groups as JSON: most sessions have none, and the same text for that. */
export const groupsOf = ({
  activeGroups,
}: {
  readonly activeGroups?: readonly string[] | undefined;
}): string | undefined => (activeGroups?.length === 0 ? "[]" : activeGroups && JSON.stringify(activeGroups));

/** Steps with the number of facts that belong to each: those that were recorded after it and before the next. */
const withFacts = (steps: Recorded["steps"], length: number) =>
  steps.map((step, index) => ({ ...step, facts: (steps[index + 1]?.from ?? length) - step.from }));

/** Returns the batch that writes what was recorded, and what the store has after it. `calls`: what its checkpoint says of model calls;
 *  absent: it has none. */
export function batchOf(
  { facts, steps, calls: modelCalls, acknowledged }: Recorded,
  before: Appended,
  {
    journalState,
    at,
    calls,
    redact,
  }: {
    readonly journalState: JournalState;
    readonly at: number;
    readonly calls: StoredCalls | undefined;
    readonly redact?: ((value: Json) => Json) | undefined;
  },
): { readonly batch: Omit<Batch, "fence">; readonly after: Appended } {
  const { context, state, position, activeGroups } = journalState;
  const chartAt = chartPosition(context, state);
  const groups = groupsOf(journalState);
  const hasNewGroups = before.groups !== undefined && groups !== before.groups;
  const written: readonly Fact[] = [
    ...facts,
    ...(hasNewGroups ? [{ type: "groups" as const, data: { active: activeGroups ?? [] } }] : []),
    positionFact(
      before.position,
      chartAt,
      { at, steps: withFacts(steps, facts.length), modelCalls },
      journalState,
    ),
  ];
  const entries = written.map((fact, index): JournalEntry => {
    const short = shortForm(fact, at);
    const data: object | Json = redact ? redact(plain(short) as Json) : short;
    return { seq: before.seq + index + 1, at, type: fact.type, data: data as JsonObject };
  });
  const seq = before.seq + entries.length;
  const marks = written.reduce(
    (marked, fact, index) => marksAfter(marked, { ...fact, seq: before.seq + index + 1 }),
    before.marks,
  );
  const checkpoint =
    calls && (plain(checkpointOf(journalState, seq, { ...marks, calls })) as unknown as JsonObject);
  return {
    batch: {
      expectedSeq: before.seq,
      entries,
      position,
      ...(acknowledged.length > 0 && { ackInputs: acknowledged }),
      ...(checkpoint && { checkpoint: redact ? (redact(checkpoint) as JsonObject) : checkpoint }),
    },
    after: { seq, marks, position: chartAt, groups },
  };
}

/** Writes a whole session in one append, after the `seq` entries that the store has of it. */
export async function writeSession(
  store: SessionStore,
  { sessionId, fence }: Lease,
  facts: readonly Fact[],
  {
    seq = 0,
    ...about
  }: {
    readonly seq?: number;
    readonly at: number;
    readonly journalState: JournalState;
    readonly redact?: ((value: Json) => Json) | undefined;
  },
): Promise<void> {
  const calls = about.journalState.isAtRest ? { number: 0, known: [] } : undefined;
  try {
    const { batch } = batchOf(recordOf([BEGINNING, ...facts]), { ...NOTHING, seq }, { ...about, calls });
    await store.append(sessionId, { ...batch, fence });
  } catch (error) {
    throw agentErrorOf(error, "store/failed");
  }
}
