import type { Status } from "../../agent/types.ts";
import { AgentError } from "../../base/error.ts";
import type { Decision, PendingCall } from "../../tool/pending.ts";
import type { GivenFlags } from "../read-flags.ts";
import { UsageError } from "../usage-error.ts";

/** A decision about one call. */
export type Decided = { readonly callId: string; readonly decision: Decision };

type Kind = {
  readonly decision: (text: string | undefined) => Decision | undefined;
  /** What a call must wait for to be decided so. */
  readonly fits: readonly PendingCall["waitsFor"][];
};

const KINDS: { readonly [flag: string]: Kind } = {
  answer: {
    decision: (text) => (text === undefined ? undefined : { answer: text }),
    fits: ["approval", "externalResult", "stopRequested", "unknownOutcome"],
  },
  approve: {
    decision: (text) => (text === undefined ? "approve" : undefined),
    fits: ["approval", "stopRequested"],
  },
  deny: {
    decision: (text) => (text === undefined ? "deny" : { deny: text }),
    fits: ["approval", "externalResult", "stopRequested", "unknownOutcome"],
  },
  retry: {
    decision: (text) => (text === undefined ? "retry" : undefined),
    fits: ["unknownOutcome", "externalResult"],
  },
};

const FLAG_FOR = {
  approval: "--approve",
  stopRequested: "--approve",
  externalResult: "--answer",
  unknownOutcome: "--answer or --retry",
} as const satisfies { readonly [waitsFor in PendingCall["waitsFor"]]: string };

/** What the flags decide about the open calls of a session. Throws a {@link UsageError} for a flag of a wrong form and
 *  `run/bad-results` for a call that is not open or waits for something else. */
export function readDecisions(
  flags: GivenFlags,
  { pending, phase }: Pick<Status, "pending" | "phase">,
): readonly Decided[] {
  const decided = Object.entries(KINDS).flatMap(([flag, kind]) =>
    flags.texts(flag).map((said) => decisionOf(flag, kind, said, { pending, phase })),
  );
  const ids = decided.map(({ callId }) => callId);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new UsageError(`Call "${twice}" is decided more than once.`);
  return decided;
}

function decisionOf(
  flag: string,
  kind: Kind,
  said: string,
  status: Pick<Status, "pending" | "phase">,
): Decided {
  if (flag === "answer" && !said.includes("=")) {
    throw new UsageError(`"--answer ${said}" has no answer: say --answer ${said}=TEXT.`);
  }
  const call = callOf(said, status.pending);
  const text = call && said.length > call.callId.length ? said.slice(call.callId.length + 1) : undefined;
  const decision = call && kind.decision(text);
  if (!call || !decision) throw noSuchCall(flag, said, status);
  if (!kind.fits.includes(call.waitsFor)) {
    throw new AgentError(
      "run/bad-results",
      `Call "${call.callId}" cannot be decided with --${flag}: use ${FLAG_FOR[call.waitsFor]}, or --deny.`,
    );
  }
  return { callId: call.callId, decision };
}

/** The call that `id` or `id=text` names; an id may hold a "=" itself, so the longest counts. */
function callOf(said: string, pending: readonly PendingCall[]): PendingCall | undefined {
  return pending
    .filter(({ callId }) => said === callId || said.startsWith(`${callId}=`))
    .toSorted((one, other) => other.callId.length - one.callId.length)[0];
}

function noSuchCall(
  flag: string,
  said: string,
  { pending, phase }: Pick<Status, "pending" | "phase">,
): AgentError {
  const open = pending.map(({ callId, name }) => `${callId} (${name})`).join(", ");
  const there =
    open !== ""
      ? `open are ${open}`
      : phase === "unfinished"
        ? "the turn was cut off and none waits yet; resume it without a decision first"
        : "none is open";
  return new AgentError("run/bad-results", `"--${flag} ${said}" names no open call: ${there}.`);
}
