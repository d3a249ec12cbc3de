import { configError } from "../../core/base/error.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { LEASE_MS } from "../../store/lease.ts";
import type { AnyToolContext } from "../../core/tool/types.ts";
import type { Limits } from "../../../machines/agent/limits.ts";
import type { OuterCall } from "../../agent/services/run-call.ts";
import { engineOf } from "../../agent/options/agent-rules.ts";
import { permissionsWithin } from "../../agent/nested-path.ts";
import type { AnyAgentConfig } from "../../agent/options/agent-config.ts";
import type { SessionOptions } from "../../agent/options/config-groups.ts";
import type { Snapshot } from "../../agent/types.ts";
import type { AgentToolAgent } from "./options.ts";

/** The part of the parent's grace period that an inner agent gets, so that its result still comes in time. */
const GRACE_SHARE = 0.75;
const GRACE_MS = 2_000;

/** The time for which a session is waited for whose process has died, in lease times. */
const LEASES = 2;

/** Returns the time for which a session is waited for that another process has, ms. */
export function waitMsOf({ sessionOptions }: Pick<AnyAgentConfig, "sessionOptions"> = {}): number {
  return LEASES * (sessionOptions?.leaseMs ?? LEASE_MS);
}

/** The options of which the configuration of an inner agent is made. */
export type InnerOptions = {
  readonly agent: AgentToolAgent;
  readonly ctx: Pick<AnyToolContext, "callId" | "context">;
  readonly outer: Pick<OuterCall, "host"> | undefined;
  readonly sessionId: string;
  readonly limits: Limits;
  readonly snapshot: Snapshot | undefined;
};

/** The lower of two limits, each by each. */
function lowest(own: Limits, given: Limits): Limits {
  const names = [...new Set([...Object.keys(own), ...Object.keys(given)])] as (keyof Limits)[];
  return Object.fromEntries(
    names.map((name) => [name, Math.min(own[name] ?? Infinity, given[name] ?? Infinity)]),
  ) as Limits;
}

/** The limits of an agent: the lower of its own and of those that its parent gives it. */
export function limitsOf({ budget = {} }: AgentToolAgent, given: Limits): Limits {
  const { onExceeded: _, ...own } = budget;
  return lowest(own, given);
}

/** The labels by which the sessions of the parent are found, its agent's excepted, and where the session belongs. */
function metaOf(
  { meta: own }: AgentToolAgent,
  { host }: Pick<OuterCall, "host">,
  callId: string,
): JsonObject {
  const { agent: _, parent: __, ...labels } = host.config.meta ?? {};
  return { ...labels, ...own, parent: { sessionId: host.sessionId, callId } };
}

/** The options about the session of an agent that runs inside of a call: on the parent's clock, and saved as its session is. */
function sessionOptionsOf(
  { sessionOptions: own }: AgentToolAgent,
  parent: AnyAgentConfig | undefined,
  snapshot: Snapshot | undefined,
): SessionOptions {
  const { now, newId, redact, durability, leaseMs } = parent?.sessionOptions ?? {};
  return {
    ...(now && { now }),
    ...(newId && { newId }),
    ...(redact && { redact }),
    ...own,
    ...(parent?.store && durability && { durability }),
    ...(parent?.store && leaseMs !== undefined && { leaseMs }),
    ...(!parent?.store && snapshot && { snapshot }),
  };
}

/** The rules of the parent and its own, if there are any. */
function rulesOption(
  { rules }: AgentToolAgent,
  parent: AnyAgentConfig | undefined,
): Pick<AnyAgentConfig, "rules"> {
  const engine = parent && engineOf(parent);
  if (!engine) return rules ? { rules } : {};
  return { rules: engine.within(rules ?? [], parent.rules!) };
}

/** The configuration of an agent that runs inside of a call: in the parent's store, on its clock, and within what it permits. */
export function innerConfig(options: InnerOptions): AnyAgentConfig {
  const { agent, ctx, outer, sessionId, limits, snapshot } = options;
  const parent = outer?.host.config;
  const { onExceeded } = agent.budget ?? {};
  const grace = agent.turnOptions?.interruptGraceMs ?? GRACE_MS;
  const outerGrace = Math.floor((parent?.turnOptions?.interruptGraceMs ?? GRACE_MS) * GRACE_SHARE);
  const prices = parent?.modelOptions?.prices;
  return {
    ...(parent?.inspect && { inspect: parent.inspect }),
    ...(ctx.context !== undefined && { context: ctx.context }),
    ...(agent as AnyAgentConfig),
    sessionId,
    permissions: permissionsWithin(agent.permissions, outer?.host.permissions(), true),
    ...rulesOption(agent, parent),
    budget: { ...limits, ...(onExceeded && { onExceeded }) },
    ...(prices && {
      modelOptions: { ...agent.modelOptions, prices: { ...prices, ...agent.modelOptions?.prices } },
    }),
    turnOptions: { ...agent.turnOptions, interruptGraceMs: Math.min(grace, outerGrace) },
    sessionOptions: sessionOptionsOf(agent, parent, snapshot),
    ...(outer && { meta: metaOf(agent, outer, ctx.callId) }),
    ...(parent?.store && { store: parent.store }),
  };
}

/** Throws `config/invalid` for an agent that says where its session is. */
export function checkSessionless(agent: AgentToolAgent): void {
  const { sessionOptions = {} } = agent;
  const inGroup = ["snapshot", "durability", "leaseMs"].find((key) => key in sessionOptions);
  const given =
    ["store", "sessionId"].find((key) => key in agent) ?? (inGroup && `sessionOptions.${inGroup}`);
  if (given === undefined) return;
  throw configError(
    `agentTool: the agent '${agent.name}' has a \`${given}\`; expected none, because its session lies in the store of the agent that calls it.`,
  );
}
