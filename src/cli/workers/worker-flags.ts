import type { FlagSpec } from "../read-flags.ts";

const COMMON_FLAGS = {
  store: { type: "text" },
  queue: { type: "text" },
  debug: { type: "switch" },
  help: { type: "switch", short: "h" },
} as const satisfies FlagSpec;

/** The flags of `agentchart worker`. */
export const WORKER_FLAGS = {
  agents: { type: "text" },
  concurrency: { type: "text" },
  "max-per-tenant": { type: "text" },
  rate: { type: "text" },
  "lease-ms": { type: "text" },
  "sweep-ms": { type: "text" },
  "max-crashes": { type: "text" },
  "patience-ms": { type: "text" },
  "drain-ms": { type: "text" },
  "health-port": { type: "text" },
  "health-host": { type: "text" },
  "log-level": { type: "text" },
  ...COMMON_FLAGS,
} as const satisfies FlagSpec;

/** The flags of `agentchart serve`. */
export const SERVE_FLAGS = {
  tokens: { type: "text" },
  "insecure-no-auth": { type: "switch" },
  agent: { type: "text" },
  host: { type: "text" },
  port: { type: "text" },
  "max-body": { type: "text" },
  rate: { type: "text" },
  "log-level": { type: "text" },
  ...COMMON_FLAGS,
} as const satisfies FlagSpec;

/** The flags of `agentchart dead` without a command. */
export const DEAD_FLAGS = {
  debug: { type: "switch" },
  help: { type: "switch", short: "h" },
} as const satisfies FlagSpec;

/** The flags of `agentchart dead ls`. */
export const DEAD_LIST_FLAGS = {
  tenant: { type: "text" },
  limit: { type: "text" },
  ...COMMON_FLAGS,
} as const satisfies FlagSpec;

/** The flags of `agentchart dead retry`. */
export const DEAD_RETRY_FLAGS = {
  tenant: { type: "text" },
  all: { type: "switch" },
  ...COMMON_FLAGS,
} as const satisfies FlagSpec;
