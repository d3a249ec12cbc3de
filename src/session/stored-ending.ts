import { ENDINGS, type Ending, type Outcome } from "../../machines/agent/context.ts";
import type { SessionState } from "./format.ts";

type State = Pick<SessionState, "state" | "reason" | "kept" | "messages">;

/** True for a state in which hooks run once a turn has its outcome, or a call is refused. */
function isEnding(state: string): state is Ending["at"] {
  return (ENDINGS as readonly string[]).includes(state);
}

/** Returns the outcome of a turn of which an earlier release has noted nothing, from the data by which it can be known. */
function outcomeOf({ state, reason = "ERROR", kept, messages }: State): Outcome {
  const last = messages.at(-1);
  const error = {
    code: "run/invalid-event",
    message: "The turn has failed; the release that stored it has not noted why.",
  } as const;
  if (state === "doCall.onError" || reason === "ERROR") return { reason: "ERROR", error };
  const { wanted, interruption } = kept;
  return {
    reason,
    ...(state === "stopped.postCall" && last && { reply: { ...last, reason } }),
    ...(reason === "STRUCTURED_OUTPUT" && wanted?.value !== undefined && { output: wanted.value }),
    ...(reason === "INTERRUPTED" && interruption && { cause: interruption.cause }),
  };
}

/** Returns the outcome of a session that was stored while hooks ran at the end of its turn; undefined for any other. */
export function storedEnding(session: State): Ending | undefined {
  const { state, kept } = session;
  if (!isEnding(state)) return undefined;
  const { ending } = kept.progress;
  return ending?.at === state ? ending : { at: state, outcome: outcomeOf(session) };
}
