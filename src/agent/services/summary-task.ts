import type { AgentConfig } from "../agent-config.ts";

const TASK = `Another model will go on with this conversation from your summary alone. Write down all that it needs and nothing else. If there is a summary of what came before, update it: drop only what no longer holds. Keep names, ids, paths, numbers and error messages exactly as they are. Use these sections, and leave out those that would be empty:

## Goal
## Wishes and limits of the user (verbatim where they are short)
## Done
## Under way
## Blocked
## Decisions and rejected ways, with reasons
## Facts and data that are needed
## Next steps

Answer with the summary only, and call no tool.`;

/** Returns what a model is asked that sums up a conversation: the wishes of the configuration and of the caller are part of it. */
export function summaryTask({ compaction }: Pick<AgentConfig<never>, "compaction">, asked?: string): string {
  const general = compaction === false ? undefined : compaction?.instructions;
  return [TASK, ...[general, asked].filter((wish) => wish !== undefined)].join("\n\n");
}
