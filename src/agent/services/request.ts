import { BYPASS_KEY } from "../../message/create.ts";
import { freeze } from "../../base/freeze.ts";
import { textOf } from "../../message/query.ts";
import { sizeOfMessage } from "../../message/size.ts";
import type { Msg } from "../../message/types.ts";
import { EXECUTION_DEFAULTS, mergeExecution } from "../../model/execution.ts";
import type { ChatModel, ModelRequest, ToolSpec } from "../../model/port.ts";
import { readSlot } from "../../tool/slot-access.ts";
import { loadedTools } from "../../tool/tool-search.ts";
import type { Prompt } from "../../hook/types.ts";
import { applyPieces } from "../../../machines/agent/prompt.ts";
import { OUTPUT_TOOL } from "../../tool/reserved-names.ts";
import { sizeOfView, viewOf } from "../../../machines/agent/view.ts";
import type { WantedOutput } from "../../../machines/agent/context.ts";
import type { ModelInput } from "../../../machines/agent/services.ts";
import type { Host } from "./host.ts";

/** Returns a message that the agent adds to one request. It is never merged into a conversation of several agents. */
export function noteMsg(id: string, text: string, name = "user"): Msg {
  return freeze<Msg>({
    id,
    role: "user",
    name,
    content: [{ type: "text", text }],
    metadata: { [BYPASS_KEY]: true },
    timestamp: 0,
  });
}

const SUMMARY_PROMPT = noteMsg(
  "summary-prompt",
  "You have failed to generate response within the maximum iterations. Now respond directly by summarizing the current situation.",
);
const EMPTY_HINT = noteMsg(
  "empty-hint",
  "<system-hint>Your last answer was empty. Answer the user now, or call a tool.</system-hint>",
);

/** Returns the model of a call. */
export function modelOf(
  { config, personas }: Host,
  { usesFallback, persona }: Pick<ModelInput, "usesFallback" | "persona">,
  phase: ModelInput["phase"] = "reasoning",
): ChatModel {
  const own = phase === "compaction" ? config.models?.compaction : undefined;
  return (
    (usesFallback ? config.fallbackModel : undefined) ?? own ?? personas?.modelOf(persona) ?? config.model
  );
}

const TAKEN_OVER = noteMsg(
  "taken-over",
  "<system-hint>The conversation was handed over to you. Go on with it.</system-hint>",
);

const REMINDERS = {
  tool: noteMsg(
    "output-reminder",
    `Please call the '${OUTPUT_TOOL}' function to provide your response.`,
    "system",
  ),
  native: noteMsg(
    "output-reminder",
    "Please answer again, with nothing but JSON that fits the requested schema.",
    "system",
  ),
};

/** Returns how the model of a call gives the structured answer; undefined if this request asks for none. The fallback model, or the
 *  model of a restored session, may lack the capability to keep to a schema by itself. */
export function outputModeOf(
  host: Host,
  { phase, wanted, ...asked }: Pick<ModelInput, "phase" | "wanted" | "usesFallback" | "persona">,
): WantedOutput["mode"] | undefined {
  if (!wanted || phase !== "reasoning") return undefined;
  return modelOf(host, asked).capabilities?.structuredOutput ? wanted.mode : "tool";
}

/** Returns the tools of a request: those of the toolkit, the one that reads results, and the one for the structured answer. Tools that
 *  the model has loaded stand last, so that loading one only adds to the list. */
export function toolsOf(
  host: Host,
  {
    phase,
    slots,
    view,
    persona,
    transcript,
  }: Pick<ModelInput, "phase" | "slots" | "view" | "persona" | "transcript">,
  mode: WantedOutput["mode"] | undefined,
): readonly ToolSpec[] {
  if (phase === "summary") return [];
  const { personas } = host;
  const offer = host.toolkit.offer(readSlot(loadedTools, slots));
  const forPersona = (specs: readonly ToolSpec[]): readonly ToolSpec[] =>
    personas ? personas.offerOf(persona, specs, () => transcript.slice()) : specs;
  const [always, loaded, all] = [offer.always, offer.loaded, offer.all].map(forPersona) as [
    readonly ToolSpec[],
    readonly ToolSpec[],
    readonly ToolSpec[],
  ];
  const output = mode === "tool" ? host.output()?.tool : undefined;
  const more = [...(view?.reads ? [host.readResult] : []), ...(output ? [output] : [])];
  if (more.length === 0) return all;
  const specs = more.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  return [...always, ...specs, ...loaded];
}

