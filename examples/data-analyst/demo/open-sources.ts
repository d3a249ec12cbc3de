import type { AgentConfig } from "agentchart";
import { analystTools } from "../tools/analyst-tools.ts";
import { deadlyTools } from "./crash.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import { openData } from "./open-data.ts";
import { DOCUMENT_INSTRUCTIONS, openDocuments } from "./open-documents.ts";
import type { DemoOptions } from "./options.ts";
import { NOTEBOOK } from "./show-plan.ts";

/** What the question is answered from: data, and documents if there are any. */
export type OpenSources = {
  readonly config: Pick<AgentConfig, "sysPrompt" | "tools" | "hooks">;
  /** What the terminal says about it, line by line. */
  readonly notes: readonly string[];
  readonly warnings: readonly string[];
  close(): Promise<void>;
};

export async function openSources(options: DemoOptions): Promise<OpenSources> {
  const documents = options.docs === undefined ? undefined : await openDocuments(options.docs);
  try {
    const data = await openData(options);
    const tools = deadlyTools(analystTools({ database: data.database, outDir: options.out }), options);
    return {
      config: {
        sysPrompt: documents ? `${INSTRUCTIONS}\n\n${DOCUMENT_INSTRUCTIONS}` : INSTRUCTIONS,
        tools,
        hooks: [NOTEBOOK.hook, ...(documents?.hooks ?? [])],
      },
      notes: [...(documents ? [`Documents: ${documents.note}`] : []), `Data: ${data.note}`],
      warnings: documents?.warnings ?? [],
      async close() {
        data.close();
        await documents?.close();
      },
    };
  } catch (error) {
    await documents?.close();
    throw error;
  }
}
