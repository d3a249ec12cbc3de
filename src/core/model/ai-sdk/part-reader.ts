import { AgentError } from "../../base/error.ts";
import { isObject, parsedJson, type Json, type JsonObject } from "../../base/json.ts";
import { sourceMetadata, type AnswerSource } from "../../message/msg.ts";
import type { FinishReason, MediaBlock, Source, Usage } from "../../message/types.ts";
import { failedBy, finishWordOf, toFinishReason } from "../finish-reason.ts";
import type { StreamPart } from "../port.ts";
import { countOf, usageFrom } from "../usage.ts";
import { plain, toOpaque, type SdkData as OwnData } from "./own-data.ts";
import { SdkCalls } from "./sdk-calls.ts";
import type { ProviderMetadata, SdkData, SdkPart, SdkUsage } from "./sdk-types.ts";

/** Converts the parts of a stream of a provider. */
export interface SdkPartReader {
  /** Returns the parts for one part of the stream. Throws what a part of the type `error` holds, and `UnclearCalls`. */
  read(part: SdkPart): readonly StreamPart[];
  /** True once the provider has said why the answer ended. For one that was cut off, packages say "interrupted", or "other" or
   *  "unknown" without a word of the provider. */
  hasFinished(): boolean;
  /** Returns the statement of the provider about a failure by its finish reason: "error", or a word that no whole answer has. */
  failure(): unknown;
  /** Throws `UnclearCalls` if a call has no end, unless the answer was cut for a reason that is known. */
  check(): void;
}

const REASONS: { readonly [unified: string]: FinishReason } = {
  stop: "stop",
  length: "length",
  "content-filter": "content_filter",
  "tool-calls": "tool_calls",
};

/** Kinds of parts that say how a stream goes on, and are not content. */
const TELEMETRY = /\.message_(start|delta|stop)$/;

/** Creates a reader for one answer of a provider. */
export function createSdkPartReader(provider: string): SdkPartReader {
  const calls = new SdkCalls();
  const marked = new Set<string>();
  const executed = new Set<string>();
  const sources: AnswerSource[] = [];
  const warnings: Json[] = [];
  let responseId: string | undefined;
  let modelId: string | undefined;
  let reason: FinishReason | undefined;
  let failure: unknown;

  const opaque = (data: Omit<OwnData, "provider">) => ({ opaque: toOpaque({ provider, ...data }) });
  const said = ({ providerMetadata: metadata }: SdkPart) => (metadata ? opaque({ metadata }) : {});

  /** Thinking is marked also if the provider says nothing about it, so that it goes back to this provider only. */
  const mark = (part: SdkPart): object => {
    const id = part.id ?? "";
    if (marked.has(id) || part.providerMetadata) return said(part);
    marked.add(id);
    return opaque({});
  };

  const block = (type: "text.delta" | "thinking.delta", part: SdkPart): readonly StreamPart[] => [
    {
      type,
      delta: part.delta ?? "",
      block: part.id ?? "0",
      ...(type === "text.delta" ? said(part) : mark(part)),
    },
  ];

  const whole = (kind: string, part: object): readonly StreamPart[] => [
    { type: "provider", block: { type: "provider", kind, ...opaque({ part: plain(part) }) } },
  ];

  const call = (part: SdkPart): readonly StreamPart[] => {
    const { toolCallId: id = "", toolName: name = "", providerMetadata } = part;
    const input = textOf(part.input);
    if (part.providerExecuted) {
      calls.refuse(id);
      const options = providerMetadata && { providerOptions: providerMetadata };
      const fields = { toolCallId: id, toolName: name, input: parsed(input), providerExecuted: true };
      return whole(`${provider}.${name}`, { type: "tool-call", ...fields, ...options });
    }
    const { key, args } = calls.complete(id, name, input);
    return [{ type: "tool.delta", key, id, name, ...(args !== "" && { args }), ...said(part) }];
  };

  const result = (part: SdkPart): readonly StreamPart[] => {
    if (part.preliminary) return [{ type: "ping" }];
    const { toolCallId, toolName, result: value = null, isError, providerMetadata } = part;
    const output = { type: isError ? "error-json" : "json", value };
    const options = providerMetadata && { providerOptions: providerMetadata };
    return whole(`${provider}.${toolName}`, {
      type: "tool-result",
      toolCallId,
      toolName,
      output,
      ...options,
    });
  };

  const file = (part: SdkPart): readonly StreamPart[] => {
    const { mediaType = "application/octet-stream", data, providerMetadata } = part;
    const source = sourceOf(mediaType, data);
    const [type] = mediaType.split("/");
    if (part.type === "file" && (type === "image" || type === "audio" || type === "video")) {
      const media: MediaBlock = {
        type,
        source,
        ...opaque(providerMetadata ? { metadata: providerMetadata } : {}),
      };
      return [{ type: "media", block: media }];
    }
    const options = providerMetadata && { providerOptions: providerMetadata };
    const bytes = source.type === "base64" ? source.data : { type: "url", url: source.url };
    return whole(`${provider}.${part.type}`, { type: part.type, mediaType, data: bytes, ...options });
  };

  const finish = ({ usage, finishReason, providerMetadata }: SdkPart): readonly StreamPart[] => {
    const [unified = "unknown", said] = isObject(finishReason)
      ? [finishReason["unified"] as string, finishReason["raw"]]
      : [finishReason as string];
    const word = finishWordOf(said);
    const raw = word ?? unified;
    reason = reasonOf(unified, word);
    if (unified === "error" || (word !== undefined && !reason)) failure ??= failedBy(raw);
    const metadata: JsonObject = {
      ...(modelId && { model: modelId }),
      ...sourceMetadata(sources),
      ...(warnings.length > 0 && { warnings }),
      ...(providerMetadata && { providerMetadata: plain(providerMetadata) }),
    };
    const counts = usage && usageOf(usage, providerMetadata);
    return [
      ...(counts ? [{ type: "usage", usage: counts } as const] : []),
      {
        type: "finish",
        reason: reason ?? "unknown",
        raw,
        ...(responseId && { responseId }),
        ...(Object.keys(metadata).length > 0 && { metadata }),
      },
    ];
  };

  const read = (part: SdkPart): readonly StreamPart[] => {
    switch (part.type) {
      case "stream-start":
        warnings.push(...(part.warnings ?? []).map((warning) => plain(warning)));
        return [{ type: "ping" }];
      case "response-metadata":
        responseId ??= part.id;
        modelId ??= part.modelId;
        return [{ type: "ping" }];
      case "text-start":
      case "text-delta":
      case "text-end":
        return block("text.delta", part);
      case "reasoning-start":
      case "reasoning-delta":
      case "reasoning-end":
        return block("thinking.delta", part);
      case "tool-input-start": {
        const { id = "", toolName: name = "", providerExecuted } = part;
        if (providerExecuted) executed.add(id);
        if (executed.has(id)) return [{ type: "ping" }];
        return [{ type: "tool.delta", key: calls.begin(id, name).key, id, ...(name !== "" && { name }) }];
      }
      case "tool-input-delta": {
        const { id = "", delta = "" } = part;
        if (executed.has(id)) return [{ type: "ping" }];
        return [{ type: "tool.delta", ...calls.add(id, delta) }];
      }
      case "tool-call":
        return call(part);
      case "tool-result":
        return result(part);
      case "file":
      case "reasoning-file":
        return file(part);
      case "custom": {
        const { kind = "custom", providerMetadata } = part;
        if (TELEMETRY.test(kind)) return [{ type: "ping" }];
        return whole(kind, {
          type: "custom",
          kind,
          ...(providerMetadata && { providerOptions: providerMetadata }),
        });
      }
      case "source": {
        const source = namedSource(part);
        if (source) sources.push(source);
        return [];
      }
      case "tool-approval-request":
        throw new AgentError(
          "model/bad-response",
          "The provider asked for an approval of a tool that it runs itself, which is not supported: turn its approvals off.",
        );
      case "error":
        throw part.error;
      case "finish":
        return finish(part);
      default:
        return [{ type: "ping" }];
    }
  };

  return {
    read,
    hasFinished: () => reason !== undefined,
    failure: () => failure,
    check: () => {
      if (reason !== "length" && reason !== "content_filter") calls.check();
    },
  };
}

