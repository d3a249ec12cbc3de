import { messagesOf } from "../agent/options/config.ts";
import { AgentError, errorInfo } from "../core/base/error.ts";
import type { Msg } from "../core/message/types.ts";
import { newOwner } from "../store/leases.ts";
import type { Lease, SessionStore } from "../store/port.ts";
import { SCHEDULE_PREFIX } from "../store/shared.ts";
import type { WakeQueue } from "./queue/port.ts";
import type { Report } from "./report.ts";
import { planTicks, started, type ScheduleState } from "./schedule/plan.ts";
import { readSchedule, wakeAtOf, writeSchedule, type ScheduleDefinition } from "./schedule/record.ts";
import { tickName, ticksOf } from "./schedule/ticks.ts";
import type { Dispatcher } from "./types.ts";

/** The objects with which a worker runs schedules. */
export type ScheduleContext = {
  readonly dispatcher: Pick<Dispatcher, "dispatch">;
  readonly store: SessionStore;
  readonly queue: WakeQueue;
  readonly report: Report;
  readonly now: () => number;
  readonly leaseMs: number;
  readonly retryMs: number;
  readonly isDraining: () => boolean;
};

/** The key of a tick's input: a session accepts it once, however often and by how many workers it is sent. */
export const tickKey = (name: string, tick: number): string => `${name}@${tickName(tick)}`;

/** The session that a tick starts. */
export const sessionOf = ({ sessionId }: Pick<ScheduleDefinition, "sessionId">, tick: number): string =>
  sessionId.replaceAll("{tick}", tickName(tick));

/**
 * Starts the ticks of a schedule that are due, and wakes a worker for the next one. Rejects if the store fails; the sweep finds the schedule
 * again.
 *
 * Each decision about ticks is stored before the first of them starts, so that whoever goes on after a crash starts the same ones, and each
 * start has a key of its own, so that the one that had been made before the crash is not made again.
 */
export async function runSchedule(context: ScheduleContext, id: string): Promise<void> {
  const { store, queue, leaseMs, retryMs, now } = context;
  const lease = await store.acquire(id, { owner: newOwner("schedule"), ttlMs: leaseMs });
  if (!lease) return queue.wake(id, { delayMs: retryMs });
  let wakeAt: number | undefined;
  try {
    wakeAt = await runTicks(context, lease);
  } catch (error) {
    if (!AgentError.is(error) || error.code !== "session/lease-lost") throw error; // then another process goes on
  } finally {
    await store.release(lease).catch(() => {}); // it expires
  }
  if (wakeAt !== undefined) await queue.wake(id, { delayMs: Math.max(0, Math.ceil(wakeAt - now())) });
}

/** Returns when the schedule must be looked at again. */
async function runTicks(context: ScheduleContext, lease: Lease): Promise<number | undefined> {
  const { store, report, now, isDraining } = context;
  const name = lease.sessionId.slice(SCHEDULE_PREFIX.length);
  const found = await readSchedule(store, name);
  if (!found) return undefined;
  const { definition } = found;
  const next = await ticksOf(definition.times);
  let { state } = found;
  for (;;) {
    await startTicks(context, definition, state);
    const done = started(state);
    const plan = planTicks(done, next, now(), definition);
    if (plan.skipped) report.emit({ type: "schedule.skipped", schedule: name, ...plan.skipped });
    if (plan.state === state) return wakeAtOf(state, next);
    ({ state } = plan);
    await writeSchedule(store, lease, state, { next });
    if (isDraining()) return wakeAtOf(state, next);
  }
}

async function startTicks(
  { dispatcher, report, now }: ScheduleContext,
  definition: ScheduleDefinition,
  { starting }: ScheduleState,
): Promise<void> {
  const { name, agent, input, priority, meta } = definition;
  for (const tick of starting) {
    const sessionId = sessionOf(definition, tick);
    const label = { schedule: name, tick: new Date(tick).toISOString() };
    const about = { ...label, tick, sessionId };
    try {
      const { state } = await dispatcher.dispatch(sessionId, labelled(messagesOf(input), label), {
        agent,
        priority,
        meta: { ...meta, ...label },
        idempotencyKey: tickKey(name, tick),
      });
      if (state === "accepted")
        report.emit({ type: "schedule.tick", ...about, lateMs: Math.max(0, now() - tick) });
    } catch (error) {
      const info = errorInfo(error, "store/failed");
      if (info.code === "run/key-reused") continue; // it was started with the input that the schedule had before
      if (info.code.startsWith("store/")) throw error;
      report.emit({ type: "schedule.failed", ...about, error: info });
    }
  }
}

/** Says in the first message which tick it is of. */
function labelled(
  [first, ...more]: readonly Msg[],
  label: { readonly [name: string]: string },
): readonly Msg[] {
  return first ? [{ ...first, metadata: { ...first.metadata, ...label } }, ...more] : [];
}
