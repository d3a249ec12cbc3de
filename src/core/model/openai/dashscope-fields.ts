import type { JsonObject } from "../../base/json.ts";
import type { GenerateOptions } from "../port.ts";

/** Returns the options of a request with the fields of a model of DashScope, and without a tool choice that it refuses. */
export function withDashScopeFields(options: GenerateOptions, preset: JsonObject): GenerateOptions {
  const { thinkingBudget, toolChoice } = options;
  const { enable_thinking: _, thinking_budget: __, ...search } = preset;
  const fields = thinkingBudget === undefined ? preset : search;
  const thinks = thinkingBudget === undefined ? fields["enable_thinking"] === true : thinkingBudget > 0;
  const isRefused = toolChoice === "required" || (thinks && typeof toolChoice === "object");
  return {
    ...options,
    ...(isRefused && { toolChoice: "auto" }),
    extraBody: { ...fields, ...options.extraBody },
  };
}
