import type { Json } from "agentchart";
import { Transcript } from "../../../src/core/message/transcript.ts";

/** Returns a machine context as the page shows it: plain JSON, with the messages in place of the transcript. */
export function pageContext({ transcript, ...rest }: Readonly<Record<string, unknown>>): Json {
  const messages = transcript instanceof Transcript ? transcript.slice() : [];
  return JSON.parse(JSON.stringify({ ...rest, messages })) as Json;
}

/** Returns the paths at which two values differ: "progress.turn", "messages[1].content". */
export function changedPaths(before: Json | undefined, after: Json | undefined, path = ""): string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const isArray = Array.isArray(before) && Array.isArray(after);
  if (!isArray && !(isRecord(before) && isRecord(after))) return [path];
  const keys = new Set([...Object.keys(before as object), ...Object.keys(after as object)]);
  return [...keys].flatMap((key) => {
    const part = isArray ? `[${key}]` : path === "" ? key : `.${key}`;
    const [was, is] = [before, after].map((value) => (value as { readonly [key: string]: Json })[key]);
    return changedPaths(was, is, path + part);
  });
}

function isRecord(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
