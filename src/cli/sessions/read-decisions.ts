import type { Status } from "../../agent/types.ts";
import { AgentError } from "../../core/base/error.ts";
import { typedValue, type Decision, type PendingCall } from "../../core/tool/pending.ts";
import { UsageError } from "../usage-error.ts";

/** The decision about one open call. */
export type CallDecision = { readonly callId: string; readonly decision: Decision };

type DecisionKind = {
  /** The decision for the text after "CALL=", which is undefined for "CALL" alone; undefined if the form is wrong. */
  readonly decision: (text: string | undefined, call: PendingCall) => Decision | undefined;
  /** The possible conditions for which a call must wait to be decided so. */
  readonly appliesTo: readonly PendingCall["waitsFor"][];
};

const KINDS = {
  answer: {
    decision: (text, { ask, answerSchema }) => {
      if (text === undefined) return undefined;
      return ask ? { respond: typedValue(text, answerSchema) } : { answer: text };
    },
    appliesTo: ["approval", "answer", "externalResult", "stopRequested", "unknownOutcome"],
  },
  approve: {
    decision: (text) => (text === undefined ? "approve" : undefined),
    appliesTo: ["approval", "stopRequested"],
  },
  deny: {
    decision: (text, { waitsFor }) => {
      if (waitsFor === "answer") return text === undefined ? { decline: true } : undefined;
      return text === undefined ? "deny" : { deny: text };
    },
    appliesTo: ["approval", "answer", "externalResult", "stopRequested", "unknownOutcome"],
  },
  retry: {
    decision: (text) => (text === undefined ? "retry" : undefined),
    appliesTo: ["unknownOutcome", "externalResult"],
  },
} as const satisfies { readonly [flag: string]: DecisionKind };

type Flag = keyof typeof KINDS;

/** The values of the flags `--answer`, `--approve`, `--deny` and `--retry`. */
export type DecisionFlags = { readonly [flag in Flag]: readonly string[] };

const FLAG_FOR = {
  approval: "--approve",
  stopRequested: "--approve",
  answer: "--answer",
  externalResult: "--answer",
  unknownOutcome: "--answer or --retry",
} as const satisfies { readonly [waitsFor in PendingCall["waitsFor"]]: string };

type OpenCalls = Pick<Status, "pending" | "phase">;

/** The decisions of the flags about the open calls of a session. Throws a {@link UsageError} for a value of the wrong form,
 *  and `run/bad-results` for a call that is not open or waits for something else. */
export function readDecisions(flags: DecisionFlags, status: OpenCalls): readonly CallDecision[] {
  const decisions = (Object.keys(KINDS) as Flag[]).flatMap((flag) =>
    flags[flag].map((value) => decisionOf(flag, value, status)),
  );
  const ids = decisions.map(({ callId }) => callId);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new UsageError(`Call "${twice}" has more than one decision.`);
  return decisions;
}

function decisionOf(flag: Flag, value: string, status: OpenCalls): CallDecision {
  const kind: DecisionKind = KINDS[flag];
  if (flag === "answer" && !value.includes("=")) {
    throw new UsageError(`"--answer ${value}" has no answer: use --answer ${value}=TEXT.`);
  }
  const call = callOf(value, status.pending);
  const text = call && value.length > call.callId.length ? value.slice(call.callId.length + 1) : undefined;
  const decision = call && kind.decision(text, call);
  if (!call || !decision) throw unknownCall(flag, value, status);
  if (!kind.appliesTo.includes(call.waitsFor)) {
    throw new AgentError(
      "run/bad-results",
      `Call "${call.callId}" cannot be decided with --${flag}: use ${FLAG_FOR[call.waitsFor]}, or --deny.`,
    );
  }
  return { callId: call.callId, decision };
}

/** The call of "CALL" or "CALL=TEXT". An id may contain "=", so the longest id that matches counts. */
function callOf(value: string, pending: readonly PendingCall[]): PendingCall | undefined {
  return pending
    .filter(({ callId }) => value === callId || value.startsWith(`${callId}=`))
    .toSorted((one, other) => other.callId.length - one.callId.length)[0];
}

function unknownCall(flag: Flag, value: string, { pending, phase }: OpenCalls): AgentError {
  const open = pending.map(({ callId, name }) => `${callId} (${name})`).join(", ");
  const found =
    open !== ""
      ? `open calls are ${open}`
      : phase === "unfinished"
        ? "the turn was cut off and no call is open yet; resume it without a decision first"
        : "no call is open";
  return new AgentError("run/bad-results", `"--${flag} ${value}" does not name an open call: ${found}.`);
}
