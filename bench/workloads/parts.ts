import { createAgent, type Agent, type ChatModel } from "agentchart";
import { cpuMicros, IS_SMOKE } from "../cpu.ts";
import { roomTool, SIZES } from "../rooms.ts";
import { bareRounds } from "../two-states.ts";
import type { Workload } from "../workload.ts";

/** Agents of one sample. */
const AGENTS = IS_SMOKE ? 2 : 100;

/** A model that answers all its calls at once when it is told to. */
function heldModel(): {
  readonly model: ChatModel;
  readonly asked: Promise<void>;
  readonly answer: () => void;
} {
  const asked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  let calls = 0;
  const model: ChatModel = {
    name: "held",
    async *stream() {
      if (++calls === AGENTS) asked.resolve();
      await held.promise;
      yield { type: "text.delta", delta: "Done." };
      yield { type: "finish", reason: "stop" };
    },
  };
  return { model, asked: asked.promise, answer: held.resolve };
}

const tools = [roomTool(SIZES.small)];

/** What one part of a turn without tools costs an agent, CPU µs. */
function part(of: "create" | "take" | "settle" | "close"): () => Promise<number> {
  return async () => {
    const { model, asked, answer } = heldModel();
    const agents: Agent[] = [];
    let calls: Promise<unknown>[] = [];
    const spent = {
      create: await cpuMicros(async () => {
        for (let count = 0; count < AGENTS; count++)
          agents.push(createAgent({ name: "bench", sysPrompt: "Be brief.", model, tools }));
      }),
      take: await cpuMicros(() => {
        calls = agents.map((agent) => agent.call("Go."));
        return asked;
      }),
      settle: await cpuMicros(() => {
        answer();
        return Promise.all(calls);
      }),
      close: await cpuMicros(() => Promise.all(agents.map((agent) => agent.close()))),
    };
    return spent[of] / AGENTS;
  };
}

/** Creating an agent, taking a call, settling it. */
export async function parts(): Promise<Workload> {
  return {
    title: "The parts of a short run",
    text: `${AGENTS} agents are created, then all take a call up to their request, then all get an answer of one word and settle, then all are
closed. The bare machine goes one round.`,
    unit: "µs",
    digits: 1,
    reference: "a bare machine",
    variants: {
      "a bare machine": { run: bareRounds },
      "creating an agent": { run: part("create") },
      "taking a call": { run: part("take") },
      "answering and settling": { run: part("settle") },
      "closing an agent": { run: part("close") },
    },
    sampling: { samples: 21, warmUpMs: 1_500, sampleMs: 250 },
  };
}
