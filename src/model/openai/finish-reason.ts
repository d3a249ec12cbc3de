import type { FinishReason } from "../port.ts";

/** What a wire `finish_reason` means. Words of no meaning to us are `unknown`. */
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
    case "max_tokens": // gateways to Anthropic
      return "length";
    default:
      return "unknown";
  }
}

/** True for reasons by which a server says that it broke off and not that the model ended: DeepSeek, OpenRouter. */
export function isServerFailure(raw: string | undefined): boolean {
  return raw === "insufficient_system_resource" || raw === "error";
}
