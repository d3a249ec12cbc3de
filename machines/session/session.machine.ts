// machines/session holds the chart of a session's life in one process: its lease, its restore, its end.
import type { AgentError } from "../../src/core/base/error.ts";
import type {
  Branch,
  ChartDefinition,
  Effect,
  NamesOf,
  Refusal,
  StateDefinition,
} from "../chart/definition.ts";
import type { ChartMachine, NoSlots } from "../chart/machine-type.ts";
import { Resolver } from "../chart/resolve.ts";
import { machineOf } from "../chart/xstate-5.ts";

/** The data on which a session's life depends. */
export type SessionContext = {
  /** The name of the agent. */
  readonly name: string;
  /** True if the session is in a store. */
  readonly isDurable: boolean;
  /** Epoch ms until which the lease holds unless it is renewed, on the clock of this process; null without a lease. */
  readonly leaseUntil: number | null;
  /** Epoch ms until which opening waits for another process that has the session; 0: not at all. */
  readonly waitUntil: number;
  /** The reason for which the session ended, takes no calls, or cannot be read. */
  readonly error: AgentError | null;
};

type Failed = { readonly error: AgentError };

/** The events of a session in a process. */
export type SessionEvent =
  /** The session is needed. */
  | { readonly type: "session.open"; readonly waitUntil?: number }
  /** The lease is acquired and the stored session is read. */
  | { readonly type: "session.read"; readonly until: number }
  /** The agent has what was read. */
  | { readonly type: "session.begun" }
  /** The session could not be read. */
  | ({ readonly type: "session.failed"; readonly at: number } & Failed)
  /** The time has come to try again. */
  | { readonly type: "session.retry" }
  /** No further calls begin; what runs may come to rest. */
  | ({ readonly type: "session.drain" } & Failed)
  /** The agent ends at once. */
  | ({ readonly type: "session.stop" } & Failed)
  /** The process is about to exit: with this code, or because it has nothing left to do. */
  | { readonly type: "session.leave"; readonly isAtRest: boolean; readonly exitCode?: number }
  | { readonly type: "lease.renewed"; readonly until: number }
  /** The store did not renew the lease, and may do so later. */
  | ({ readonly type: "lease.unrenewed"; readonly at: number } & Failed)
  /** Another process has the lease, or has appended. */
  | ({ readonly type: "lease.lost" } & Failed)
  /** An accepted call begins. */
  | { readonly type: "call" }
  /** A call or another command arrives. */
  | { readonly type: "command" };

const host = (name: string) => (): readonly Effect[] => [{ type: "host", name }];

function whyEnded({ error }: SessionContext): Refusal {
  const { code, message, data } = error!;
  return { code, message, ...(data && { data }) };
}

const vocabulary = {
  guards: {
    isDurable: ({ isDurable }: SessionContext) => isDurable,
    /** This release cannot read what is stored. */
    isUnreadable: (_: SessionContext, { error }: Failed) =>
      error.code === "session/version" || error.code === "session/damaged",
    /** Another process has the session, and there is time left to wait for it. */
    mayWait: ({ waitUntil }: SessionContext, { at, error }: Failed & { readonly at: number }) =>
      error.code === "session/conflict" && error.retryAt !== undefined && at < waitUntil,
    /** A turn that runs while its process fails keeps its lease, so that it counts as one that its process died of. */
    mayLeave: (_: SessionContext, { isAtRest, exitCode }: Extract<SessionEvent, { type: "session.leave" }>) =>
      isAtRest || exitCode === 0,
    isLeaseOver: ({ leaseUntil }: SessionContext, { at }: { readonly at: number }) =>
      leaseUntil !== null && at >= leaseUntil,
  },
  updates: {
    noteLease: (_: SessionContext, { until }: { readonly until: number }) => ({ leaseUntil: until }),
    endLease: () => ({ leaseUntil: null }),
    beginWait: (_: SessionContext, { waitUntil = 0 }: { readonly waitUntil?: number }) => ({ waitUntil }),
    extendWait: (context: SessionContext, { waitUntil = 0 }: { readonly waitUntil?: number }) => ({
      waitUntil: Math.max(context.waitUntil, waitUntil),
    }),
    noteError: (_: SessionContext, { error }: Failed) => ({ error, leaseUntil: null }),
    noteReason: (_: SessionContext, { error }: Failed) => ({ error }),
  },
  effects: {
    /** Acquires the lease and reads the session. */
    read: host("read"),
    /** Puts what was read into the agent. */
    begin: host("begin"),
    /** Stops the agent and everything that it runs. */
    endAgent: host("endAgent"),
    /** Gives the lease back. */
    releaseLease: host("releaseLease"),
    /** Renews the lease no more. */
    abandonLease: host("abandonLease"),
  },
  refusals: {
    ended: ({ name }: SessionContext): Refusal => ({
      code: "run/closed",
      message: `Agent '${name}' is closed.`,
    }),
    /** The error that the session met. */
    failed: whyEnded,
  },
};

