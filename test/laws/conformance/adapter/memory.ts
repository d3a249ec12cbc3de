import type { Hook } from "agentchart";
import { longTermMemory, type MemoryStore } from "agentchart/memory";
import type { InputMsg, RunnerMemory, Spec } from "./shapes.ts";

const MODES = { AGENT_CONTROL: "agent", STATIC_CONTROL: "static", BOTH: "both" } as const;

/** The suite's memory as a store: it answers with one text, and records messages. */
function toStore(memory: RunnerMemory): MemoryStore {
  return {
    async put(_, memories) {
      await memory.record(
        memories.map(({ text, meta }) => ({
          ...(meta as Pick<InputMsg, "role" | "name">),
          blocks: [{ type: "text", text }],
        })),
      );
      return memories.map(({ text }) => text);
    },
    async search(_, { text: query }) {
      const text = await memory.retrieve(query);
      return text === "" ? [] : [{ id: "1", text, score: 1, at: 0, meta: {} }];
    },
    list: async () => ({ memories: [] }),
    remove: async () => 0,
    close: async () => {},
  };
}

export function toMemoryHook({ ltmMode = "BOTH", ltmAsyncRecord }: Spec, memory: RunnerMemory): Hook {
  return longTermMemory({
    store: toStore(memory),
    scope: () => "suite",
    mode: MODES[ltmMode],
    record: { by: "verbatim", when: ltmAsyncRecord ? "later" : "postCall" },
  });
}
