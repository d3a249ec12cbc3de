// machines/session holds the chart of a session's life in one process: its lease, its restore, its end.
import type { AgentError } from "../../src/base/error.ts";
import type {
  Branch,
  ChartDefinition,
  Effect,
  NamesOf,
  Refusal,
  StateDefinition,
} from "../chart/definition.ts";
import { Resolver } from "../chart/resolve.ts";

/** What a session's life depends on. */
export type SessionContext = {
  /** The name of the agent. */
  readonly name: string;
  /** True if the session is in a store. */
  readonly isDurable: boolean;
  /** Epoch ms until which the lease holds unless it is renewed, on the clock of this process; null without a lease. */
  readonly leaseUntil: number | null;
  /** Why the session ended, takes no calls, or cannot be read. */
  readonly error: AgentError | null;
};

type Failed = { readonly error: AgentError };

/** What happens to a session in a process. */
export type SessionEvent =
  /** The session is needed. */
  | { readonly type: "session.open" }
  /** The lease is acquired and the stored session is read. */
  | { readonly type: "session.read"; readonly until: number }
  /** The agent has what was read. */
  | { readonly type: "session.begun" }
  /** The session could not be read. */
  | ({ readonly type: "session.failed" } & Failed)
  /** No further calls begin; what runs may come to rest. */
  | ({ readonly type: "session.drain" } & Failed)
  /** The agent ends at once. */
  | ({ readonly type: "session.stop" } & Failed)
  | { readonly type: "lease.renewed"; readonly until: number }
  /** The store did not renew the lease, and may do so later. */
  | ({ readonly type: "lease.unrenewed"; readonly at: number } & Failed)
  /** Another process has the lease, or has appended. */
  | ({ readonly type: "lease.lost" } & Failed)
  /** A call that was taken begins. */
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
    isLeaseOver: ({ leaseUntil }: SessionContext, { at }: { readonly at: number }) =>
      leaseUntil !== null && at >= leaseUntil,
  },
  updates: {
    noteLease: (_: SessionContext, { until }: { readonly until: number }) => ({ leaseUntil: until }),
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
    /** Gives back a lease that came too late. */
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
        "session.open": [{ guard: "isDurable", target: "opening", actions: "read" }, { target: "open" }],
      },
    },
    opening: {
      description: "The lease is acquired, then the journal is read.",
      on: {
        "session.read": { actions: ["noteLease", "begin"] },
        "session.begun": { target: "open" },
        "session.failed": [
          { guard: "isUnreadable", target: "quarantined", actions: "noteReason" },
          { target: "closed" },
        ],
      },
    },
    open: {
      description: "This process may advance the session.",
      initial: "accepting",
      on: {
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
export const sessionChart: ChartDefinition<SessionContext> = { id: "session", vocabulary, root };

/** The chart of a session's life as a pure function. */
export const sessionResolver = new Resolver(sessionChart);
