import type { Usage } from "../../message/types.ts";
import { countOf, usageFrom } from "../usage.ts";
import type { WireChunk, WireUsage } from "./wire.ts";

/** Returns the usage of a chunk, wherever the server puts it: beside the choices, in a choice, or under `x_groq`. */
export function usageOf(chunk: WireChunk): Usage | undefined {
  const wire = chunk.usage ?? chunk.x_groq?.usage ?? chunk.choices?.[0]?.usage;
  return wire ? toUsage(wire) : undefined;
}

/**
 * Returns the usage that the server reports; undefined if it has no known field. Counts of the prompt include the cached ones unless
 * they say otherwise, as {@link usageFrom} reads them, or have the names of Anthropic, whose `input_tokens` never include them.
 */
function toUsage(wire: WireUsage): Usage | undefined {
  const hasKept = (wire.cache_read_input_tokens ?? wire.cache_creation_input_tokens ?? null) !== null;
  const isAnthropic = hasKept && (wire.prompt_tokens ?? null) === null;
  return usageFrom(
    {
      inputTokens: wire.prompt_tokens ?? wire.input_tokens,
      outputTokens: wire.completion_tokens ?? wire.output_tokens,
      cachedInputTokens: cachedOf(wire),
      cacheWriteTokens: writtenOf(wire),
      reasoningTokens: wire.completion_tokens_details?.reasoning_tokens,
      totalTokens: wire.total_tokens,
    },
    isAnthropic,
  );
}

/** The largest of the counts, since a server that does not know one says 0. */
function largest(...said: readonly unknown[]): number | undefined {
  const counts = said.map(countOf).filter((count) => count !== undefined);
  return counts.length === 0 ? undefined : Math.max(...counts);
}

/** Of OpenAI; of Moonshot; of DeepSeek; of Mistral; of gateways to Anthropic. */
function cachedOf(wire: WireUsage): number | undefined {
  return largest(
    wire.prompt_tokens_details?.cached_tokens,
    wire.cached_tokens,
    wire.prompt_cache_hit_tokens,
    wire.num_cached_tokens,
    wire.cache_read_input_tokens,
  );
}

/** Of OpenRouter; of DashScope; of gateways to Anthropic. */
function writtenOf(wire: WireUsage): number | undefined {
  return largest(
    wire.prompt_tokens_details?.cache_write_tokens,
    wire.prompt_tokens_details?.cache_creation_input_tokens,
    wire.cache_creation_input_tokens,
  );
}
