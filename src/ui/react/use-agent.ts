import { useEffect, useMemo, useSyncExternalStore } from "react";
import type { MediaBlock, TextBlock } from "../../core/message/types.ts";
import type { Decision, PendingCall } from "../../core/tool/pending.ts";
import {
  EMPTY_VIEW,
  SessionConnection,
  type ConnectedView,
  type ConnectionOptions,
} from "./session-connection.ts";

/** Options of {@link useAgent}. Another `url` or `sessionId` is another session. */
export type UseAgentOptions = ConnectionOptions;

/** A session of an agent: what a page shows of it, and what it can do. All functions stay the same while `url` and `sessionId` do, and
 *  reject with a {@link SessionError}. A request that gets no answer is tried four times within some seconds, and takes effect once. */
export type AgentSession = ConnectedView & {
  /** Says something: text, or blocks of text and media. It begins a turn, or the one after the turn that runs. Resolves once it is stored. */
  readonly send: (input: string | readonly (TextBlock | MediaBlock)[]) => Promise<void>;
  /** Decides a call of {@link SessionView.pending}. Resolves once the decision is stored. Until a worker takes it, a later decision
   *  replaces it. One that comes after that, such as another tab's, changes nothing, and {@link SessionView.error} says so. */
  readonly decide: (call: PendingCall, decision: Decision) => Promise<void>;
  /** Adds to the turn that runs, before its next request to the model. Resolves once it is stored; {@link SessionView.error} says so if
   *  no turn has run any more. */
  readonly steer: (input: string | readonly (TextBlock | MediaBlock)[]) => Promise<void>;
  /** Ends the turn that runs or is suspended. `message` is added to the transcript. */
  readonly interrupt: (message?: string) => Promise<void>;
};

/**
 * Shows a session of `agentchart serve` in a page, and lets it go on: text as it is written, calls, what waits for a decision, the plan.
 * The page may be loaded again at any time, or be open twice: the session is on the server. A connection that is lost is opened again
 * and goes on after the last event that was received.
 *
 * @example
 * ```ts
 * import { createElement } from "react";
 * import { useAgent } from "agentchart/react";
 *
 * export function Approvals(props: { sessionId: string; token: string }) {
 *   const { pending, status, decide } = useAgent({ url: "https://agents.example.com", ...props });
 *   const buttons = pending.map((call) =>
 *     createElement("button", { key: call.callId, onClick: () => decide(call, "approve") }, `Approve ${call.name}`),
 *   );
 *   return createElement("section", { "aria-busy": status === "running" }, ...buttons);
 * }
 * ```
 */
export function useAgent(options: UseAgentOptions): AgentSession {
  const { url, sessionId } = options;
  const connection = useMemo(() => new SessionConnection(options), [url, sessionId]);
  useEffect(() => {
    connection.options = options;
  });
  const view = useSyncExternalStore(connection.subscribe, connection.getView, () => EMPTY_VIEW);
  return useMemo(() => {
    const { send, decide, steer, interrupt } = connection;
    return { ...view, send, decide, steer, interrupt };
  }, [connection, view]);
}
