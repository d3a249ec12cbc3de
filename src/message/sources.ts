import { isObject } from "../base/is-object.ts";
import type { Json } from "../base/json.ts";
import type { Msg } from "./types.ts";

/** What an answer may rest on, because the model was shown it: a passage of a document, or a memory. */
export type AnswerSource = {
  readonly kind: "knowledge" | "memory";
  /** The id of the passage or of the memory in its store. */
  readonly id: string;
  /** The document of a passage, such as a path or a URL; absent if it is not known. */
  readonly document?: string;
  /** The page of the document, from 1. */
  readonly page?: number;
  /** When a memory was put last, epoch ms. */
  readonly at?: number;
  /** How well it fits what was searched for, from 0 to 1. */
  readonly score?: number;
};

/** The name of the field of `metadata` that holds the sources of a message or of a result. */
export const SOURCES = "sources";

const KINDS: ReadonlySet<unknown> = new Set<AnswerSource["kind"]>(["knowledge", "memory"]);

function isSource(value: unknown): value is AnswerSource {
  if (!isObject(value)) return false;
  const { kind, id, document = "", page = 1, at = 0, score = 0 } = value as Partial<AnswerSource>;
  const isText = typeof id === "string" && typeof document === "string";
  return KINDS.has(kind) && isText && [page, at, score].every((each) => Number.isFinite(each));
}

const NONE: readonly AnswerSource[] = [];

const keyOf = ({ kind, id }: AnswerSource): string => `${kind} ${id}`;

const listIn = (metadata: { readonly [name: string]: unknown } | undefined): readonly AnswerSource[] => {
  const found = metadata?.[SOURCES];
  return Array.isArray(found) ? found.filter(isSource) : NONE;
};

/** Returns the `metadata` of what shows these sources to a model; empty for none. */
export const sourceMetadata = (sources: readonly AnswerSource[]): { readonly [SOURCES]?: Json } =>
  sources.length > 0 ? { [SOURCES]: sources as unknown as Json } : {};

/**
 * Returns what messages say that answers may rest on, each source once, in the order in which the model was shown them. Of a whole turn it
 * is `reply.sources`. A hook or a tool of your own names sources by `metadata: { sources: [{ kind, id }] }` on its message or its result.
 *
 * @example
 * ```ts
 * import { sourcesOf, type Agent } from "agentchart";
 *
 * export async function documentsOf(agent: Agent): Promise<readonly string[]> {
 *   return sourcesOf(await agent.messages()).flatMap(({ document }) => document ?? []);
 * }
 * ```
 */
export function sourcesOf(messages: readonly Msg[]): readonly AnswerSource[] {
  const all: AnswerSource[] = [];
  for (const { metadata, content } of messages) {
    all.push(...listIn(metadata));
    for (const block of content) if (block.type === "tool_result") all.push(...listIn(block.metadata));
  }
  if (all.length < 2) return all; // most turns have none
  const first = new Map<string, AnswerSource>();
  for (const source of all) if (!first.has(keyOf(source))) first.set(keyOf(source), source);
  return [...first.values()];
}

/** Returns those of the sources that the messages do not name. */
export function newSources(
  sources: readonly AnswerSource[],
  messages: readonly Msg[],
): readonly AnswerSource[] {
  if (sources.length === 0) return sources;
  const known = new Set(sourcesOf(messages).map(keyOf));
  return sources.filter((source) => !known.has(keyOf(source)));
}
