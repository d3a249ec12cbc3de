import type { FlagSpec } from "./read-flags.ts";

const COMMON_FLAGS = {
  debug: { type: "switch" },
  help: { type: "switch", short: "h" },
} as const satisfies FlagSpec;

const AGENT_FLAGS = {
  model: { type: "text" },
  "base-url": { type: "text" },
  tools: { type: "text" },
  system: { type: "text" },
  "max-iters": { type: "text" },
  json: { type: "switch" },
} as const satisfies FlagSpec;

const STORE_FLAGS = { store: { type: "text" } } as const satisfies FlagSpec;

/** The flags without a command. */
export const PROGRAM_FLAGS = {
  help: { type: "switch", short: "h" },
  version: { type: "switch" },
} as const satisfies FlagSpec;

/** The flags of `agentchart run`. */
export const RUN_FLAGS = {
  ...AGENT_FLAGS,
  session: { type: "text" },
  ...STORE_FLAGS,
  ...COMMON_FLAGS,
} as const satisfies FlagSpec;

/** The flags of `agentchart chart`. */
export const CHART_FLAGS = {
  format: { type: "text" },
  layout: { type: "text" },
  theme: { type: "text" },
  ...COMMON_FLAGS,
} as const satisfies FlagSpec;

/** The flags of `agentchart inspect`. */
export const INSPECT_FLAGS = {
  port: { type: "text" },
  host: { type: "text" },
  ...STORE_FLAGS,
  open: { type: "text" },
  readonly: { type: "switch" },
  ...COMMON_FLAGS,
} as const satisfies FlagSpec;

/** The flags of `agentchart sessions` without a command. */
export const SESSIONS_FLAGS = COMMON_FLAGS;

/** The flags of `agentchart sessions ls`. */
export const LIST_FLAGS = {
  prefix: { type: "text" },
  phase: { type: "text" },
  limit: { type: "text" },
  ...STORE_FLAGS,
  ...COMMON_FLAGS,
} as const satisfies FlagSpec;

/** The flags of `agentchart sessions show`. */
export const SHOW_FLAGS = {
  at: { type: "text" },
  ...STORE_FLAGS,
  ...COMMON_FLAGS,
} as const satisfies FlagSpec;

/** The flags of `agentchart sessions resume`. */
export const RESUME_FLAGS = {
  answer: { type: "text" },
  approve: { type: "text" },
  deny: { type: "text" },
  retry: { type: "text" },
  ...AGENT_FLAGS,
  ...STORE_FLAGS,
  ...COMMON_FLAGS,
} as const satisfies FlagSpec;

/** The flags of `agentchart sessions fork`. */
export const FORK_FLAGS = {
  at: { type: "text" },
  as: { type: "text" },
  ...STORE_FLAGS,
  ...COMMON_FLAGS,
} as const satisfies FlagSpec;

/** The flags of `agentchart sessions export`. */
export const EXPORT_FLAGS = {
  out: { type: "text" },
  ...STORE_FLAGS,
  ...COMMON_FLAGS,
} as const satisfies FlagSpec;

/** The flags of `agentchart sessions import`. */
export const IMPORT_FLAGS = {
  as: { type: "text" },
  ...STORE_FLAGS,
  ...COMMON_FLAGS,
} as const satisfies FlagSpec;

/** The flags of `agentchart sessions rm`. */
export const REMOVE_FLAGS = {
  yes: { type: "switch" },
  ...STORE_FLAGS,
  ...COMMON_FLAGS,
} as const satisfies FlagSpec;
