import { positionSchema } from "../core/event/position.ts";
import { decideShape } from "../agent/options/call-schema.ts";
import * as s from "../core/base/option-schema.ts";
import { storeSchema } from "../store/store-schema.ts";
import { wakeShape } from "./queue/wake-schema.ts";
import type { WakeQueue } from "./queue/port.ts";
import type { ScheduleOptions } from "./schedule/options.ts";
import type {
  CommandOptions,
  DispatcherOptions,
  DispatchOptions,
  Dispatcher,
  SubscribeOptions,
  TenantLimits,
  Worker,
  WorkerAgents,
  WorkerOptions,
} from "./types.ts";

export const queueSchema = s.lazily(() =>
  s.having<WakeQueue>("wake", "a WakeQueue, such as inProcessQueue() or bullQueue()"),
);

/** The schema of {@link DispatcherOptions}. A backend that is spread may have functions of its own. */
export const dispatcherSchema = s.lazily(() =>
  s.openOptions<DispatcherOptions>(
    { queue: queueSchema(), store: storeSchema(), now: s.optional(s.func()) },
    { what: "an object with `queue` and `store`" },
  ),
);

/** The schema of {@link TenantLimits}. */
export const tenantLimitsSchema = s.lazily(() =>
  s.options<TenantLimits>(
    {
      concurrency: s.optional(s.integer(1)),
      rate: s.optional(
        s.options<NonNullable<TenantLimits["rate"]>>({ max: s.integer(1), perMs: s.integer(1) }),
      ),
    },
    { of: "limits" },
  ),
);

/** The schema of {@link WorkerOptions}. */
export const workerSchema = s.lazily(() =>
  s.openOptions<WorkerOptions>(
    {
      queue: queueSchema(),
      store: storeSchema(),
      agents: s.recordOf(
        s.func<WorkerAgents[string]>("a function: (session) => configuration"),
        "an object of functions: { name: (session) => configuration }",
      ),
      concurrency: s.optional(s.integer(1)),
      leaseMs: s.optional(s.integer(1)),
      pollMs: s.optional(s.integer(1)),
      sweepMs: s.optional(s.integer(0)),
      retryMs: s.optional(s.integer(1)),
      maxCrashes: s.optional(s.integer(1)),
      maxTries: s.optional(s.integer(1)),
      unknownAgentMs: s.optional(s.integer(0)),
      storeTimeoutMs: s.optional(s.integer(0)),
      schedules: s.optional(
        s.recordOf(s.object<ScheduleOptions>("a schedule, such as { agent, input, cron }")),
      ),
      limits: s.optional(s.recordOf(tenantLimitsSchema())),
      now: s.optional(s.func()),
    },
    { what: "an object with `queue`, `store` and `agents`" },
  ),
);

/** The schema of the options of {@link Worker.close}. */
export const closeSchema = s.lazily(() =>
  s.options<NonNullable<Parameters<Worker["close"]>[0]>>({ deadlineMs: s.optional(s.atLeast(0)) }),
);

/** The schema of {@link CommandOptions}. */
export const commandSchema = s.lazily(() =>
  s.options<CommandOptions>({ idempotencyKey: s.optional(s.nonEmpty()) }),
);

/** The schema of the options of {@link Dispatcher.compact}. */
export const compactSchema = s.lazily(() =>
  s.options<NonNullable<Parameters<Dispatcher["compact"]>[1]>>({
    idempotencyKey: s.optional(s.nonEmpty()),
    instructions: s.optional(s.string()),
  }),
);

/** The schema of the options of {@link Dispatcher.decide}. */
export const decideSchema = s.lazily(() =>
  s.options<NonNullable<Parameters<Dispatcher["decide"]>[3]>>({
    idempotencyKey: s.optional(s.nonEmpty()),
    ...decideShape(),
  }),
);

/** The schema of the options of {@link Dispatcher.setSlot}. */
export const setSlotSchema = s.lazily(() =>
  s.options<NonNullable<Parameters<Dispatcher["setSlot"]>[3]>>({
    idempotencyKey: s.optional(s.nonEmpty()),
    revision: s.optional(s.integer(0)),
  }),
);

/** The schema of {@link DispatchOptions}. */
export const dispatchSchema = s.lazily(() =>
  s.options<DispatchOptions>({
    agent: s.optional(s.nonEmpty()),
    ...wakeShape(),
    idempotencyKey: s.optional(s.nonEmpty()),
    meta: s.optional(s.object()),
    reportTo: s.optional(s.nonEmpty()),
    clientTools: s.optional(s.list()),
  }),
);

/** The schema of {@link SubscribeOptions}. */
export const subscribeSchema = s.lazily(() =>
  s.options<SubscribeOptions>({
    after: s.optional(positionSchema()),
    signal: s.optional(s.having("addEventListener", "an AbortSignal")),
  }),
);

/** The schema of the options of {@link Dispatcher.deadLetters}. */
export const deadLettersSchema = s.lazily(() =>
  s.options<NonNullable<Parameters<Dispatcher["deadLetters"]>[0]>>({
    meta: s.optional(s.object()),
    cursor: s.optional(s.string()),
    limit: s.optional(s.integer(1)),
  }),
);
