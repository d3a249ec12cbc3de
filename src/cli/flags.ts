import type { FlagSpec } from "./read-flags.ts";

/** The flags without a command. */
export const PROGRAM_FLAGS = {
  help: { type: "switch", short: "h" },
  version: { type: "switch" },
} as const satisfies FlagSpec;

/** The flags of `agentchart run`. */
export const RUN_FLAGS = {
  model: { type: "text" },
  "base-url": { type: "text" },
  tools: { type: "text" },
  system: { type: "text" },
  "max-iters": { type: "text" },
  json: { type: "switch" },
  debug: { type: "switch" },
  help: { type: "switch", short: "h" },
} as const satisfies FlagSpec;

/** The flags of `agentchart chart`. */
export const CHART_FLAGS = {
  format: { type: "text" },
  debug: { type: "switch" },
  help: { type: "switch", short: "h" },
} as const satisfies FlagSpec;
