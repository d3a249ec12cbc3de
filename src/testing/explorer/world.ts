import type { HookPoint } from "../../core/hook/types.ts";
import { Transcript } from "../../core/message/transcript.ts";
import type { Msg } from "../../core/message/types.ts";
import type { StoredSlots } from "../../core/tool/stored-slots.ts";
import type { Fingerprint } from "../../core/tool/fingerprint.ts";
import {
  freshContext,
  type AgentContext,
  type Ending,
  type WantedOutput,
} from "../../../machines/agent/context.ts";
import type { ExecutionData, Settings } from "../../../machines/agent/settings.ts";
import type { Desk, Gate } from "./desk.ts";
import { message, text, toolUse } from "./messages.ts";

/** One configuration of an agent, and how its services may behave. */
export type World = {
  readonly name: string;
  readonly settings: Settings;
  /** Hook points with listeners at first; `hooks.listen` changes between this and `otherwise`. */
  readonly listening: readonly HookPoint[];
  readonly otherwise: readonly HookPoint[];
  /** True if the only tool may run whatever its arguments are; `tools.allow` changes it. */
  readonly allows: boolean;
  readonly history: readonly Msg[];
  /** The terms on which a review lets a call run. */
  readonly tool: {
    readonly execution: ExecutionData;
    readonly onRestart: "retry" | "ask" | "fail";
    readonly maxParallel?: number;
    /** The slots that a call writes; hooks and people then write them too. */
    readonly writes?: readonly string[];
  };
  /** The slots of its sessions at first. */
  readonly slots?: StoredSlots;
  /** The cause for which a tool may be suspended, twice, to go on: questions of its own, or calls of an agent inside of it. */
  readonly asks?: "questions" | "approvals";
  /** Calls to the agent in one session, if they are others than the bounds say. */
  readonly calls?: number;
  /** The structured answer that calls ask for. */
  readonly wanted?: WantedOutput;
  /** The answers a model may give, by label; all of them if left out. */
  readonly answers?: readonly string[];
  /** Verdicts of a review besides `allow`. */
  readonly judges: boolean;
  /** The tools of an agent with rules, in the place of the only tool of the world. */
  readonly desk?: Desk;
  /** Judges calls in the place of a review; only in one thread. */
  readonly gate?: Gate;
  /** Sessions are loaded, too, whose last turn was cut off in hooks at its end. */
  readonly endings?: true;
  /** The agent of the world, and those that may take its place in the middle of a turn, by what differs. */
  readonly agent?: Fingerprint;
  readonly others?: { readonly [what: string]: Fingerprint };
};

/** The bounds of a walk. */
export type Bounds = {
  readonly name: "small" | "medium" | "large";
  /** Calls to the agent in one session. */
  readonly calls: number;
  /** Interrupts, steers, observed messages, crashes and changes of hooks in one session. */
  readonly disturbances: number;
  readonly worlds: readonly World[];
};

export function contextOf({ settings, history, listening, allows, tool, desk, slots }: World): AgentContext {
  const free = (desk?.tools ?? []).filter(({ isFree }) => isFree);
  const allowed = allows ? { tool } : Object.fromEntries(free.map(({ name, terms }) => [name, terms]));
  const fresh = freshContext(settings, Transcript.of(history));
  return { ...fresh, listening, allowed, ...(slots && { slots }) };
}

/** Sessions from elsewhere, by where they rest. */
export function loadedContexts(world: World, at: number): { readonly [rest: string]: AgentContext } {
  const fresh = {
    ...freshContext(world.settings, Transcript.of()),
    ...(world.slots && { slots: world.slots }),
  };
  const progress = { ...fresh.progress, ...(world.agent && { agent: world.agent }) };
  return {
    suspended: suspendedContext(world, at),
    unfinished: { ...fresh, at, progress: { ...progress, turn: 1, resumeAt: "reasoning" } },
    idle: { ...fresh, at },
    ...(world.endings && {
      ended: endingContext({ ...fresh, at, progress: { ...progress, turn: 1 } }, "stopped.postCall"),
      "ended, suspended": endingContext(suspendedContext(world, at), "suspended.postCall"),
    }),
  };
}

/** A session whose turn was cut off in hooks at its end. */
function endingContext(context: AgentContext, at: Ending["at"]): AgentContext {
  const outcome = context.outcome ?? { reason: "MODEL_STOP" };
  return {
    ...context,
    outcome,
    progress: { ...context.progress, resumeAt: "ending", ending: { at, outcome } },
  };
}

/** A session that waits for the result of a call. */
function suspendedContext(world: World, at: number): AgentContext {
  const asked = [message("l1", "user", [text("l1")]), message("l2", "assistant", [toolUse("l2.1")])];
  const fresh = {
    ...freshContext(world.settings, Transcript.of(asked)),
    ...(world.slots && { slots: world.slots }),
  };
  const call = {
    call: toolUse("l2.1"),
    status: "suspended",
    hooked: true,
    stored: false,
    attempt: 1,
    since: at,
  } as const;
  return {
    ...fresh,
    at,
    calls: [call],
    progress: { ...fresh.progress, turn: 1, batchAt: 1, ...(world.agent && { agent: world.agent }) },
    outcome: { reason: "TOOL_SUSPENDED" },
  };
}
