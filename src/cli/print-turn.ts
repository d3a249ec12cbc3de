import type { Reply } from "../agent/types.ts";
import type { JsonObject } from "../core/base/json.ts";
import { redactSecrets } from "../core/base/secrets.ts";
import type { AgentEvent } from "../core/event/types.ts";
import type { ToolResultBlock } from "../core/message/types.ts";
import type { PendingCall } from "../core/tool/pending.ts";
import { asSentence } from "./error-message.ts";
import { oneLine, type Terminal } from "./terminal.ts";

/** A listener that prints a turn: the model's text as it arrives, and a line for every step. */
export function turnPrinter(terminal: Terminal): (event: AgentEvent) => void {
  let state = "";
  const running = new Set<string>();
  return (event) => {
    if (event.source) return printInner(terminal, event.source, event);
    switch (event.type) {
      case "state": {
        const [top = ""] = event.value.split(".");
        if (top !== state && top !== "stopped" && top !== "suspended") terminal.note(`· ${top}`);
        state = top;
        return;
      }
      case "block.delta":
        if (event.kind === "text") terminal.text(event.delta);
        if (event.kind === "thinking") terminal.thinking(event.delta);
        return;
      case "block.end":
        terminal.endLine();
        return;
      case "tool.start":
        if (event.attempt > 0) running.add(event.call.id);
        terminal.note(`→ ${event.call.name} ${inputText(event.call.input)}`);
        return;
      case "tool.delta":
        terminal.note(`  ${oneLine(event.delta, 160)}`);
        return;
      case "tool.end": {
        const { name, state: outcome } = event.result;
        const took = running.delete(event.callId) ? `, ${seconds(event.durationMs)}` : "";
        terminal.note(`← ${name} ${outcome}${took}: ${outputOf(event.result)}`);
        return;
      }
      case "retry":
        terminal.warn(
          `${asSentence(event.error.message)} Trying again in ${seconds(event.until - event.at)}.`,
        );
        return;
      default:
    }
  };
}

/** Prints a line for each call of a tool inside of another agent. */
function printInner(terminal: Terminal, source: readonly string[], event: AgentEvent): void {
  if (event.type === "tool.start")
    terminal.note(`  ${source.join("/")} → ${event.call.name} ${inputText(event.call.input)}`);
  if (event.type === "tool.end")
    terminal.note(
      `  ${source.join("/")} ← ${event.result.name} ${event.result.state}: ${outputOf(event.result)}`,
    );
}

/** The line below an answer: how the turn ended, its calls, its tokens and its duration. */
export function closingLine({ reason, finishReason, turn }: Reply<unknown>): string {
  const { usage, modelCalls, toolCalls, durationMs } = turn;
  const { inputTokens, outputTokens } = usage;
  return [
    reason,
    ...(finishReason === undefined || finishReason === "stop" || finishReason === "tool_calls"
      ? []
      : [`the answer may not be whole: ${finishReason}`]),
    counted(modelCalls, "model call"),
    counted(toolCalls, "tool call"),
    ...(inputTokens === undefined && outputTokens === undefined
      ? []
      : [`${inputTokens ?? "?"} tokens in, ${outputTokens ?? "?"} out`]),
    seconds(durationMs),
  ].join(" · ");
}

const WAITS_FOR = {
  approval: "an approval of",
  answer: "an answer to",
  externalResult: "the result of",
  stopRequested: "a decision to continue with",
  unknownOutcome: "the unknown outcome of",
} as const satisfies { readonly [waitsFor in PendingCall["waitsFor"]]: string };

/** The line for a call that suspends the turn. */
export function pendingLine({ name, input, callId, waitsFor, reason, ask, path = [] }: PendingCall): string {
  const about = [reason, ask?.url].filter((each) => each !== undefined && each !== "").join(" ");
  const why = about === "" ? "" : ` (${about})`;
  const tool = [...path, name].join(" > ");
  return `Waits for ${WAITS_FOR[waitsFor]} ${tool} ${inputText(input)}${why}, call ${callId}.`;
}

/** Arguments on one line, without secrets. */
export function inputText(input: JsonObject, length = 160): string {
  return oneLine(JSON.stringify(redactSecrets(input)), length);
}

function outputOf({ output }: ToolResultBlock): string {
  return oneLine(
    output.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join(" "),
    160,
  );
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

function seconds(ms: number): string {
  return ms < 1_000 ? `${Math.max(0, Math.round(ms))} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
