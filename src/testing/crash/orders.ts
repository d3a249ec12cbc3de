import type { CrashRelease } from "./types.ts";

/** The orders of one process of a run. */
export type Orders = {
  /** The file with the agents. */
  readonly file: string;
  /** The file with the scenario, which may be another one. */
  readonly scenarioFile: string;
  readonly agent?: string | undefined;
  readonly scenario?: string | undefined;
  readonly input?: readonly string[] | undefined;
  /** The store, as `--store` takes it. */
  readonly store: string;
  readonly sessionId: string;
  readonly folder: string;
  readonly ledger: string;
  readonly tape: string;
  /** The number of this process in its run, from 1. */
  readonly life: number;
  /** The models are those of the agent, and their answers are recorded. */
  readonly isRecording: boolean;
  /** The point at which the process ends. */
  readonly point?: { readonly instant: string; readonly how: "kill" | "stop"; readonly afterMs?: number };
  readonly repeat?: string | undefined;
  readonly release?: Exclude<CrashRelease, "file"> | undefined;
  /** The time for which it waits for the lease of a process that is dead or stopped, ms. */
  readonly waitMs: number;
};

/** The environment variable with the folder of a run. */
export const FOLDER_VARIABLE = "AGENTCHART_CRASHTEST";
/** The environment variable with the orders. Other users can read the arguments of a process, and a store may have a password. */
export const ORDERS_VARIABLE = "AGENTCHART_CRASHTEST_ORDERS";
