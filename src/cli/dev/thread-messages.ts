import type { MessagePort } from "node:worker_threads";
import type { AboutAgents } from "./about-agents.ts";

/** The data that a thread gets that drives the agents of a file. */
export type ThreadData = {
  /** The file of `--agents`, as it was typed. */
  readonly file: string;
  /** The store of the sessions, as `--store` names it. */
  readonly store: string;
  /** The address of the inspector, with the token of workers. */
  readonly inspect: string;
  /** The end of `serveQueue`. */
  readonly queue: MessagePort;
};

/** A file, and what changes when it is written: "" if it does not exist. */
export type LoadedFile = { readonly path: string; readonly version: string };

export type LogRecord = {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly event: string;
  readonly fields: { readonly [name: string]: unknown };
};

/** The reports of a thread. */
export type FromThread =
  /** A file is about to be loaded, or was looked for. */
  | ({ readonly type: "file" } & LoadedFile)
  /** The agents are loaded, and the worker takes sessions. `problems`: what is wrong with those that cannot be made. */
  | {
      readonly type: "ready";
      readonly agents: readonly string[];
      readonly about: AboutAgents;
      readonly problems: readonly string[];
    }
  /** The agents cannot be loaded: the thread ends. */
  | { readonly type: "failed"; readonly message: string; readonly stack: string }
  | ({ readonly type: "log" } & LogRecord);

/** Drain and end. */
export type ToThread = { readonly type: "close"; readonly deadlineMs: number };
