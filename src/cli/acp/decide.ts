import type {
  AgentContext,
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import type { Agent } from "../../agent/types.ts";
import type { Decision, PendingCall } from "../../core/tool/pending.ts";

type Choice = PermissionOption & { readonly decision: Decision };

const choice = (kind: PermissionOption["kind"], name: string, decision: Decision): Choice => ({
  optionId: kind,
  kind,
  name,
  decision,
});

/** Returns the choices of a person for a call; undefined for a call that waits for something else than a permission. */
function choicesFor({ name, waitsFor, path, ask }: PendingCall): readonly Choice[] | undefined {
  if (waitsFor === "unknownOutcome")
    return [choice("allow_once", "Run it again", "retry"), choice("reject_once", "Leave it", "deny")];
  if (waitsFor !== "approval" || (ask && ask.kind !== "approval")) return undefined;
  const always = choice("allow_always", `Always allow ${name}`, { approve: true, remember: "tool" });
  return [
    choice("allow_once", "Allow", "approve"),
    ...(path || ask ? [] : [always]),
    choice("reject_once", "Reject", "deny"),
  ];
}

/** Returns the decision for a person who cannot make it here: a client of ACP has no form for it. */
const notHere = ({ ask }: PendingCall): Decision =>
  ask ? { cancel: true } : { deny: "It cannot be answered in this editor." };

/** Asks the person at the client about all that waits. Returns false if the person wants no more of the turn. */
export async function decideAll(agent: Agent, client: AgentContext, sessionId: string): Promise<boolean> {
  for (const call of agent.status().pending) {
    const { callId, name, input, reason, argsHash, decided, waitsFor } = call;
    if (decided || waitsFor === "stopRequested") continue;
    const choices = choicesFor(call);
    if (!choices) {
      await agent.decide(callId, notHere(call), { argsHash });
      continue;
    }
    const toolCall: ToolCallUpdate = {
      toolCallId: callId,
      title: name,
      rawInput: input,
      status: "pending",
      ...(reason !== undefined && {
        content: [{ type: "content", content: { type: "text", text: reason } }],
      }),
    };
    const options = choices.map(({ optionId, name: label, kind }) => ({ optionId, name: label, kind }));
    const request: RequestPermissionRequest = { sessionId, toolCall, options };
    const { outcome }: RequestPermissionResponse = await client.request(
      "session/request_permission",
      request,
    );
    if (outcome.outcome === "cancelled") return false;
    const chosen = choices.find(({ optionId }) => optionId === outcome.optionId);
    await agent.decide(callId, chosen?.decision ?? "deny", { argsHash });
  }
  return true;
}
