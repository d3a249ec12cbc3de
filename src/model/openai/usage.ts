import type { Usage } from "../../message/types.ts";
import type { WireChunk, WireUsage } from "./wire.ts";

/** Returns the usage of a chunk, wherever the server puts it: beside the choices, in a choice, or under `x_groq`. */
export function usageOf(chunk: WireChunk): Usage | undefined {
  const wire = chunk.usage ?? chunk.x_groq?.usage ?? chunk.choices?.[0]?.usage;
  return wire ? toUsage(wire) : undefined;
}

/**
 * Returns the usage that the server reports; undefined if it has no known field. `outputTokens` counts every token that was produced:
 * xAI does not count reasoning in `completion_tokens`, as its total shows, so reasoning is added.
 */
function toUsage(wire: WireUsage): Usage | undefined {
  const inputTokens = count(wire.prompt_tokens);
  const completion = count(wire.completion_tokens);
  const reasoningTokens = count(wire.completion_tokens_details?.reasoning_tokens);
  const apart = (completion ?? 0) + (reasoningTokens ?? 0);
  const isApart = completion !== undefined && (inputTokens ?? 0) + apart === count(wire.total_tokens);
  const outputTokens = isApart ? apart : completion;
  const cachedInputTokens = cachedOf(wire);
  const cacheWriteTokens = writtenOf(wire);
  const usage = {
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...(cachedInputTokens !== undefined && { cachedInputTokens }),
    ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
  };
  return Object.keys(usage).length === 0 ? undefined : usage;
}

/** Of OpenAI; of Moonshot; of DeepSeek; of Mistral; of gateways to Anthropic. */
function cachedOf(wire: WireUsage): number | undefined {
  return (
    count(wire.prompt_tokens_details?.cached_tokens) ??
    count(wire.cached_tokens) ??
    count(wire.prompt_cache_hit_tokens) ??
    count(wire.num_cached_tokens) ??
    count(wire.cache_read_input_tokens)
  );
}

/** Of OpenRouter; of DashScope; of gateways to Anthropic. */
function writtenOf(wire: WireUsage): number | undefined {
  return (
    count(wire.prompt_tokens_details?.cache_write_tokens) ??
    count(wire.prompt_tokens_details?.cache_creation_input_tokens) ??
    count(wire.cache_creation_input_tokens)
  );
}

function count(value: number | null | undefined): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}
