import { AgentError, type ErrorCode } from "agentchart";
import type { Env, Spec } from "./adapter/shapes.ts";
import { Handle } from "./adapter/handle.ts";
import { runPipeline } from "./adapter/pipeline.ts";
import { createHub } from "./adapter/hub.ts";
import { openSession, unit } from "./adapter/functions.ts";

const ERROR_TYPES: { readonly [code in ErrorCode]?: string } = {
  "run/busy": "IllegalState",
  "run/pending": "IllegalState",
  "run/bad-results": "IllegalState",
  "run/undecided": "IllegalState",
  "run/closed": "IllegalState",
  "hook/bad-return": "IllegalState",
  "hook/goto-limit": "IllegalState",
  "config/invalid": "IllegalArgument",
  "tool/unknown-group": "IllegalArgument",
  "tool/duplicate": "IllegalArgument",
  "model/timeout": "Timeout",
  "run/timeout": "Timeout",
  "run/aborted": "Interrupted",
};

/** The suite's view of the product: names and shapes, no behaviour. */
export const adapter = {
  capabilities: new Set(["stream", "modelRetry"]),
  errorType: (error: unknown) => (AgentError.is(error) ? ERROR_TYPES[error.code] : undefined),
  createAgent: (spec: Spec, env: Env) => new Handle(spec, env),
  openSession,
  createHub,
  pipeline: runPipeline,
  unit,
};
