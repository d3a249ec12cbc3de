import { promptLens } from "../../../src/inspect/protocol/prompt-lens.ts";
import { checkedLens } from "../logic/lens-shape.ts";
import type { PromptPlace } from "../logic/prompt-steps.ts";
import type { PromptLens } from "../wire/types.ts";
import { client } from "./client.ts";
import { model } from "./model.ts";
import { t } from "../words/t.ts";

const MAX_KEPT = 20;
const kept = new Map<string, Promise<PromptLens>>();

/** Identifies a request of the selected run. */
export const keyOf = ({ call, at }: PromptPlace): string => `${model.selection.runId} ${call.id} ${at}`;

/** Resolves to a request of the selected run: of a file it is rebuilt here, of others by the server. A failed one is asked for again. */
export function loadLens(place: PromptPlace): Promise<PromptLens> {
  const key = keyOf(place);
  const known = kept.get(key);
  if (known) return known;
  const lens = lensAt(place);
  kept.set(key, lens);
  lens.catch(() => kept.delete(key));
  for (const old of kept.keys()) if (kept.size > MAX_KEPT) kept.delete(old);
  return lens;
}

async function lensAt({ call, at }: PromptPlace): Promise<PromptLens> {
  const { runId } = model.selection;
  const file = runId === null ? undefined : model.files.get(runId);
  if (!file) {
    if (!client.api || runId === null) throw new Error(t("The page is not connected."));
    return checkedLens(await client.api.prompt(runId, at));
  }
  const context = file.data.contextAt(call.step) ?? file.data.contextAt(at);
  return checkedLens(promptLens(call, context ?? {}, (sha) => file.blobs.get(sha)));
}
