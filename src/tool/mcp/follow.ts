import type { Toolkit } from "../types.ts";

/** What is used of an agent whose tools follow those of a server. */
export type Follower = {
  readonly toolkit: Pick<Toolkit<never>, "names" | "add" | "remove">;
  status(): { readonly phase: string };
  subscribe(listener: () => void, options: { readonly types: readonly ["turn.end"] }): () => void;
};

/** Calls `apply` when something changed and the agent is in no turn: then at once, else at the end of its turn. So the tools of a turn
 *  stay the same, and the agent of the next turn is another one, which voids what was remembered of changed tools. */
export function whenIdle(
  agent: Follower,
  onChange: (listener: () => void) => () => void,
  apply: () => void,
): () => void {
  let isWaiting = false;
  const attempt = (): void => {
    if (!isWaiting || agent.status().phase !== "stopped") return;
    isWaiting = false;
    apply();
  };
  const stop = [
    onChange(() => {
      isWaiting = true;
      attempt();
    }),
    agent.subscribe(attempt, { types: ["turn.end"] }),
  ];
  return () => stop.forEach((each) => each());
}
