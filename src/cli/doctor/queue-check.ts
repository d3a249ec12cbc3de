import { openQueue, queueSpec } from "../workers/open-backend.ts";
import { connectionProblem } from "./connection.ts";
import { ok, wrong, type Check } from "./check.ts";

/** Asks the queue how many wake-ups wait in it. */
export const queueCheck: Check = {
  name: "queue",
  async run({ flags: { queue: given }, env }, signal) {
    if (given === undefined) return [];
    const spec = queueSpec(given, env);
    const queue = openQueue(spec);
    const problem = /^rediss?:/.test(spec) ? await connectionProblem(spec, signal) : undefined;
    if (problem !== undefined) return [wrong("queue", `no connection (${problem}): is Redis running there?`)];
    try {
      const { waiting, active, delayed } = await queue.stats();
      const counts = `${waiting} wake-ups wait, ${active} are with workers, ${delayed} are for later`;
      return [ok("queue", given === "memory" ? "in the process of a worker" : `it answers; ${counts}`)];
    } finally {
      await queue.close();
    }
  },
};
