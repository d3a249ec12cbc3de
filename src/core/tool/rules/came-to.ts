import type { ToolResultBlock } from "../../message/types.ts";
import type { Came } from "./law.ts";

/** The codes of results of which nobody knows whether the call took effect, and the words in which others say so. */
export const UNKNOWN_OUTCOMES: ReadonlySet<string> = new Set([
  "tool/timeout",
  "tool/outcome-unknown",
  "tool/no-result",
]);
/** The words with which a result says that its call may have taken effect. */
export const SAYS_SO = "may have taken effect";

/** True if a call with this result may have taken effect, without having succeeded. */
export function isUncertain({
  state,
  code,
  output,
}: Pick<ToolResultBlock, "state" | "code" | "output">): boolean {
  if (state === "success" || state === "denied") return false;
  if (code !== undefined && UNKNOWN_OUTCOMES.has(code)) return true;
  return output.some((block) => block.type === "text" && block.text.includes(SAYS_SO));
}

/** The ids of messages that the chart itself has made. */
const OWN_ID = /:\d+$/u;

/** True for a message that the chart has made; results in others were given from outside. */
export const isOwnMessage = ({ id }: { readonly id: string }): boolean => OWN_ID.test(id);

/** Returns the outcome of a call of the history, whatever hooks have made of its result. */
export function cameTo({
  result,
  isGiven,
}: {
  readonly result: ToolResultBlock;
  /** The result came from outside. */
  readonly isGiven: boolean;
}): Came | undefined {
  const { account = {} } = result;
  const state = account.results?.[0]?.state ?? result.state;
  const isAnswered = account.decided?.some(({ decision, ask }) => decision === "answer" && ask === undefined);
  if (state === "success") return isAnswered || isGiven ? "answered" : "success";
  const attempts = account.attempts ?? [];
  const mayHave = attempts.some(({ endedAt, code, error }) =>
    endedAt === undefined
      ? true
      : isUncertain({ state: "error", ...(code && { code }), output: [{ type: "text", text: error }] }),
  );
  return mayHave || isUncertain({ ...result, state }) ? "maybe" : undefined;
}

/** The attempts before the last one of which nobody knows the outcome, and which count beside it: a person has let another one follow each. */
export function unknownBefore({ account = {}, state, ...result }: ToolResultBlock): number {
  const own = account.results?.[0]?.state ?? state;
  if (own !== "success" && !isUncertain({ ...result, state: own })) return 0;
  const repeats = account.decided?.filter(({ decision }) => decision === "retry").length ?? 0;
  const open = account.attempts?.slice(0, -1).filter(({ endedAt }) => endedAt === undefined).length ?? 0;
  return Math.min(repeats, open);
}
