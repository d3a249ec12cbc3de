import { isObject, type JsonObject } from "../../core/base/json.ts";
import { AgentError } from "../../core/base/error.ts";
import { SCHEDULE_PREFIX } from "../../store/shared.ts";
import type { Lease, SessionStore } from "../../store/port.ts";
import type { MissedTicks, ScheduleOptions } from "./options.ts";
import type { ScheduleState } from "./plan.ts";
import type { NextTick, Times } from "./ticks.ts";

// A schedule is stored as a session without a journal. Its checkpoint is what was asked for, its position the state. The `wakeAt` of the
// position is the next tick, so that `listDue` finds it, and its lease lets one worker at a time decide about ticks.

/** A schedule as it was asked for. */
export type ScheduleDefinition = {
  readonly name: string;
  readonly agent: string;
  readonly input: ScheduleOptions["input"];
  readonly times: Times;
  readonly sessionId: string;
  readonly missed: MissedTicks;
  readonly graceMs: number;
  readonly priority: number;
  readonly meta?: JsonObject;
  /** The one who asked for it: a program, or the options of a worker. */
  readonly origin: "program" | "worker";
};

/** A stored schedule. */
export type StoredSchedule = { readonly definition: ScheduleDefinition; readonly state: ScheduleState };

/** Returns the id under which a schedule is stored. */
export const scheduleId = (name: string): string => `${SCHEDULE_PREFIX}${name}`;

/** The version of the form in which schedules are stored. */
const FORMAT = 1;

/** Reads a schedule; undefined if there is none of this name. Rejects `session/version` for one of a later release. */
export async function readSchedule(store: SessionStore, name: string): Promise<StoredSchedule | undefined> {
  const found = await store.load(scheduleId(name));
  const { checkpoint, position } = found ?? {};
  const state = position?.["schedule"];
  if (!isObject(checkpoint) || !isObject(state)) return undefined;
  if (checkpoint["format"] !== FORMAT)
    throw new AgentError("session/version", `A later release has stored the schedule '${name}'.`);
  const { definition } = checkpoint as unknown as { readonly definition: ScheduleDefinition };
  return { definition, state: state as unknown as ScheduleState };
}

/** Returns when a worker must look at a schedule, epoch ms; undefined: never again unless it is changed. */
export function wakeAtOf(state: ScheduleState, next: NextTick): number | undefined {
  if (state.starting.length > 0) return state.starting[0];
  return state.isPaused ? undefined : next(state.decided);
}

/** Stores the state of a schedule, and with `definition` what was asked for. Rejects `session/lease-lost` once another process has it. */
export async function writeSchedule(
  store: SessionStore,
  { sessionId, fence }: Lease,
  state: ScheduleState,
  { next, definition }: { readonly next: NextTick; readonly definition?: ScheduleDefinition },
): Promise<void> {
  const wakeAt = wakeAtOf(state, next);
  const isOver = wakeAt === undefined && !state.isPaused;
  const position = {
    phase: isOver ? "stopped" : "suspended",
    ...(wakeAt !== undefined && { wakeAt }),
    schedule: state as unknown as JsonObject,
  };
  await store.append(sessionId, {
    expectedSeq: 0,
    fence,
    entries: [],
    position,
    ...(definition && { checkpoint: { format: FORMAT, definition: definition as unknown as JsonObject } }),
  });
}
