import type { AgentConfig } from "agentchart";
import { analystTools } from "../tools/analyst-tools.ts";
import { deadlyTools } from "./crash.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import { openData } from "./open-data.ts";
import { DOCUMENT_INSTRUCTIONS, openDocuments } from "./open-documents.ts";
import type { DemoOptions } from "./options.ts";

/** What the question is answered from: data or documents. */
export type OpenSources = {
  readonly config: Pick<AgentConfig, "sysPrompt" | "tools" | "hooks">;
  /** What the terminal says about it. */
  readonly note: string;
  readonly warnings: readonly string[];
  close(): void | Promise<void>;
};

export async function openSources(options: DemoOptions): Promise<OpenSources> {
  if (options.docs !== undefined) {
    const { hooks, note, warnings, close } = await openDocuments(options.docs);
    return {
      config: { sysPrompt: DOCUMENT_INSTRUCTIONS, hooks },
      note: `Documents: ${note}`,
      warnings,
      close,
    };
  }
  const { database, note, close } = await openData(options);
  const tools = deadlyTools(analystTools({ database, outDir: options.out }), options);
  return { config: { sysPrompt: INSTRUCTIONS, tools }, note: `Data: ${note}`, warnings: [], close };
}
