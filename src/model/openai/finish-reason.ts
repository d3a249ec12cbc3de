import type { FinishReason } from "../port.ts";

/** Returns the finish reason for a wire `finish_reason`; `unknown` if there is no equivalent. */
export function toFinishReason(raw: string | undefined): FinishReason {
  switch (raw) {
    case "stop":
    case "length":
    case "tool_calls":
    case "content_filter":
      return raw;
    case "function_call":
      return "tool_calls";
    case "model_length": // Mistral
    case "model_context_window_exceeded": // Z.ai
    case "max_tokens": // gateways to Anthropic
      return "length";
    default:
      return "unknown";
  }
}

/** Returns true for reasons with which DeepSeek and OpenRouter say that the server, not the model, ended the answer. */
export function isServerFailure(raw: string | undefined): boolean {
  return raw === "insufficient_system_resource" || raw === "error";
}
