import { AgentError, type Execution, type GenerateOptions, type ToolChoice } from "agentchart";
import type { NormalChoice, NormalOptions, NormalExecution } from "./shapes.ts";

function toChoice(choice: NormalChoice): ToolChoice {
  return choice.type === "specific" ? { name: choice.name! } : choice.type;
}

export function toOptions(options: NormalOptions = {}): GenerateOptions {
  const { toolChoice, execution: _, additionalHeaders, additionalBodyParams, ...rest } = options;
  return {
    ...rest,
    ...(toolChoice && { toolChoice: toChoice(toolChoice) }),
    ...(additionalHeaders && { extraHeaders: additionalHeaders }),
    ...(additionalBodyParams && { extraBody: additionalBodyParams }),
  };
}

function normalChoice(choice: ToolChoice): NormalChoice {
  return typeof choice === "string" ? { type: choice } : { type: "specific", ...choice };
}

export function normalOptions(options: GenerateOptions): NormalOptions {
  const { toolChoice, extraHeaders, extraBody, ...rest } = options;
  return {
    ...rest,
    ...(toolChoice !== undefined && { toolChoice: normalChoice(toolChoice) }),
    ...(extraHeaders && { additionalHeaders: extraHeaders }),
    ...(extraBody && { additionalBodyParams: extraBody }),
  };
}

function kindOf(error: AgentError): string {
  return typeof error.data["kind"] === "string" ? error.data["kind"] : (error.code.split("/")[1] ?? "");
}

export function toExecution({ retryOn, ...rest }: NormalExecution): Execution {
  if (retryOn === undefined) return rest;
  return { ...rest, retryOn: retryOn === "all" ? "all" : (error) => retryOn.includes(kindOf(error)) };
}

/** AgentScope's time limit of a model is one between chunks, and what is not set beside others is not a retry. */
export function toModelExecution(execution: NormalExecution): Execution {
  const { timeoutMs, ...rest } = toExecution(execution);
  return {
    maxAttempts: 1,
    initialBackoffMs: 1_000,
    maxBackoffMs: 10_000,
    retryOn: "all",
    ...rest,
    ...(timeoutMs !== undefined && { idleTimeoutMs: timeoutMs }),
  };
}

export function normalExecution({ idleTimeoutMs, ...rest }: Execution): Execution {
  return { ...rest, ...(idleTimeoutMs !== undefined && { timeoutMs: idleTimeoutMs }) };
}

/** What a tool throws is a result there before anybody asks for a retry, so only time-outs are repeated. */
export function toToolExecution(execution: NormalExecution): Execution {
  const { retryOn, ...rest } = toExecution(execution);
  const isMeant = (error: AgentError): boolean => typeof retryOn !== "function" || retryOn(error);
  return { ...rest, retryOn: (error) => error.code === "tool/timeout" && isMeant(error) };
}

/** Nothing said is `null` in the suite. */
export const orNull = <T extends object>(merged: T): T | null =>
  Object.keys(merged).length > 0 ? merged : null;
