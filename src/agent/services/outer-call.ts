import type { Json } from "../../core/base/json.ts";
import type { AgentEventBody } from "../../core/event/types.ts";
import type { ToolUseBlock } from "../../core/message/types.ts";
import type { AnyTool, AnyToolContext } from "../../core/tool/types.ts";
import type { Spent } from "../../../machines/agent/call-record.ts";
import type { RuleStates } from "../../core/tool/rules/law.ts";
import type { Host } from "./host.ts";

/** The knowledge of a tool about its call that has an agent of its own inside. */
export type OuterCall = {
  readonly host: Host;
  /** Emits what happened inside, as an event of the outer agent. Ignored once the call has ended. */
  emit(event: AgentEventBody, source: readonly string[]): void;
  /** Says what the inner agent has used in all; a later value replaces an earlier one. It counts once the call has its result. */
  spend(spent: Spent): void;
  /** Says what the rules remember of what the inner agent has done; a later value replaces an earlier one. It counts once the attempt of
   *  the call has ended. */
  remember(rules: RuleStates | undefined): void;
};

/** A call that was suspended to go on, and has got its result without that: its turn was interrupted, or somebody has answered it. */
export type LeftCall = {
  readonly host: Host;
  readonly call: ToolUseBlock;
  /** The state that it remembered. */
  readonly state: Json;
};

/** Brings what waits inside of a call to its end. */
export type LeaveInner = (left: LeftCall) => Promise<void>;

/** The key under which the context of a call has what only tools with an agent inside may know; copies of the context do not have it. */
const OUTER = Symbol("outer call");
const agentTools = new WeakSet<object>();
const leavers = new WeakMap<object, LeaveInner>();

/** Binds the context of a running call to what only tools with an agent inside may know. */
export function bindOuterCall(ctx: AnyToolContext, outer: OuterCall): void {
  Object.defineProperty(ctx, OUTER, { value: outer });
}

/** Returns the call with this context; undefined if it runs in no session. */
export function outerCallOf(ctx: object): OuterCall | undefined {
  return (ctx as { readonly [OUTER]?: OuterCall })[OUTER];
}

/** Says that tools with this `execute` have an agent inside, so that the calls of a batch share the budget. */
export function markAgentTool(execute: object): void {
  agentTools.add(execute);
}

/** Says what is to happen with what waits inside of a call of tools with this `execute`, if the call has its result without it. */
export function onLeft(execute: object, leave: LeaveInner): void {
  leavers.set(execute, leave);
}

/** Returns what {@link onLeft} has said about a tool. */
export function nestedAgentCloser({ execute }: Pick<AnyTool, "execute">): LeaveInner | undefined {
  return execute && leavers.get(execute);
}

/** True for a tool that has an agent inside. */
export function isAgentTool({ execute }: Pick<AnyTool, "execute">): boolean {
  return execute !== undefined && agentTools.has(execute);
}
