// One contender in a process of its own: `node contender-process.mjs NAME TASK`. Every message asks for one sample.
import { serverOf, TASKS } from "./work.mjs";

const [name, taskName] = process.argv.slice(2);
const task = TASKS[taskName];
const server = serverOf(task);
const { start } = await import(`./contenders/${name}.mjs`);
const run = start({ fetch: server.fetch, rounds: task.rounds });

async function runs(count) {
  for (let n = 0; n < count; n++) server.settle(await run());
}

async function checkedRun() {
  server.checked = true;
  await runs(1);
  server.checked = false;
}

/** CPU µs of this process, all threads, for each run. */
async function sample(count) {
  const before = process.cpuUsage();
  await runs(count);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

const answers = {
  /** Until so many seconds of CPU time are spent: on a loaded machine time on the wall does not warm anything up. */
  warmUp: async ({ seconds }) => {
    await checkedRun();
    const before = process.cpuUsage();
    for (;;) {
      await runs(1);
      const { user, system } = process.cpuUsage(before);
      if (user + system >= seconds * 1e6) return undefined;
    }
  },
  sample: () => sample(task.runs),
  end: async () => {
    await checkedRun();
    process.disconnect();
  },
};

process.on("message", ({ ask, ...options }) => {
  answers[ask](options).then(
    (value) => process.connected && process.send({ value }),
    (error) => {
      process.send({ error: error instanceof Error ? error.stack : String(error) });
      process.disconnect();
    },
  );
});
