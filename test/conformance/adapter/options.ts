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

export function toExecution({ retryOn, ...rest }: NormalExecution = {}): Execution {
  if (retryOn === undefined) return rest;
  return { ...rest, retryOn: retryOn === "all" ? "all" : (error) => retryOn.includes(kindOf(error)) };
}

/** Nothing said is `null` in the suite. */
export const orNull = <T extends object>(merged: T): T | null =>
  Object.keys(merged).length > 0 ? merged : null;
