import { messageOf } from "../../core/base/error.ts";
import { copyOf, type JsonObject } from "../../core/base/json.ts";
import { truth, wrongAnswer } from "../../core/base/wrong-answer.ts";
import { BREAKPOINTS, hasBreakpoints } from "../../core/tool/stored-slots.ts";
import { deniedResult, errorResult } from "../../core/tool/results.ts";
import { argsHashOf } from "../../core/tool/prepare-input.ts";
import type { ParsedInput, PermissionAction, AnyTool } from "../../core/tool/types.ts";
import { matchesName } from "../../core/tool/name-pattern.ts";
import { PERMISSION_ACTIONS } from "../../core/tool/tool-schema.ts";
import type { ToolUseBlock } from "../../core/message/types.ts";
import type { CallRecord } from "../../../machines/agent/call-record.ts";
import { termsOf } from "../../../machines/agent/updates/reviewing.ts";
import { decidedResult } from "../../../machines/agent/updates/calls.ts";
import type { Decision } from "../../core/tool/pending.ts";
import type { ReviewInput, Verdict } from "../../../machines/agent/services.ts";
import type { Host } from "./host.ts";
import { engineOf } from "../options/agent-rules.ts";
import type { Permissions } from "../options/agent-config.ts";
import { toolTerms } from "./run-call.ts";

type Judgement =
  | { readonly action: "ask"; readonly reason: string }
  | { readonly action: "allow" | "deny"; readonly reason?: string };

type Rule = NonNullable<Permissions["rules"]>[number];

function holds({ tool, action, when }: Rule, input: JsonObject): boolean {
  if (!when) return true;
  // The input itself is what will be executed.
  return truth(`\`when\` of the ${action} rule for '${tool}'`, when(copyOf(input)));
}

function matching(host: Host, call: ToolUseBlock, input: JsonObject, action: PermissionAction) {
  return host
    .permissions()
    ?.rules?.find(
      (rule) => rule.action === action && matchesName(rule.tool, call.name) && holds(rule, input),
    );
}

/** Returns the reason for which a rule asks: its own reason, or its place among the rules. */
function reasonOf(host: Host, call: ToolUseBlock, rule: Rule): string {
  const place = (host.permissions()?.rules?.indexOf(rule) ?? 0) + 1;
  return rule.reason ?? needsApproval(call, `rule ${place} \`${rule.tool}\` asks`);
}

function needsApproval({ name }: ToolUseBlock, cause: string): string {
  return `Tool '${name}' needs an approval, because ${cause}.`;
}

/** Returns the permission action of the tool itself, if it has any. */
function ownAction(host: Host, { permission }: AnyTool, value: unknown): PermissionAction | undefined {
  if (permission === undefined) return undefined;
  const returned: unknown =
    typeof permission === "function" ? permission(copyOf(value) as never, host.context()) : permission;
  if (PERMISSION_ACTIONS.includes(returned as PermissionAction)) return returned as PermissionAction;
  throw new TypeError(wrongAnswer("`permission`", returned, PERMISSION_ACTIONS.join(", ")));
}

/** Deny rules, remembered rules, ask rules, the tool's own, allow rules, otherwise. */
function judge(
  host: Host,
  tool: AnyTool,
  call: ToolUseBlock,
  { value, argsHash }: ParsedInput,
  { remembered }: ReviewInput,
): Judgement {
  const input = value as JsonObject;
  const deny = matching(host, call, input, "deny");
  if (deny) return { action: "deny", ...(deny.reason !== undefined && { reason: deny.reason }) };
  const isRemembered = remembered.some(
    (rule) => rule.tool === call.name && (rule.argsHash === undefined || rule.argsHash === argsHash),
  );
  if (isRemembered) return { action: "allow" };
  const ask = matching(host, call, input, "ask");
  if (ask) return { action: "ask", reason: reasonOf(host, call, ask) };
  const own = ownAction(host, tool, value);
  if (own === "ask") return { action: "ask", reason: needsApproval(call, "its own `permission` asks") };
  if (own === "deny") return { action: "deny" };
  if (own === "allow" || matching(host, call, input, "allow")) return { action: "allow" };
  const { otherwise = "allow" } = host.permissions() ?? {};
  if (otherwise !== "ask") return { action: otherwise };
  return { action: "ask", reason: needsApproval(call, "no rule is about it and `otherwise` asks") };
}

function isApproval(decision: Decision | undefined): boolean {
  if (decision === "approve") return true;
  return typeof decision === "object" && ("approve" in decision || "edit" in decision);
}

