import { IS_SMOKE } from "../cpu.ts";
import { inProcess } from "../in-process.ts";
import { loopback } from "../loopback.ts";
import { byAgent, byBareLoop, perRun, SIZES } from "../rooms.ts";
import { turnOf } from "../task.ts";
import type { Workload } from "../workload.ts";

/** Runs of one sample. */
const RUNS = IS_SMOKE ? 2 : 60;
const size = SIZES.small;
const rounds = 1;
/** Until then, a run still gets cheaper: nearly all of its code runs once in it. */
const sampling = { samples: 31, warmUpMs: 8_000, sampleMs: 250 };

const WHY_SHORT =
  "a run also creates and ends an agent, takes a call and settles it (see the parts below), takes the steps of the chart, and checks and freezes what the model said; all of that is code and garbage that the loop does not have";

/** A new agent asks its model twice and runs one tool, without a network. */
export async function short(): Promise<Workload> {
  const server = inProcess([turnOf(0, size, rounds), turnOf(1, size, rounds)]);
  const agent = (read: "call" | "stream", transport: "fetch" | "openai") =>
    perRun(byAgent(server, size, { read, transport, rounds }), RUNS);
  return {
    title: "A run of one round",
    text: `A new agent asks its model twice and runs one tool, over a \`fetch\` that answers within the process. The bare loop does the same over
the \`openai\` package.`,
    unit: "µs",
    digits: 0,
    reference: "bare loop",
    variants: {
      "bare loop": { run: perRun(byBareLoop(server, size), RUNS) },
      "`agent.call`": { run: agent("call", "fetch"), aim: 1.2, why: WHY_SHORT },
      "`agent.stream`, all events read": {
        run: agent("stream", "fetch"),
        aim: 1.4,
        why: "as by `call`, and each delta is made an event",
      },
      '`agent.call`, `transport: "openai"`': { run: agent("call", "openai") },
      '`agent.stream`, `transport: "openai"`': { run: agent("stream", "openai") },
    },
    sampling,
  };
}

/** The same over a server on loopback. */
export async function http(): Promise<Workload> {
  const { server, close } = await loopback("small", rounds);
  return {
    title: "A run of one round over HTTP",
    text: "The same, by a server in a process of its own, which is not counted.",
    unit: "µs",
    digits: 0,
    reference: "bare loop",
    variants: {
      "bare loop": { run: perRun(byBareLoop(server, size), RUNS) },
      "`agent.call`": { run: perRun(byAgent(server, size, { rounds }), RUNS), aim: 1.15, why: WHY_SHORT },
      "`agent.stream`, all events read": {
        run: perRun(byAgent(server, size, { read: "stream", rounds }), RUNS),
      },
    },
    sampling,
    close,
  };
}
