import type { AgentEvent } from "../event/types.ts";
import type { Reply } from "../agent/types.ts";
import { toolResultsOf } from "../message/query.ts";
import type { ToolResultBlock } from "../message/types.ts";
import type { PendingCall } from "../tool/pending.ts";
import { sentence } from "./failure-text.ts";
import { oneLine, type Terminal } from "./terminal.ts";

/** A listener that shows a turn to a person: the model's words as they come, and a line for every step beside them. */
export function showTurn(terminal: Terminal): (event: AgentEvent) => void {
  let state = "";
  const shown = new Set<string>();
  return (event) => {
    switch (event.type) {
      case "state": {
        const [top = ""] = event.value.split(".");
        if (top !== state && top !== "stopped" && top !== "suspended") terminal.note(`· ${top}`);
        state = top;
        return;
      }
      case "block.delta":
        if (event.kind === "text") terminal.say(event.delta);
        if (event.kind === "thinking") terminal.think(event.delta);
        return;
      case "block.end":
        terminal.endLine();
        return;
      case "tool.start":
        terminal.note(`→ ${event.call.name} ${oneLine(JSON.stringify(event.call.input), 160)}`);
        return;
      case "tool.delta":
        terminal.note(`  ${oneLine(event.delta, 160)}`);
        return;
      case "tool.end": {
        const { name, state: outcome } = event.result;
        terminal.note(`← ${name} ${outcome}, ${seconds(event.durationMs)}: ${gistOf(event.result)}`);
        shown.add(event.callId);
        return;
      }
      case "message":
        // A call that was refused never starts; the model reads why, and so does the person.
        for (const result of toolResultsOf(event.message)) {
          if (!shown.has(result.id)) terminal.note(`← ${result.name} ${result.state}: ${gistOf(result)}`);
        }
        return;
      case "retry":
        terminal.warn(`${sentence(event.error.message)} Trying again in ${seconds(event.until - event.at)}.`);
        return;
      default:
    }
  };
}

/** The line under an answer: how the turn ended and what it took. */
export function closingLine({ reason, turn }: Reply<unknown>): string {
  const { usage, modelCalls, toolCalls, durationMs } = turn;
  const { inputTokens, outputTokens } = usage;
  return [
    reason,
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
  externalResult: "the result of",
  stopRequested: "a word to go on with",
  unknownOutcome: "word of what became of",
} as const satisfies { readonly [waitsFor in PendingCall["waitsFor"]]: string };

/** The line for a call that keeps a turn suspended. */
export function pendingLine({ name, input, callId, waitsFor, reason }: PendingCall): string {
  const why = reason ? ` (${reason})` : "";
  return `Waits for ${WAITS_FOR[waitsFor]} ${name} ${oneLine(JSON.stringify(input), 160)}${why}, call ${callId}.`;
}

function gistOf({ output }: ToolResultBlock): string {
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