/** Returns the finish reason; undefined for an answer that failed or was cut off. */
function reasonOf(unified: string, word: string | undefined): FinishReason | undefined {
  if (Object.hasOwn(REASONS, unified)) return REASONS[unified];
  if (unified === "error" || unified === "interrupted" || word === undefined) return undefined;
  return toFinishReason(word);
}

/** The arguments of a call, which some packages have parsed already. */
function textOf(input: unknown): string {
  if (input === undefined || input === null) return "";
  return typeof input === "string" ? input : JSON.stringify(input);
}

function parsed(input: string): Json {
  const value = parsedJson(input);
  return value === undefined ? {} : value;
}

function sourceOf(mediaType: string, data: SdkData = ""): Source {
  if (data instanceof URL) return { type: "url", url: data.href };
  if (typeof data === "string") return { type: "base64", mediaType, data };
  if (data instanceof Uint8Array)
    return { type: "base64", mediaType, data: Buffer.from(data).toString("base64") };
  return data.type === "url" ? { type: "url", url: String(data.url) } : sourceOf(mediaType, data.data);
}

/** Returns the usage of an answer. In v2 the tokens of Anthropic's prompt are those that its cache has nothing to do with; in v3 and v4 all
 *  of them, of which those that are not cached may be said apart. */
function usageOf(usage: SdkUsage, { anthropic }: ProviderMetadata = {}): Usage | undefined {
  const { inputTokens, outputTokens, totalTokens, cachedInputTokens, reasoningTokens } = usage;
  const output = isObject(outputTokens)
    ? { outputTokens: outputTokens["total"], reasoningTokens: outputTokens["reasoning"] }
    : { outputTokens, reasoningTokens };
  if (!isObject(inputTokens)) {
    const cacheWriteTokens = anthropic?.["cacheCreationInputTokens"];
    const input = { inputTokens, cachedInputTokens, cacheWriteTokens };
    return usageFrom({ ...input, ...output, totalTokens }, anthropic !== undefined);
  }
  const { total, noCache, cacheRead, cacheWrite } = inputTokens;
  const isApart = countOf(total) === undefined || countOf(total)! < (countOf(noCache) ?? 0);
  const input = {
    inputTokens: isApart ? noCache : total,
    cachedInputTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
  };
  return usageFrom({ ...input, ...output, totalTokens }, isApart);
}

const givenText = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** Returns a source that the provider names; undefined for one without an id, a URL or a name. */
function namedSource(part: object): AnswerSource | undefined {
  const { id, url, filename, title } = part as { readonly [field: string]: unknown };
  const document = givenText(url) ?? givenText(filename);
  const known = givenText(id) ?? document;
  if (known === undefined) return undefined;
  const called = givenText(title);
  return {
    kind: "provider",
    id: known,
    ...(document !== undefined && { document }),
    ...(called !== undefined && { title: called }),
  };
}
