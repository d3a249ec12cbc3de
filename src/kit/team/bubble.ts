import type { JsonObject } from "../../core/base/json.ts";
import { AgentError } from "../../core/base/error.ts";
import type { Ask, Decision, PendingCall, WaitsFor } from "../../core/tool/pending.ts";
import { suspend } from "../../core/tool/suspend.ts";
import type { Resumed, Suspension } from "../../core/tool/types.ts";
import { addLimits } from "../../../machines/agent/updates/record.ts";
import { LIMITS, type Limits } from "../../../machines/agent/limits.ts";
import type { InnerAgent } from "../../agent/inbox-agent.ts";
import type { Snapshot } from "../../agent/types.ts";

/** The state that a call remembers while the agent inside of it waits. */
export type InnerState = {
  readonly sessionId: string;
  /** Its share of the budget, which does not change while it waits. */
  readonly limits: Limits;
  /** The amount that people have added to its limits. */
  readonly extended: Limits;
  /** The `argsHash` of what waited, by its address inside. */
  readonly hashes: { readonly [address: string]: string };
  /** The whole session, if there is no store. */
  readonly snapshot?: Snapshot;
};

/** The ids of the questions that are about the agent and not about one of its calls. */
const BUDGET = "budget";
const STOPPED = "stopped";

const amount: JsonObject = { type: "number", exclusiveMinimum: 0 };
const EXTENSION: JsonObject = {
  type: "object",
  properties: {
    extend: {
      type: "object",
      properties: Object.fromEntries(LIMITS.map((name) => [name, amount])),
      additionalProperties: false,
      minProperties: 1,
    },
  },
  required: ["extend"],
  additionalProperties: false,
};

/** The question whether an agent that has used up its budget gets more. */
export function budgetAsk(message: string): Ask {
  return { id: BUDGET, kind: "form", message, schema: EXTENSION };
}

/** The question whether an agent that was stopped goes on. */
const stoppedAsk = (message: string): Ask => ({
  id: STOPPED,
  kind: "question",
  message: `${message} Shall it go on?`,
});

function askAbout(call: PendingCall): Ask {
  return {
    id: call.callId,
    kind: "approval",
    message: call.reason ?? `Agent waits for '${call.name}'.`,
    call,
  };
}

/** Returns the questions of the call of an agent that waits, for all that is open. */
function asksFor(agent: string, waitsFor: readonly WaitsFor[], open: readonly PendingCall[]): readonly Ask[] {
  if (waitsFor.includes("budget"))
    return [budgetAsk(`Agent '${agent}' has used up its budget. How much more may it use?`)];
  if (waitsFor.includes("breakpoint"))
    return [stoppedAsk(`Agent '${agent}' has stopped at a breakpoint before it asks its model.`)];
  if (open.some((call) => call.waitsFor === "stopRequested"))
    return [stoppedAsk(`Agent '${agent}' was stopped before its tools ran.`)];
  return open.map(askAbout);
}

/** Returns the questions of the call of an agent that waits, and what the call remembers of what waits, with `state`. */
export function waitingFor(
  agent: Pick<InnerAgent, "name" | "status">,
  state?: Omit<InnerState, "hashes">,
): Suspension {
  const { name } = agent;
  const { waitsFor, pending } = agent.status();
  const open = pending.filter(({ decided }) => decided === undefined);
  const hashes = Object.fromEntries(open.map(({ callId, argsHash }) => [callId, argsHash]));
  const asks = asksFor(name, waitsFor, open);
  return suspend(`Agent '${name}' waits.`, { then: "resume", state: { ...state, hashes } as never, asks });
}

function isRefusal(decision: Decision | undefined): boolean {
  if (decision === "deny") return true;
  return (
    typeof decision === "object" && ("decline" in decision || "cancel" in decision || "deny" in decision)
  );
}

/** Returns the answer to a question about the agent itself: a model may call a call of its own by the same id. */
function answerAbout(resumed: Resumed | undefined, id: string): Decision | undefined {
  const { hashes = {} } = (resumed?.state ?? {}) as Partial<InnerState>;
  return Object.hasOwn(hashes, id) ? undefined : resumed?.answers[id];
}

/** Returns the amount that was added to the limits of the agent so far; the answer of this round included. */
export function extendedBy(resumed: Resumed | undefined): Limits {
  const { extended = {} } = (resumed?.state ?? {}) as Partial<InnerState>;
  const answer = answerAbout(resumed, BUDGET);
  if (typeof answer !== "object" || !("respond" in answer)) return extended;
  return addLimits(extended, (answer.respond as { readonly extend: Limits }).extend);
}

/** True if a person does not let the agent go on, whose budget is used up or which was stopped. */
export function isGivenUp(resumed: Resumed | undefined): boolean {
  return isRefusal(answerAbout(resumed, BUDGET)) || isRefusal(answerAbout(resumed, STOPPED));
}

/** An expired call of the agent takes no answer to a question. */
function decisionFor({ ask }: PendingCall, decision: Decision): Decision {
  if (ask || typeof decision !== "object" || !("cancel" in decision || "decline" in decision))
    return decision;
  return { deny: "Nobody has decided about it." };
}

/** Hands the answers of this round to what waits inside, and returns what is still open. What was answered in an earlier life of this
 *  process, or has expired by itself, is passed over. */
export async function answerInside(
  child: Pick<InnerAgent, "status" | "decide">,
  resumed: Resumed | undefined,
): Promise<readonly PendingCall[]> {
  const { hashes = {} } = (resumed?.state ?? {}) as Partial<InnerState>;
  const open: PendingCall[] = [];
  for (const call of child.status().pending) {
    if (call.decided) continue;
    const { callId, argsHash, waitsFor } = call;
    const decision = resumed?.answers[callId];
    if (waitsFor === "stopRequested" && resumed?.answers[STOPPED]) continue;
    if (decision === undefined || hashes[callId] !== argsHash) open.push(call);
    else
      await child.decide(callId, decisionFor(call, decision), { argsHash }).catch((error: unknown) => {
        const code = AgentError.is(error) ? error.code : undefined;
        if (code === "run/bad-decision") open.push(call); // an edit that does not fit: it is asked again
        else if (code !== "run/stale-decision") throw error;
      });
  }
  return open;
}
