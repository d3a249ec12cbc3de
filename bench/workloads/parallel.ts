import { IS_SMOKE } from "../cpu.ts";
import { inProcess, manyCalls } from "../in-process.ts";
import { byAgent, byBareLoop, perRun, SIZES, type AgentRun } from "../rooms.ts";
import { turnOf } from "../task.ts";
import type { Workload } from "../workload.ts";

const FEW = 50;
const MANY = 200;
/** Runs of one sample. */
const RUNS = IS_SMOKE ? 1 : 6;
const size = SIZES.small;

/** One turn that asks for many tools at once. */
export async function parallel(): Promise<Workload> {
  const few = inProcess([manyCalls(FEW), turnOf(1, size, 1)]);
  const many = inProcess([manyCalls(MANY), turnOf(1, size, 1)]);
  const agent = (server: typeof few, more: Partial<AgentRun> = {}) =>
    perRun(byAgent(server, size, { rounds: 1, config: () => ({ parallelToolCalls: true }), ...more }), RUNS);
  const why = "a result is a step of the chart with its checks, its events and a snapshot";
  return {
    title: `${FEW} tools at once`,
    text: `One answer asks for ${FEW} tools, which run in parallel and return at once; the bare loop runs them by \`Promise.all\`. Four times as many
tools cost four times as much if the cost of results is linear.`,
    unit: "µs",
    digits: 0,
    reference: "bare loop",
    variants: {
      "bare loop": { run: perRun(byBareLoop(few, size), RUNS) },
      "`agent.call`": { run: agent(few), aim: 2.2, why },
      "`agent.stream`, all events read": { run: agent(few, { read: "stream" }) },
      "`agent.call`, one after the other": { run: agent(few, { config: () => ({}) }) },
      [`bare loop, ${MANY} tools`]: { run: perRun(byBareLoop(many, size), RUNS) },
      [`\`agent.call\`, ${MANY} tools`]: {
        run: agent(many),
        over: "`agent.call`",
        aim: (MANY / FEW) * 1.1,
        why: "something is done for each result that grows with their number",
      },
    },
    sampling: { samples: 25, warmUpMs: 2_000, sampleMs: 250 },
  };
}
