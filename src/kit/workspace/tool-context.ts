import { AgentError } from "../../core/base/error.ts";
import { toolError } from "../../core/tool/suspend.ts";
import type { ToolContext, ToolOutcome, ToolReturn } from "../../core/tool/types.ts";
import { contentHash } from "./content-hash.ts";
import { fileDiff, type FileDiff } from "./file-diff.ts";
import { namesOf } from "./paths.ts";
import type { Workspace } from "./port.ts";
import { expectedHash, withSeen } from "./seen-files.ts";
import { contentOfText, textOf, type TextFile } from "./text-file.ts";

/** Runs a tool of a workspace: what the workspace refuses is told to the model in its own words. */
export async function told<T extends ToolReturn>(body: () => Promise<T>): Promise<T | ToolOutcome> {
  try {
    return await body();
  } catch (error) {
    if (!AgentError.is(error) || !error.code.startsWith("workspace/")) throw error;
    const { output } = toolError(error.message);
    return { output, state: "error", metadata: { code: error.code } };
  }
}

/** A text result, with the diff of what was changed for pages and the inspector. */
export function said(text: string, more: Omit<ToolOutcome, "output"> = {}): ToolOutcome {
  return { output: [{ type: "text", text }], ...more };
}

/** The path of a file as the session knows it. */
export function keyOf({ root }: Workspace, path: string): string {
  return namesOf(root, path).join("/");
}

/** A text file as it is now, and its hash. */
export type FoundText = TextFile & { readonly hash: string };

/** Reads a text file; undefined if nothing is there. Throws if it is not text. */
export async function findText(workspace: Workspace, path: string): Promise<FoundText | undefined> {
  let content: Uint8Array;
  try {
    content = await workspace.read(path);
  } catch (error) {
    if (AgentError.is(error) && error.code === "workspace/not-found") return undefined;
    throw error;
  }
  const text = textOf(content);
  if (!text) throw new AgentError("workspace/bad-path", `'${path}' is not a text file: it is not UTF-8.`);
  return { ...text, hash: contentHash(content) };
}

type Change = {
  readonly path: string;
  readonly found: FoundText | undefined;
  readonly text: string;
  readonly said: (diff: FileDiff) => string;
};

/** Writes a text if the session has read what it replaces, and returns the result with the diff and the new hash. What is there already is
 *  not written again: the call may be the repetition of one that a crash has cut off. */
export async function changeText(
  workspace: Workspace,
  { slots }: ToolContext,
  { path, found, text, said: say }: Change,
): Promise<ToolOutcome> {
  const key = keyOf(workspace, path);
  const content = contentOfText(text, found ?? { hasBom: false, isCrlf: false });
  const hash = contentHash(content);
  if (hash !== found?.hash) {
    const expected = found ? expectedHash(slots, key, found.hash) : null;
    await workspace.write(path, content, { expected });
  }
  const diff = fileDiff(key, found?.text, found?.isCrlf ? text.replaceAll("\r\n", "\n") : text);
  return said(say(diff), { metadata: { diff }, slots: withSeen(slots, key, hash) });
}
