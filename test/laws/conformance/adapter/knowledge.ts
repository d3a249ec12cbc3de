import type { Hook } from "agentchart";
import { knowledge, memoryKnowledge, type KnowledgeStore } from "agentchart/knowledge";
import type { RunnerKnowledge, Spec } from "./shapes.ts";

const MODES = { GENERIC: "generic", AGENTIC: "agentic" } as const;

/** The suite's base as a store that is only searched; its documents have no source. */
const toStore = (base: RunnerKnowledge): KnowledgeStore => ({
  ...memoryKnowledge(),
  search: async ({ text, limit }) =>
    (await base.retrieve(text, { limit })).map((each) => ({ ...each, source: "", meta: {} })),
});

export function toKnowledgeHooks(
  { ragMode = "GENERIC", ragLimit }: Spec,
  bases: readonly RunnerKnowledge[],
): readonly Hook[] {
  if (bases.length === 0 || ragMode === "NONE") return [];
  return [
    knowledge({
      stores: bases.map(toStore),
      mode: MODES[ragMode],
      ...(ragLimit !== undefined && { limit: ragLimit }),
    }),
  ];
}
