import type { Json } from "agentchart";
import { Transcript } from "../../../src/message/transcript.ts";

/** A context of the machine as the page is to show it: plain data, the messages in place of the transcript. */
export function shownContext({ transcript, ...rest }: Readonly<Record<string, unknown>>): Json {
  const messages = transcript instanceof Transcript ? transcript.slice() : [];
  return JSON.parse(JSON.stringify({ ...rest, messages })) as Json;
}

/** Where two values differ, as one types the way there: "progress.turn", "messages[1].content". */
export function changedPaths(before: Json | undefined, after: Json | undefined, path = ""): string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const isList = Array.isArray(before) && Array.isArray(after);
  if (!isList && !(isRecord(before) && isRecord(after))) return [path];
  const keys = new Set([...Object.keys(before as object), ...Object.keys(after as object)]);
  return [...keys].flatMap((key) => {
    const part = isList ? `[${key}]` : path === "" ? key : `.${key}`;
    const [was, is] = [before, after].map((value) => (value as { readonly [key: string]: Json })[key]);
    return changedPaths(was, is, path + part);
  });
}

function isRecord(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
