import { redactSecrets } from "../../core/base/secrets.ts";
import { knownWindow } from "../../core/model/known-windows.ts";
import type { ChatModel, GenerateOptions } from "../../core/model/port.ts";
import type { ModelCall } from "../../../machines/agent/model-call.ts";
import type { PromptEdit } from "../../../machines/agent/prompt/edits.ts";
import type { RequestParts } from "../../../machines/agent/prompt/request.ts";
import type { ModelInput } from "../../../machines/agent/services.ts";
import type { Host } from "./host.ts";

/** Options are often the same object: then they are searched for secrets once. */
const withoutSecrets = new WeakMap<GenerateOptions, GenerateOptions>();

function publicOptions(options: GenerateOptions): GenerateOptions {
  let shown = withoutSecrets.get(options);
  if (!shown) withoutSecrets.set(options, (shown = redactSecrets(options as never)));
  return shown;
}

function publicEdit(edit: PromptEdit): PromptEdit {
  return edit.options ? { ...edit, options: publicOptions(edit.options) } : edit;
}

function windowOf({ config }: Host, { name, capabilities }: ChatModel): number | undefined {
  const { compaction } = config;
  const configured = compaction === false ? undefined : compaction?.contextTokens;
  return configured ?? capabilities?.contextTokens ?? knownWindow(name);
}

/** Returns a model call as it is recorded: without secrets. */
export function recordedCall(
  host: Host,
  input: ModelInput,
  { parts, model, messageId }: { parts: RequestParts; model: ChatModel; messageId: string },
): Omit<ModelCall, "number"> {
  const { turn, iteration, attempt, transcript, usesFallback, entered } = input;
  const window = windowOf(host, model);
  const { budget, modelOptions: { contextWindow } = {} } = host.config;
  return {
    ...parts,
    options: publicOptions(parts.options),
    edits: parts.edits.map(publicEdit),
    id: messageId,
    turn,
    iteration,
    attempt,
    length: transcript.length,
    model: model.name,
    ...(model.provider !== undefined && { provider: model.provider }),
    ...(usesFallback && { isFallback: true }),
    ...(model.wire && { wire: model.wire }),
    ...(window !== undefined && { window }),
    ...(contextWindow && { bound: contextWindow }),
    ...(budget && { budget }),
    // a persona that has taken over since has a prompt of its own
    entered: entered.some(({ system }) => system) && lastSystem(entered) !== parts.system ? [] : entered,
  };
}

const lastSystem = (entered: ModelInput["entered"]): string | undefined =>
  entered.findLast(({ system }) => system)?.system?.after;
