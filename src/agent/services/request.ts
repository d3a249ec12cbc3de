import { BYPASS_KEY } from "../../message/create.ts";
import { freeze } from "../../base/freeze.ts";
import type { Msg } from "../../message/types.ts";
import { EXECUTION_DEFAULTS, mergeExecution } from "../../model/execution.ts";
import type { ChatModel, ModelRequest, ToolSpec } from "../../model/port.ts";
import type { Prompt } from "../../hook/types.ts";
import { applyPieces } from "../../../machines/agent/prompt.ts";
import { OUTPUT_TOOL } from "../../../machines/agent/updates/output.ts";
import type { WantedOutput } from "../../../machines/agent/context.ts";
import type { ModelInput } from "../../../machines/agent/services.ts";
import type { Host } from "./host.ts";

/** A message of ours, for one request. It is no part of a conversation among agents. */
function note(id: string, text: string, name = "user"): Msg {
  return freeze<Msg>({
    id,
    role: "user",
    name,
    content: [{ type: "text", text }],
    metadata: { [BYPASS_KEY]: true },
    timestamp: 0,
  });
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

const REMINDERS = {
  tool: note(
    "output-reminder",
    `Please call the '${OUTPUT_TOOL}' function to provide your response.`,
    "system",
  ),
  native: note(
    "output-reminder",
    "Please answer again, with nothing but JSON that fits the requested schema.",
    "system",
  ),
};

/** How the model that is asked gives the structured answer; undefined if none is wanted of this request. A fallback model,
 *  or that of a restored session, may not keep to a schema by itself. */
export function outputModeOf(
  host: Host,
  { phase, wanted, usesFallback }: Pick<ModelInput, "phase" | "wanted" | "usesFallback">,
): WantedOutput["mode"] | undefined {
  if (!wanted || phase === "summary") return undefined;
  return modelOf(host, usesFallback).capabilities?.structuredOutput ? wanted.mode : "tool";
}

/** The tools that are offered: those of the toolkit, and the one for the structured answer. */
function toolsOf(
  host: Host,
  phase: ModelInput["phase"],
  mode: WantedOutput["mode"] | undefined,
): readonly ToolSpec[] {
  if (phase === "summary") return [];
  const specs = host.toolkit.specs();
  const tool = mode === "tool" ? host.output()?.tool : undefined;
  if (!tool) return specs;
  const { name, description, inputSchema } = tool;
  return [...specs.filter((spec) => spec.name !== name), { name, description, inputSchema }];
}

/** A reminder follows an answer that was not the structured one; only then is the tool forced (S25). */
function reminderOf(
  { wanted, transcript }: ModelInput,
  mode: WantedOutput["mode"] | undefined,
): Msg | undefined {
  if (!mode || wanted?.reminders === 0) return undefined;
  return transcript.at(-1)?.role === "assistant" ? REMINDERS[mode] : undefined;
}

type Asked = Pick<ModelInput, "phase" | "transcript" | "system" | "usesFallback" | "wanted">;

/** The prompt before the hooks of its point. */
export function promptOf(host: Host, input: Asked): Prompt {
  const seen = host.view(input.transcript.slice());
  const tools = toolsOf(host, input.phase, outputModeOf(host, input));
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
  const mode = outputModeOf(host, input);
  const reminder = reminderOf(input, mode);
  const options = edit?.options ?? prompt.options;
  const isForced = reminder && mode === "tool" && host.config.structuredReminder !== "PROMPT";
  return {
    messages: [
      ...(system.trim() === "" ? [] : [systemMessage(system)]),
      ...messages,
      ...(reminder ? [reminder] : []),
      ...(input.emptyRetries > 0 ? [EMPTY_HINT] : []),
    ],
    tools: toolsOf(host, phase, mode),
    options: isForced ? { ...options, toolChoice: { name: OUTPUT_TOOL } } : options,
    ...(mode === "native" && { output: { name: "response", schema: input.wanted!.schema } }),
    execution: mergeExecution(host.config.modelExecution, EXECUTION_DEFAULTS.model),
  };
}

let lastSystem: Msg | undefined;

/** The same object for the same text, so that adapters convert it once. */
function systemMessage(text: string): Msg {
  if (lastSystem?.content[0]?.type === "text" && lastSystem.content[0].text === text) return lastSystem;
  lastSystem = freeze<Msg>({
    id: "system",
    role: "system",
    name: "system",
    content: [{ type: "text", text }],
    metadata: {},
    timestamp: 0,
  });
  return lastSystem;
}
