import type { Msg } from "../message/types.ts";
import { EXECUTION_DEFAULTS, mergeExecution } from "../model/execution.ts";
import type { ChatModel, ModelRequest } from "../model/port.ts";
import type { Prompt } from "../hook/types.ts";
import { applyPieces } from "../turn/prompt.ts";
import type { ModelInput } from "../turn/services.ts";
import type { Host } from "./host.ts";

function note(id: string, text: string): Msg {
  return { id, role: "user", name: "user", content: [{ type: "text", text }], metadata: {}, timestamp: 0 };
}

const SUMMARY_PROMPT = note(
  "summary-prompt",
  "You have failed to generate response within the maximum iterations. Now respond directly by summarizing the current situation.",
);
const EMPTY_HINT = note(
  "empty-hint",
  "<system-hint>Your last answer was empty. Answer the user now, or call a tool.</system-hint>",
);

/** The model that is asked. */
export function modelOf(host: Host, usesFallback: boolean): ChatModel {
  return (usesFallback ? host.config.fallbackModel : undefined) ?? host.config.model;
}

type Asked = Pick<ModelInput, "phase" | "transcript" | "system" | "usesFallback">;

/** The prompt before the hooks of its point. */
export function promptOf(host: Host, input: Asked): Prompt {
  const seen = host.view(input.transcript.slice());
  const tools = input.phase === "summary" ? [] : host.toolkit.specs();
  return {
    messages: input.phase === "summary" ? [...seen, SUMMARY_PROMPT] : seen,
    system: input.system,
    options: host.config.generateOptions ?? {},
    tools: tools.map(({ name }) => name),
    model: modelOf(host, input.usesFallback).name,
  };
}

/** The request of one model call: prompt, edits of hooks, tools. */
export function requestOf(host: Host, input: ModelInput): ModelRequest {
  const { edit, phase } = input;
  const prompt = promptOf(host, input);
  const system = edit?.system ?? prompt.system;
  const messages = applyPieces(prompt.messages, edit?.pieces);
  return {
    messages: [
      ...(system === "" ? [] : [systemMessage(system)]),
      ...messages,
      ...(input.emptyRetries > 0 ? [EMPTY_HINT] : []),
    ],
    tools: phase === "summary" ? [] : host.toolkit.specs(),
    options: edit?.options ?? prompt.options,
    execution: mergeExecution(host.config.modelExecution, EXECUTION_DEFAULTS.model),
  };
}

let lastSystem: Msg | undefined;

/** The same object for the same text, so that adapters convert it once. */
function systemMessage(text: string): Msg {
  if (lastSystem?.content[0]?.type === "text" && lastSystem.content[0].text === text) return lastSystem;
  lastSystem = {
    id: "system",
    role: "system",
    name: "system",
    content: [{ type: "text", text }],
    metadata: {},
    timestamp: 0,
  };
  return lastSystem;
}
