import { isObject, type Json } from "../base/json.ts";
import type { Msg } from "./types.ts";

/** The source on which an answer may rest. It is a passage of a document or a memory, because the model was shown it, or what its provider
 *  names, such as a page that it has found on the web. */
export type AnswerSource = {
  readonly kind: "knowledge" | "memory" | "provider";
  /** The id of the passage or of the memory in its store, or the id that the provider gave it. */
  readonly id: string;
  /** The document, such as a path or a URL; absent if it is not known. */
  readonly document?: string;
  /** The title of the document, if the provider says it. */
  readonly title?: string;
  /** The page of the document, from 1. */
  readonly page?: number;
  /** The time at which a memory was put last, epoch ms. */
  readonly at?: number;
  /** The relevance to what was searched for, from 0 to 1. */
  readonly score?: number;
};

/** The name of the field of `metadata` that holds the sources of a message or of a result. */
export const SOURCES = "sources";

const KINDS: ReadonlySet<unknown> = new Set<AnswerSource["kind"]>(["knowledge", "memory", "provider"]);

function isSource(value: unknown): value is AnswerSource {
  if (!isObject(value)) return false;
  const { kind, id, document = "", title = "", page = 1, at = 0, score = 0 } = value as Partial<AnswerSource>;
  const isText = [id, document, title].every((text) => typeof text === "string");
  return KINDS.has(kind) && isText && [page, at, score].every((each) => Number.isFinite(each));
}

const NONE: readonly AnswerSource[] = [];

/** Providers count again in each answer: what they name is the same if its document is. */
const keyOf = ({ kind, id, document }: AnswerSource): string =>
  `${kind} ${kind === "provider" ? (document ?? id) : id}`;

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

const DAY = "0000-00-00".length;

/** Returns what people call a source: its title, its document with the page, or the day of a memory. */
export function sourceTitle({ kind, document, title, page, at }: AnswerSource): string {
  if (title !== undefined) return title;
  if (document !== undefined) return page === undefined ? document : `${document}, page ${page}`;
  if (kind === "knowledge") return "Knowledge";
  if (kind === "provider") return "Source";
  const isDate = at !== undefined && !Number.isNaN(new Date(at).getTime());
  return isDate ? `Memory of ${new Date(at).toISOString().slice(0, DAY)}` : "Memory";
}