/** True if a person has approved the call: now, or before an attempt that is to be repeated. Permission that still asks has a
 *  hash too, but no approval. */
function isApproved({ decided, asks, argsHash }: CallRecord): boolean {
  return isApproval(decided) || (decided === "retry" && asks === undefined && argsHash !== undefined);
}

/** Permission asks a person, who decides about these very arguments. */
function asking(host: Host, call: ToolUseBlock, argsHash: string, reason: string): Verdict {
  const { expiresAfterMs } = host.permissions() ?? {};
  return {
    callId: call.id,
    action: "ask",
    argsHash,
    reason,
    ...(expiresAfterMs !== undefined && { expiresAt: host.now() + expiresAfterMs }),
  };
}

/** The hash of what would run now, if it is not what the person who approved or repeated the call was asked about. */
function changedHash(tool: AnyTool, record: CallRecord): string | undefined {
  if (record.argsHash === undefined || !isApproved(record)) return undefined;
  const argsHash = argsHashOf(tool, record.call);
  return argsHash === record.argsHash ? undefined : argsHash;
}

type Stops = (call: ToolUseBlock) => string | undefined;

async function review(
  host: Host,
  record: CallRecord,
  input: ReviewInput,
  stopBefore: Stops | undefined,
): Promise<Verdict> {
  const { decided } = record;
  const edited = typeof decided === "object" && "edit" in decided ? decided.edit : undefined;
  const { rawInput: _, ...plain } = record.call;
  const call: ToolUseBlock = edited ? { ...plain, input: edited } : record.call;
  const base = { callId: call.id };
  const result = decidedResult(record);
  if (result) return { ...base, action: result.state === "denied" ? "deny" : "answer", result };

  const terms = stopBefore ? undefined : termsOf(record, input.allowed);
  if (terms) return { ...base, action: "allow", ...terms };
  const found = host.find(call);
  if ("result" in found) return { ...base, action: "answer", result: found.result };
  const { tool } = found;
  const changed = changedHash(tool, record);
  if (changed !== undefined) {
    const reason = `What tool '${call.name}' would be given has changed since it was approved.`;
    return asking(host, record.call, changed, reason);
  }
  const prepared = await host.inputs.prepare(tool, call);
  if ("result" in prepared) return { ...base, action: "answer", result: prepared.result };

  const { argsHash } = prepared;
  const isOutput = tool === host.output()?.tool;
  const judged: Judgement = isOutput ? { action: "allow" } : judge(host, tool, call, prepared, input);
  if (judged.action === "deny") {
    const { reason } = judged;
    const text =
      reason === undefined ? "Permission denied by rules" : `Permission denied by rules: ${reason}`;
    return { ...base, action: "deny", result: deniedResult(call, text) };
  }
  const isGranted = isApproved(record);
  const rules = isOutput
    ? undefined
    : host.config.rules &&
      engineOf(host.config)?.read(host.config, tool, prepared.value as JsonObject, argsHash);
  if (judged.action === "ask" && !isGranted) return asking(host, call, argsHash, judged.reason);
  const stop = isGranted || isOutput ? undefined : stopBefore?.(call);
  if (stop !== undefined) return { ...base, action: "ask", argsHash, reason: stop };
  return {
    ...base,
    action: "allow",
    ...(isGranted && { argsHash }),
    ...toolTerms(host, tool),
    ...(rules && { rules }),
    ...(edited && { input: edited }),
  };
}

/** The function that judges the breakpoints of a session. Only one that has some loads it. */
async function stopsOf(host: Host, input: ReviewInput): Promise<Stops | undefined> {
  const { slots } = input;
  const hasSome = Object.hasOwn(slots, BREAKPOINTS) && hasBreakpoints(slots);
  return hasSome ? (await import("./stop-before.ts")).stopsOf(host, input) : undefined;
}

/** The verdicts on calls that have none. A predicate of the user that throws or gives nonsense denies its call. */
export async function reviewCalls(host: Host, input: ReviewInput): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  const stopBefore = await stopsOf(host, input);
  for (const record of input.calls) {
    try {
      verdicts.push(await review(host, record, input, stopBefore));
    } catch (error) {
      const text = `Error: The permission of tool '${record.call.name}' could not be judged: ${messageOf(error)}`;
      verdicts.push({
        callId: record.call.id,
        action: "deny",
        result: { ...errorResult(record.call, "tool/unavailable", text), state: "denied" },
      });
    }
  }
  return verdicts;
}
