import type { AnswerSource } from "../../message/msg.ts";

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** Returns a source that the provider names; undefined for one without an id, a URL or a name. */
export function namedSource(part: object): AnswerSource | undefined {
  const { id, url, filename, title } = part as { readonly [field: string]: unknown };
  const document = textOf(url) ?? textOf(filename);
  const known = textOf(id) ?? document;
  if (known === undefined) return undefined;
  const called = textOf(title);
  return {
    kind: "provider",
    id: known,
    ...(document !== undefined && { document }),
    ...(called !== undefined && { title: called }),
  };
}