/** Returns the tools that hooks have left, and what returns the structured answer. */
function offeredOf(tools: readonly ToolSpec[], names: readonly string[] | undefined): readonly ToolSpec[] {
  return names ? tools.filter(({ name }) => name === OUTPUT_TOOL || names.includes(name)) : tools;
}

/** Returns the reminder that follows an answer without the structured one; only then is the tool forced (S25). */
function reminderOf(
  { wanted, transcript }: ModelInput,
  mode: WantedOutput["mode"] | undefined,
): Msg | undefined {
  if (!mode || wanted?.reminders === 0) return undefined;
  return transcript.at(-1)?.role === "assistant" ? REMINDERS[mode] : undefined;
}

type PromptInput = Pick<
  ModelInput,
  "phase" | "transcript" | "view" | "system" | "persona" | "usesFallback" | "wanted" | "slots"
>;

/** The messages of a request: what the persona sees of the conversation, between others. A model that has just taken over is told so,
 *  since the conversation may end with what is its own answer now. */
export function shownTo(
  host: Host,
  { transcript, view, persona }: Pick<ModelInput, "transcript" | "view" | "persona">,
  before: readonly Msg[] = [],
  after: readonly Msg[] = [],
): readonly Msg[] {
  const { personas, results } = host;
  if (!personas) return viewOf(transcript, view, results, before, after);
  const whole = viewOf(transcript, view, results);
  const seen = personas.seenBy(persona, whole);
  const hasTakenOver = seen !== whole && seen.at(-1)?.role === "assistant";
  return [...before, ...seen, ...(hasTakenOver ? [TAKEN_OVER] : []), ...after];
}

/** Returns the prompt of a model call, before hooks. */
export function promptOf(host: Host, input: PromptInput): Prompt {
  const { phase, system } = input;
  const model = modelOf(host, input);
  const visible = shownTo(host, input);
  const tools = toolsOf(host, input, outputModeOf(host, input));
  return {
    messages: phase === "summary" ? [...visible, SUMMARY_PROMPT] : visible,
    system,
    options: host.config.generateOptions ?? {},
    tools: tools.map(({ name }) => name),
    model: model.name,
  };
}

/** A request, and our own count of the tokens of its messages. */
export type SizedRequest = { readonly request: ModelRequest; readonly size: number };

const sizeOf = (messages: readonly Msg[]): number =>
  messages.reduce((sum, each) => sum + sizeOfMessage(each), 0);

/** Returns the request of a model call: the prompt, the changes of hooks, and the tools. */
export function requestOf(host: Host, input: ModelInput): SizedRequest {
  const { edit, phase, transcript, view } = input;
  const { config, results } = host;
  const system = edit?.system ?? input.system;
  const mode = outputModeOf(host, input);
  const reminder = reminderOf(input, mode);
  const options = edit?.options ?? config.generateOptions ?? {};
  const isForced = reminder && mode === "tool" && config.structuredReminder !== "PROMPT";
  const before = system.trim() === "" ? [] : [systemMessage(host, system)];
  const after = [...(reminder ? [reminder] : []), ...(input.emptyRetries > 0 ? [EMPTY_HINT] : [])];
  const isEdited = edit?.pieces !== undefined || phase === "summary";
  const edited = isEdited ? applyPieces(promptOf(host, input).messages, edit?.pieces) : [];
  const request: ModelRequest = {
    messages: isEdited ? before.concat(edited, after) : shownTo(host, input, before, after),
    tools: offeredOf(toolsOf(host, input, mode), edit?.tools),
    options: isForced ? { ...options, toolChoice: { name: OUTPUT_TOOL } } : options,
    ...(mode === "native" && { output: { name: "response", schema: input.wanted!.schema } }),
    sessionId: host.sessionId,
    execution: mergeExecution(config.modelExecution, EXECUTION_DEFAULTS.model),
  };
  const shown = isEdited ? sizeOf(edited) : sizeOfView(transcript, view, results);
  return { request, size: shown + sizeOf(before) + sizeOf(after) };
}

/** The last system message of each session: the same object for the same text, so that its tokens are counted and its wire form is
 *  made once. */
const systemMessages = new WeakMap<Host, Msg>();

export function systemMessage(host: Host, text: string): Msg {
  const last = systemMessages.get(host);
  if (last && textOf(last) === text) return last;
  const message = freeze<Msg>({
    id: "system",
    role: "system",
    name: "system",
    content: [{ type: "text", text }],
    metadata: {},
    timestamp: 0,
  });
  systemMessages.set(host, message);
  return message;
}
