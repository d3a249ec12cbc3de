import { client } from "./client.ts";
import { model } from "./model.ts";
import { notify } from "./notices.ts";

/** Downloads the run as a file that this page can open. */
export async function exportRun(): Promise<void> {
  const { row } = model;
  if (!row || !client.api) return;
  try {
    save(await client.api.export(row.runId), `${row.agent}-${row.runId}.ndjson`);
  } catch (error) {
    notify("bad", (error as Error).message);
  }
}

/** Downloads a blob as a file. */
export function save(content: globalThis.Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name.toWellFormed().replaceAll(/[^\p{L}\p{M}\p{N}_.-]+/gu, "_");
  link.click();
  URL.revokeObjectURL(link.href);
}
