import { scriptedModel } from "agentchart/testing";
// #region declare
import { memoryStore } from "agentchart/store/memory";
import { createSchedules, createWorker, inProcessQueue, type ScheduleOptions } from "agentchart/worker";

const morning: ScheduleOptions = {
  agent: "desk",
  input: "Write the report of yesterday.",
  cron: "30 2 * * *",
  timeZone: "Europe/Berlin",
};
// #endregion

// The clock of the example, so that it need not wait until a morning.
let time = Date.parse("2026-03-28T12:00:00Z");
const backend = { store: memoryStore(), queue: inProcessQueue(), now: () => time };
const agents = { desk: () => ({ name: "desk", model: scriptedModel(["Nothing happened."]) }) };

// #region worker
const worker = createWorker({ ...backend, agents, schedules: { morning }, sweepMs: 10 });
// #endregion
const ended = Promise.withResolvers<void>();
worker.subscribe((event) => {
  if (event.type === "schedule.tick") console.log(`${event.schedule} has started ${event.sessionId}`);
  if (event.type === "turn.end") ended.resolve();
});
await worker.start();

// #region program
const schedules = createSchedules(backend);
await schedules.add("payday", { agent: "desk", input: "Pay.", at: "2026-04-01T09:00:00+02:00" });
const ticks = await schedules.next("morning", 3);
console.log(ticks.map((tick) => new Date(tick).toISOString()).join("\n"));
await schedules.pause("payday");
// #endregion

time = ticks[0]!;
await ended.promise;
await worker.close();
await backend.queue.close();
for (const { name, state, starts } of (await schedules.list()).schedules)
  console.log(`${name}: ${state}, ${starts} starts`);