type Names = NamesOf<typeof vocabulary>;
type State = StateDefinition<SessionContext, Names>;

const STOP: Branch<Names> = { target: "#session.stopped", actions: "noteError" };
const LOSE: Branch<Names> = { target: "#session.lost", actions: "noteError" };

const root: State = {
  description: "One session in one process.",
  initial: "closed",
  on: { "session.stop": STOP },
  states: {
    closed: {
      description: "Nothing of the session is read, and this process has no lease.",
      on: {
        "session.open": [
          { guard: "isDurable", target: "opening", actions: ["beginWait", "read"] },
          { target: "open" },
        ],
      },
    },
    opening: {
      description: "The lease is acquired, then the journal is read.",
      on: {
        "session.open": { actions: "extendWait" },
        "session.read": { actions: ["noteLease", "begin"] },
        "session.begun": { target: "open" },
        "session.failed": [
          { guard: "isUnreadable", target: "quarantined", actions: "noteReason" },
          { guard: "mayWait", target: "waiting" },
          { target: "closed" },
        ],
      },
    },
    waiting: {
      description: "Another process has the session. Soon this one tries again.",
      on: {
        "session.open": { actions: "extendWait" },
        "session.retry": { target: "opening", actions: "read" },
      },
    },
    open: {
      description: "This process may advance the session.",
      initial: "accepting",
      on: {
        "session.leave": { guard: "mayLeave", target: "closed", actions: ["endLease", "releaseLease"] },
        "lease.renewed": { actions: "noteLease" },
        "lease.unrenewed": { guard: "isLeaseOver", ...LOSE },
        "lease.lost": LOSE,
      },
      states: {
        accepting: {
          description: "Calls begin.",
          on: { "session.drain": { target: "draining", actions: "noteReason" } },
        },
        draining: {
          description: "No further calls begin. The one that runs comes to rest.",
          on: { call: { refuse: "failed" } },
        },
      },
    },
    quarantined: {
      description: "This release cannot read the session.",
      on: {
        "session.open": { refuse: "failed" },
        call: { refuse: "failed" },
        command: { refuse: "failed" },
      },
    },
    lost: {
      description: "Another process may advance the session: nothing of it runs here any more.",
      entry: ["abandonLease", "endAgent"],
      on: {
        "session.open": { refuse: "failed" },
        "session.stop": {},
        call: { refuse: "failed" },
        command: { refuse: "failed" },
      },
    },
    stopped: {
      description: "The agent has ended.",
      entry: "endAgent",
      on: {
        "session.open": { refuse: "ended" },
        "session.read": { actions: "releaseLease" },
        "session.retry": { refuse: "failed" },
        "session.stop": {},
        call: { refuse: "failed" },
        command: { refuse: "ended" },
      },
    },
  },
};

/**
 * The life of a session in one process.
 *
 * Y1 Steps of the agent are stored only while the session is open.
 * Y2 A lost lease ends the agent in the step that learns of it (I6); a lease that was not renewed in time counts as lost.
 * Y3 Nothing leads out of `lost` and `stopped`. A lease that is acquired after the stop is released.
 */
export const sessionChart: ChartDefinition<SessionContext> = {
  id: "session",
  vocabulary,
  root,
  context: () => ({ name: "agent", isDurable: false, leaseUntil: null, waitUntil: 0, error: null }),
};

/** The chart of a session's life as a pure function. */
export const sessionResolver = new Resolver(sessionChart);

/** The type of the machine of a session's life. */
export type SessionMachine = ChartMachine<SessionContext, SessionEvent, typeof vocabulary, NoSlots>;

/** The chart of a session's life as a plain XState 5 machine. Its effects are performed by the action `perform`. */
export const sessionMachine: SessionMachine = machineOf<
  SessionContext,
  SessionEvent,
  typeof vocabulary,
  NoSlots
>(sessionResolver, {});
