// src/worker drives stored sessions from their durable inboxes, on any number of machines.
export { backgroundAgents, backgroundTasksSlot } from "./background-agents.ts";
export type { BackgroundAgentsOptions, BackgroundTask } from "./background-agents.ts";
export { bullQueue } from "./queue/bull.ts";
export type { BullQueueOptions } from "./queue/bull.ts";
export { inProcessQueue } from "./queue/in-process.ts";
export type { ConsumeOptions, Consumer, QueueStats, WakeOptions, WakeQueue, WakeUp } from "./queue/port.ts";
export { createDispatcher } from "./dispatcher.ts";
export type { MissedTicks, ScheduleOptions } from "./schedule/options.ts";
export { createSchedules } from "./schedules.ts";
export type { ScheduleInfo, Schedules } from "./schedules.ts";
export { createWorker } from "./worker.ts";
export type {
  AnyWorkerAgentConfig,
  CommandOptions,
  DeadLetter,
  Dispatched,
  Dispatcher,
  DispatcherOptions,
  DispatchOptions,
  Quarantine,
  ScheduleTick,
  SessionStatus,
  SubscribeOptions,
  TenantLimits,
  Worker,
  WorkerAgentConfig,
  WorkerAgents,
  WorkerEvent,
  WorkerOptions,
  WorkerSession,
  WorkerStats,
} from "./types.ts";
